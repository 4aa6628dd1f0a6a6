import { describe, expect, it } from 'vitest'
import { createTestAgent } from '../../../src/testing/index.ts'

describe('control tools', () => {
  it('pauses a run on a question until the person answers', async () => {
    const agent = createTestAgent({
      controlTools: ['ask_user'],
      script: {
        steps: [
          {
            toolCalls: [
              {
                toolName: 'ask_user',
                input: { question: 'Which colour?', options: ['red', 'blue'] },
              },
            ],
          },
          { text: 'Noted.' },
        ],
      },
    })
    const run = agent.run('Paint it')
    const talk = agent.conversation(run.conversationId)
    const leave = talk.subscribe(() => undefined)
    for await (const event of run) {
      if (event.type !== 'question') continue
      await expect
        .poll(() => talk.getSnapshot().messages.at(-1)?.calls)
        .toMatchObject([{ toolName: 'ask_user', title: 'Ask a question' }])
      leave()
      expect(event).toMatchObject({ question: 'Which colour?', options: ['red', 'blue'] })
      expect(await agent.answer(event.toolCallId, 'blue')).toBe(true)
      expect(await agent.answer(event.toolCallId, 'red')).toBe(false)
    }
    expect(await run.result).toMatchObject({
      outcome: 'completed',
      text: 'Noted.',
      toolCalls: [{ status: 'succeeded', output: { type: 'text', value: 'blue' } }],
    })
    await agent.dispose()
  })

  it('ends the run with the result of finish_task, without asking the model again', async () => {
    const agent = createTestAgent({
      controlTools: ['finish_task'],
      script: {
        steps: [
          {
            text: 'Wrapping up.',
            toolCalls: [{ toolName: 'finish_task', input: { result: 'All painted.' } }],
          },
          { text: 'never said' },
        ],
      },
    })
    const result = await agent.run('Paint it').result
    expect(result).toMatchObject({ outcome: 'completed', text: 'All painted.', steps: 1 })
    await agent.dispose()
  })

  it('returns an error to the model for a question without text', async () => {
    const agent = createTestAgent({
      controlTools: ['ask_user'],
      script: { steps: [{ toolCalls: [{ toolName: 'ask_user', input: {} }] }, { text: 'Sorry.' }] },
    })
    expect((await agent.run('x').result).toolCalls[0]).toMatchObject({ status: 'invalid' })
    await agent.dispose()
  })
})
