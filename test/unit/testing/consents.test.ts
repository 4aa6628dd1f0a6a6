import { describe, expect, onTestFinished, test } from 'vitest'
import type { Tool } from '../../../src/client/tools/tool.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { createTestAgent, type TestAgentOptions } from '../../../src/testing/index.ts'

type Agent = ReturnType<typeof createTestAgent>
type Options = Omit<TestAgentOptions, 'script'>

const inputSchema = {
  type: 'object',
  properties: { to: { type: 'string' }, text: { type: 'string' } },
} as const

const sends = (...inputs: { to?: string; text?: string }[]) => [
  ...inputs.map((input) => ({ toolCalls: [{ toolName: 'send', input }] })),
  { text: 'Done.' },
]

/** An agent with a tool `send` that asks, and a conversation in which each question is answered. */
function stage(turns: ReturnType<typeof sends>[], tool: Partial<Tool> = {}, options: Options = {}) {
  const ran: unknown[] = []
  const asked: JsonValue[] = []
  const send = {
    name: 'send',
    description: 'Sends.',
    inputSchema,
    needsApproval: true,
    execute: (input: unknown) => (ran.push(input), 'sent'),
    ...tool,
  }
  const scenes = turns.map((steps, index) => ({ match: [`turn ${index}`], steps }))
  const agent = createTestAgent({ tools: [send], ...options, script: { scenes } })
  onTestFinished(() => agent.dispose())
  const chat = agent.conversation('c')
  onTestFinished(chat.subscribe(() => {}))
  const pending = async () => {
    await expect.poll(() => chat.getSnapshot().pending.length).toBeGreaterThan(0)
    return chat.getSnapshot().pending[0]!
  }
  const consent = async () => {
    await expect.poll(() => chat.getSnapshot().consents.length).toBe(1)
    return chat.getSnapshot().consents[0]!
  }
  /** Runs a turn; `answer` is called for each question. */
  const turn = async (index: number, answer: (agent: Agent, toolCallId: string) => unknown) => {
    const run = chat.send(`turn ${index}`)
    for await (const event of run) {
      if (event.type !== 'tool-approval-request') continue
      asked.push(event.input)
      await answer(agent, event.toolCallId)
    }
    return run.result
  }
  return { agent, chat, ran, asked, turn, pending, consent, send }
}

const remember =
  (within: 'run' | 'conversation') =>
  async (agent: Agent, toolCallId: string): Promise<void> => {
    expect(await agent.approve({ conversationId: 'c', toolCallId }, { remember: within })).toBe(
      true,
    )
  }

