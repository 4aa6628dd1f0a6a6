import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Agent, RunInput } from '../../../src/index.ts'
import { defineTool } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'

type Options = Parameters<typeof createTestAgent>[0]

function made(options: Options): Agent {
  const agent = createTestAgent(options)
  onTestFinished(() => agent.dispose())
  return agent
}

const textsOf = (agent: Agent, id: string) =>
  agent
    .conversation(id)
    .getSnapshot()
    .messages.filter(({ role }) => role === 'user')
    .map(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')).join(''))

/** Calls a tool that waits until it is let go. */
function working(values: Record<string, string> = { date: 'Monday' }) {
  let letGo = (): void => undefined
  const gate = new Promise<void>((resolve) => (letGo = resolve))
  const agent = made({
    values,
    tools: [defineTool({ name: 'work', description: 'Works.', execute: () => gate })],
    script: {
      scenes: [
        {
          match: ['Begin'],
          steps: [{ toolCalls: [{ toolName: 'work', input: {} }] }, { text: 'Done.' }],
        },
      ],
      fallback: [{ text: 'I see.' }],
    },
  })
  const talk = agent.conversation('talk')
  onTestFinished(talk.subscribe(() => undefined))
  const run = agent.run('Begin on {{date}}', { conversationId: 'talk' })
  const isWorking = () =>
    vi.waitFor(() =>
      expect(talk.getSnapshot().messages.at(-1)?.calls?.[0]?.status).toBe('executing'),
    )
  return { agent, talk, run, isWorking, letGo: () => letGo() }
}

describe('text that a person typed', () => {
  it('is no template in a message to an open run, unless given values', async () => {
    const { agent, run, isWorking, letGo } = working()
    await isWorking()
    run.send('on {{date}} or {{nope}}')
    run.send('on {{date}} at {{hour}}', { values: { hour: '9' } })
    expect(() => run.send('{{nope}}', { values: {} })).toThrow(/no value for {{nope}}/)
    letGo()
    await run.result
    expect(textsOf(agent, 'talk')).toEqual([
      'Begin on Monday',
      'on {{date}} or {{nope}}',
      'on Monday at 9',
    ])
  })

  it('is no template in a conversation, unless given values', async () => {
    const agent = made({ values: { date: 'Monday' }, script: { fallback: [{ text: 'Hi.' }] } })
    const talk = agent.conversation('talk')
    onTestFinished(talk.subscribe(() => undefined))
    await talk.send('{{date}} {{nope}}').result
    await talk.send('{{date}}', { values: {} }).result
    await vi.waitFor(() => expect(textsOf(agent, 'talk')).toEqual(['{{date}} {{nope}}', 'Monday']))
    const [first] = talk.getSnapshot().messages
    await talk.edit(first?.id ?? '', 'edited {{nope}}').result
    await vi.waitFor(() => expect(textsOf(agent, 'talk')).toEqual(['edited {{nope}}']))
  })

  it.each<[string, RunInput, object]>([
    ['lacks a value', 'for {{nope}}', { values: {} }],
    ['has a part that is none', [{ type: 'text', text: 'for you' }, { type: 'x' } as never], {}],
    ['comes with an option that there isn’t', 'for you', { maxStep: 3 }],
  ])('is returned when it %s', async (_why, input, options) => {
    const agent = made({ values: { date: 'Monday' }, script: { fallback: [{ text: 'Hi.' }] } })
    const talk = agent.conversation('talk')
    onTestFinished(talk.subscribe(() => undefined))
    expect(await talk.send(input, options).result).toMatchObject({ outcome: 'failed' })
    await vi.waitFor(() => expect(talk.getSnapshot().error).toBeDefined())
    const parts = typeof input === 'string' ? [{ type: 'text', text: input }] : input
    expect(talk.getSnapshot().unsent?.parts).toEqual(parts)
  })
})

describe('a conversation without the handle of its run', () => {
  it('can send messages to the run, and withdraw them', async () => {
    const { agent, talk, run, isWorking, letGo } = working()
    await isWorking()
    const one = await talk.steer('And {{tea}}')
    const two = await talk.steer('And milk')
    await vi.waitFor(() =>
      expect(talk.getSnapshot().queued.map(({ id }) => id)).toEqual([one, two]),
    )
    expect(await talk.withdraw(two ?? '')).toBe(true)
    expect(await talk.withdraw(two ?? '')).toBe(false)
    letGo()
    await run.result
    expect(textsOf(agent, 'talk')).toEqual(['Begin on Monday', 'And {{tea}}'])
    expect(await talk.withdraw(one ?? '')).toBe(false)
    expect(await talk.steer('Too late')).toBeNull()
  })

  it('refuses unknown ways to send', async () => {
    const { talk, run, isWorking, letGo } = working()
    await isWorking()
    await expect(talk.steer('Later', { when: 'later' as never })).rejects.toMatchObject({
      code: 'invalid-config',
    })
    expect(() => run.send('Later', { at: 'once' } as never)).toThrow(/send has no at/)
    await expect(talk.steer('')).rejects.toMatchObject({ code: 'invalid-input' })
    letGo()
    await run.result
  })
})

it('answers a pending call of the snapshot in view, despite a duplicate id', async () => {
  const paid: string[] = []
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    needsApproval: true,
    execute: (_input, { conversationId }) => void paid.push(conversationId),
  })
  const agent = made({
    tools: [pay],
    model: { provider: 'repeating', model: 'm' },
    providers: [
      {
        id: 'repeating',
        async *stream({ messages }) {
          const isDone = messages.at(-1)?.role === 'tool'
          yield isDone
            ? [
                { type: 'text-delta', delta: 'Paid.' },
                { type: 'finish', finishReason: 'stop' },
              ]
            : [
                { type: 'tool-call', toolCallId: 'call_0', toolName: 'pay', input: {} },
                { type: 'finish', finishReason: 'tool-calls' },
              ]
        },
      },
    ],
  })
  const [one, other] = ['one', 'other'].map((id) => {
    const talk = agent.conversation(id)
    onTestFinished(talk.subscribe(() => undefined))
    return { talk, run: talk.send('Pay') }
  })
  for (const each of [one, other])
    await vi.waitFor(() => expect(each?.talk.getSnapshot().pending).toHaveLength(1))
  const [pending] = other?.talk.getSnapshot().pending ?? []
  await expect(agent.approve('call_0')).rejects.toMatchObject({ code: 'ambiguous-call' })
  expect(await agent.approve(pending!)).toBe(true)
  await other?.run.result
  expect(paid).toEqual(['other'])
  one?.run.abort()
})
