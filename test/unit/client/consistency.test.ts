import { describe, expect, onTestFinished, test } from 'vitest'
import type { Script } from '../../../src/protocol/model.ts'
import type { TestAgentOptions } from '../../../src/testing/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { sleep, until, asStored } from './fake-worker.ts'

/** The real worker in this process: what the page shows must be what the store keeps. */
async function staged(script: Script, options: Partial<TestAgentOptions> = {}) {
  const agent = createTestAgent({ script, ...options })
  onTestFinished(() => agent.dispose())
  const { subscribe, getSnapshot } = agent.conversation('c1')
  subscribe(() => {})
  const stored = async () => {
    await until(() => getSnapshot().status !== 'loading')
    const conversation = (await agent.conversations.get('c1'))!
    // A tool message is empty as long as its calls have no results.
    return { ...conversation, messages: conversation.messages.filter(({ parts }) => parts.length) }
  }
  return { agent, getSnapshot, stored }
}

const tool = {
  name: 'tool',
  description: 'A tool.',
  inputSchema: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] },
  execute: (input: unknown) => input,
}
const call = (a: unknown) => ({ toolName: 'tool', input: { a } as never })

describe('the snapshot equals the store after', () => {
  test.each<[string, Script, Partial<TestAgentOptions>]>([
    ['a text', { steps: [{ text: 'Hello there.' }] }, {}],
    ['reasoning', { steps: [{ reasoning: 'Hm.', text: 'Hello.' }] }, {}],
    [
      'tools in two steps',
      {
        steps: [
          { text: 'Wait. ', toolCalls: [call(1), call(2)] },
          { toolCalls: [call(3)] },
          { text: 'Done.' },
        ],
      },
      { tools: [tool] },
    ],
    [
      'an invalid call',
      { steps: [{ toolCalls: [call('x')] }, { text: 'Sorry.' }] },
      { tools: [tool] },
    ],
    [
      'the last permitted step',
      { steps: [{ toolCalls: [call(1)] }, { text: 'Unseen.' }] },
      { tools: [tool], maxSteps: 1 },
    ],
    ['a provider’s failure', { steps: [{ text: 'Half', error: 'Out of order.' }] }, {}],
    [
      'one-shot mode',
      { steps: [{ text: 'You do it. ', toolCalls: [call(1)] }] },
      { tools: [tool], maxSteps: 0 },
    ],
  ])('%s', async (_name, script, options) => {
    const { agent, getSnapshot, stored } = await staged(script, options)
    await agent.run('Hi', { conversationId: 'c1' }).result
    const { messages, pending } = await stored()
    expect(asStored(getSnapshot().messages)).toEqual(messages)
    expect(getSnapshot().pending).toEqual(pending)
  })

  test('an abort while text streams', async () => {
    const { agent, getSnapshot, stored } = await staged({
      steps: [{ text: 'One two three four five.' }],
      paceMs: 20,
    })
    const run = agent.run('Hi', { conversationId: 'c1' })
    await until(() => JSON.stringify(getSnapshot().messages).includes('two'))
    run.abort('enough')
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    expect(asStored(getSnapshot().messages)).toEqual((await stored()).messages)
  })

  test('a denied approval', async () => {
    const { agent, getSnapshot, stored } = await staged(
      { steps: [{ toolCalls: [call(1)] }, { text: 'Fine.' }] },
      { tools: [{ ...tool, needsApproval: true }] },
    )
    const run = agent.run('Hi', { conversationId: 'c1' })
    await until(() => getSnapshot().status === 'waiting')
    const [paused] = getSnapshot().pending
    expect((await stored()).pending).toEqual([paused])
    expect(await agent.deny(paused!.toolCallId, 'not now')).toBe(true)
    expect((await run.result).outcome).toBe('completed')
    expect(asStored(getSnapshot().messages)).toEqual((await stored()).messages)
    expect(await agent.deny(paused!.toolCallId)).toBe(false)
  })

  test('an approval with edited input', async () => {
    const { agent, getSnapshot, stored } = await staged(
      { steps: [{ toolCalls: [call(1)] }, { text: 'Fine.' }] },
      { tools: [{ ...tool, needsApproval: true }] },
    )
    const run = agent.run('Hi', { conversationId: 'c1' })
    await until(() => getSnapshot().status === 'waiting')
    await agent.approve(getSnapshot().pending[0]!.toolCallId, { input: { a: 7 } })
    expect((await run.result).toolCalls).toMatchObject([{ input: { a: 7 }, status: 'succeeded' }])
    // The store has a note for the model besides.
    expect((await stored()).messages).toMatchObject(asStored(getSnapshot().messages))
  })
})

test('one-shot mode resumes when the output is supplied', async () => {
  const { agent, getSnapshot, stored } = await staged(
    { steps: [{ toolCalls: [call(1)] }, { text: 'Thanks.' }] },
    { tools: [tool], maxSteps: 0 },
  )
  const run = agent.run('Hi', { conversationId: 'c1' })
  const result = await run.result
  expect(result.outcome).toBe('waiting')
  const next = await agent.supplyOutput(
    { conversationId: 'c1', toolCallId: result.toolCalls[0]!.toolCallId },
    'by hand',
  )
  expect((await next!.result).text).toBe('Thanks.')
  const { messages } = await stored()
  await until(() => getSnapshot().messages.length === messages.length)
  expect(asStored(getSnapshot().messages)).toEqual(messages)
})

test('a hanging tool is aborted with its run, and the conversation stays usable', async () => {
  let signal: AbortSignal | undefined
  const { agent, stored } = await staged(
    { steps: [{ toolCalls: [call(1)] }, { text: 'Fine.' }] },
    {
      tools: [
        {
          ...tool,
          execute(_input, context) {
            if (signal) return 'quick'
            signal = context.signal
            return new Promise(() => {})
          },
        },
      ],
    },
  )
  const run = agent.run('Hi', { conversationId: 'c1' })
  await until(() => signal)
  run.abort('stop')
  expect(signal!.aborted).toBe(true)
  const result = await run.result
  expect(result.toolCalls).toMatchObject([{ status: 'interrupted' }])
  await sleep(120)
  expect((await stored()).openRunId).toBeNull()
  expect((await agent.run('Again', { conversationId: 'c1' }).result).outcome).not.toBe('failed')
})