describe('a consent to later calls', () => {
  test('for the run lets its calls run without approval, until the run ends', async () => {
    const set = stage([sends({ to: 'a' }, { to: 'b' }, {}), sends({ to: 'd' })])
    await set.turn(0, remember('run'))
    expect(set.asked).toEqual([{ to: 'a' }])
    expect(set.ran).toEqual([{ to: 'a' }, { to: 'b' }, {}])
    await expect.poll(() => set.chat.getSnapshot().consents).toEqual([])
    await set.turn(1, (agent, id) => agent.deny(id))
    expect(set.asked).toEqual([{ to: 'a' }, { to: 'd' }])
  })

  test('for the conversation covers later runs, is listed, and can be revoked', async () => {
    const set = stage([sends({ to: 'a' }), sends({ to: 'b' }), sends({ to: 'd' })], {
      title: 'Send a mail',
    })
    await set.turn(0, remember('conversation'))
    const consent = await set.consent()
    expect(consent).toMatchObject({
      toolName: 'send',
      title: 'Send a mail',
      within: 'conversation',
      consentId: expect.any(String) as string,
    })
    await set.turn(1, () => expect.unreachable())
    expect(await set.chat.revoke(consent.consentId)).toBe(true)
    await expect.poll(() => set.chat.getSnapshot().consents).toEqual([])
    expect(await set.chat.revoke(consent.consentId)).toBe(false)
    await set.turn(2, (agent, id) => agent.deny(id))
    expect(set.asked).toEqual([{ to: 'a' }, { to: 'd' }])
  })

  test('ends when the history is cleared', async () => {
    const set = stage([sends({ to: 'a' }), sends({ to: 'b' })])
    await set.turn(0, remember('conversation'))
    await set.agent.conversations.clearHistory('c')
    await set.turn(1, (agent, id) => agent.deny(id))
    expect(set.asked).toHaveLength(2)
  })

  test('is void after the tool was registered with a new description', async () => {
    const set = stage([sends({ to: 'a' }), sends({ to: 'b' })])
    await set.turn(0, remember('conversation'))
    const { send } = set
    set.agent.registerTool({ ...send, title: 'Sends to all' } as Tool, { replace: true })
    await set.turn(1, (agent, id) => agent.deny(id))
    expect(set.asked).toHaveLength(2)
  })

  test('ends with its void approval when the call requests approval again', async () => {
    const set = stage([sends({ to: 'a' }), sends({ to: 'b' })])
    const first = set.chat.send('turn 0')
    const call = await set.pending()
    const approved = set.agent.approve(call, { remember: 'conversation' })
    const { send } = set
    set.agent.registerTool({ ...send, title: 'Sends to all' } as Tool, { replace: true })
    expect(await approved).toBe(true)
    await expect.poll(() => set.chat.getSnapshot().pending.length).toBe(1)
    await expect.poll(() => set.chat.getSnapshot().consents).toEqual([])
    set.agent.registerTool(send as Tool, { replace: true })
    expect(await set.agent.deny(set.chat.getSnapshot().pending[0]!)).toBe(true)
    await first.result
    await set.turn(1, (agent, id) => agent.deny(id))
    expect(set.asked).toEqual([{ to: 'b' }])
    expect(set.ran).toEqual([])
  })

  test.each<[string, Partial<Tool>]>([
    ['a destructive tool', { annotations: { destructive: true }, consentKey: () => 'all' }],
    ['a tool whose effect leaves the app', { annotations: { openWorld: true } }],
    ['one that gives no key', { consentKey: () => '' }],
    ['one whose key throws', { consentKey: () => expect.unreachable() }],
    ['one that says what the call is about', { describe: () => ({ text: 'this' }) }],
  ])('is refused for %s, and the call keeps waiting', async (_name, tool) => {
    const set = stage([sends({ to: 'a' })], tool)
    const run = set.chat.send('turn 0')
    const call = await set.pending()
    expect(call).not.toHaveProperty('rememberable')
    const approved = set.agent.approve(call, { remember: 'run' })
    await expect(approved).rejects.toMatchObject({ code: 'invalid-input' })
    expect(await set.agent.approve(call)).toBe(true)
    await run.result
    expect(set.ran).toEqual([{ to: 'a' }])
  })

  test('covers only calls with the same key, taken from the edited input', async () => {
    const set = stage([sends({ to: 'a' }, { to: 'b' }, { to: 'a' })], {
      annotations: { openWorld: true },
      consentKey: (input) => (input as { to: string }).to,
    })
    const run = set.chat.send('turn 0')
    const call = await set.pending()
    expect(call.rememberable).toEqual({ key: 'a' })
    await set.agent.approve(call, { remember: 'run', input: { to: 'b' } })
    await expect.poll(() => set.chat.getSnapshot().pending[0]?.input).toEqual({ to: 'a' })
    expect(await set.consent()).toMatchObject({ key: 'b' })
    await set.agent.deny(set.chat.getSnapshot().pending[0]!)
    await run.result
    expect(set.ran).toEqual([{ to: 'b' }, { to: 'b' }])
  })

  test('does not count if revoked while its call waits behind another', async () => {
    const both = ['first', 'send'].map((toolName) => ({ toolName, input: {} }))
    const set = stage([sends({}), [{ toolCalls: both }, { text: 'Done.' }]] as never)
    await set.turn(0, remember('conversation'))
    const consent = await set.consent()
    set.agent.registerTool({
      name: 'first',
      description: 'Goes first.',
      execute: () => set.chat.revoke(consent.consentId),
    })
    await set.turn(1, (agent, id) => agent.deny(id))
    expect(set.asked).toEqual([{}, {}])
    expect(set.ran).toEqual([{}])
  })
})

describe('a denied call', () => {
  test('is denied again in its run without asking, if unchanged', async () => {
    const one = { to: 'a', text: 'x' }
    const same = { text: 'x', to: 'a' }
    const set = stage([sends(one, same, { to: 'b' }), sends(one)])
    const result = await set.turn(0, (agent, id) => agent.deny(id, 'Not to them.'))
    expect(set.asked).toEqual([one, { to: 'b' }])
    expect(result.toolCalls.map(({ output }) => output)).toEqual(
      Array(3).fill({ type: 'denied', reason: 'Not to them.' }),
    )
    await set.turn(1, (agent, id) => agent.deny(id))
    expect(set.asked).toHaveLength(3)
  })

  test('is decided again when a hook denied it', async () => {
    let vetoes = 1
    const set = stage(
      [sends({}, {})],
      {},
      {
        beforeToolCall: () => (vetoes-- > 0 ? { veto: 'Not now.' } : undefined),
      },
    )
    await set.turn(0, (agent, id) => agent.approve(id))
    expect(set.asked).toEqual([{}])
    expect(set.ran).toEqual([{}])
  })
})

describe('a call that changed while it waited for approval', () => {
  test('is not approved by an answer to the earlier request', async () => {
    const set = stage([sends({ to: 'a' })])
    const run = set.chat.send('turn 0')
    const call = await set.pending()
    // The tool changes before the call starts, so approval is requested again.
    set.agent.registerTool({ ...set.send, description: 'Sends to all.' } as Tool, { replace: true })
    await set.agent.approve(call)
    await expect.poll(() => set.chat.getSnapshot().pending.length).toBe(1)
    expect(set.ran).toEqual([])
    expect(await set.agent.approve(set.chat.getSnapshot().pending[0]!)).toBe(true)
    await run.result
    expect(set.ran).toEqual([{ to: 'a' }])
  })

  test('requests approval again even if the new tool needs none', async () => {
    const set = stage([sends({ to: 'a' })])
    const run = set.chat.send('turn 0')
    const call = await set.pending()
    set.agent.registerTool({ ...set.send, needsApproval: false } as Tool, { replace: true })
    await set.agent.approve(call)
    await expect.poll(() => set.chat.getSnapshot().pending.length).toBe(1)
    expect(set.ran).toEqual([])
    await set.agent.deny(call)
    await run.result
    expect(set.ran).toEqual([])
  })
})

describe('a tool with calls that people keep denying', () => {
  const denied = async (set: ReturnType<typeof stage>, limit = Infinity) => {
    const result = await set.turn(0, (agent, id) =>
      set.asked.length === limit ? agent.approve(id) : agent.deny(id, 'No.'),
    )
    return { asked: set.asked.length, ends: result.toolCalls }
  }
  const many = (count: number) =>
    sends(...Array.from({ length: count }, (_, n) => ({ to: `${n}` })))

  test('requests no approval after six denials in a row, for any target', async () => {
    const { asked, ends } = await denied(stage([many(9), sends({ to: 'a' })]))
    expect(asked).toBe(6)
    expect(ends.slice(6)).toMatchObject(
      Array(3).fill({
        status: 'denied',
        output: { reason: expect.stringContaining('without asking') },
      }),
    )
  })

  test('requests no approval after three denials in a row for one target', async () => {
    const set = stage(
      [sends(...['a', 'b', 'c', 'd', 'e'].map((text) => ({ to: 'x', text })), { to: 'y' })],
      {
        consentKey: (input) => (input as { to: string }).to,
      },
    )
    expect((await denied(set)).asked).toBe(4)
    expect(set.asked.at(-1)).toEqual({ to: 'y' })
  })

  test.each([
    ['three denials for one target end its siblings', 3, 1, ['x', 'x', 'x', 'x', 'x', 'y']],
    ['six denials end all siblings', 6, 0, ['a', 'b', 'd', 'e', 'f', 'g', 'x', 'y']],
  ])('in one step, %s in the same moment', async (_effect, most, left, targets) => {
    const answer = { toolCalls: targets.map((to) => ({ toolName: 'send', input: { to } })) }
    const set = stage([[answer, { text: 'Done.' }]], {
      consentKey: (input) => (input as { to: string }).to,
    })
    const shown: number[] = []
    set.chat.subscribe(() => void shown.push(set.chat.getSnapshot().pending.length))
    const run = set.chat.send('turn 0')
    await expect.poll(() => set.chat.getSnapshot().pending.length).toBe(targets.length)
    const asked = set.chat.getSnapshot().pending
    for (const call of asked.slice(0, most)) expect(await set.agent.deny(call)).toBe(true)
    await expect.poll(() => shown.at(-1)).toBe(left)
    // The last denial and what it ends are one commit.
    expect(shown).not.toContain(targets.length - most)
    const ended = asked[most]!
    expect(await set.agent.approve(ended)).toBe(false)
    for (const call of set.chat.getSnapshot().pending) await set.agent.deny(call)
    const { toolCalls } = await run.result
    expect(set.ran).toEqual([])
    expect(toolCalls.find(({ toolCallId }) => toolCallId === ended.toolCallId)).toMatchObject({
      status: 'denied',
      output: { reason: expect.stringContaining('without asking') },
    })
  })

  test('requests approval again in the next run, and after an approval', async () => {
    const set = stage([many(9), many(2)])
    expect((await denied(set, 6)).asked).toBe(9)
    await set.turn(1, (agent, id) => agent.deny(id))
    expect(set.asked).toHaveLength(11)
  })
})
