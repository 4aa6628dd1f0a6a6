import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAgent, defineTool, type AgentOptions, type RunEvent } from '../../../src/index.ts'
import type { ModelConfigData } from '../../../src/protocol/model.ts'
import type { StreamPart, Usage } from '../../../src/protocol/message.ts'
import type { ModelRequest, StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { createTestAgent, createTestStorage, simulateReload } from '../../../src/testing/index.ts'

const MINUTE = 60_000

const used = (inputTokens: number, outputTokens: number): Usage => ({ inputTokens, outputTokens })

const answer = (text: string, usage?: Usage): StreamPart[] => [
  { type: 'text-delta', delta: text },
  ...(usage ? [{ type: 'usage', usage } as const] : []),
  { type: 'finish', finishReason: 'stop' },
]

let calls = 0
const call = (usage?: Usage, toolName = 'work'): StreamPart[] => [
  { type: 'tool-call', toolCallId: `call-${++calls}`, toolName, input: { n: calls } },
  ...(usage ? [{ type: 'usage', usage } as const] : []),
  { type: 'finish', finishReason: 'tool-calls' },
]

const jsonSchema = { type: 'object', properties: { n: { type: 'number' } } } as const

type Turn = readonly (StreamPart | Promise<unknown>)[]

interface Given extends Partial<AgentOptions> {
  readonly turns: readonly Turn[]
  readonly testStorage?: ReturnType<typeof createTestStorage>
  readonly work?: () => unknown
}

/** An agent whose model says what is listed; `asked` is what it was asked. */
function talk({ turns, testStorage = createTestStorage(), work, ...options }: Given) {
  const asked: { request: ModelRequest; config: ModelConfigData }[] = []
  const left = [...turns]
  const provider: StreamProviderDefinition = {
    id: 'listed',
    async *stream(request, config, { signal }) {
      asked.push({ request, config })
      for (const part of left.shift() ?? answer('Nothing left.')) {
        if (part instanceof Promise)
          await Promise.race([
            part,
            new Promise((resolve) => signal?.addEventListener('abort', resolve)),
          ])
        else yield [part]
        if (signal?.aborted) return
      }
    },
  }
  const execute = vi.fn(work ?? (() => 'done'))
  const agent = createTestAgent({
    model: { provider: 'listed', model: 'x' },
    providers: [provider],
    tools: [
      defineTool({ name: 'work', description: 'Works.', jsonSchema, execute }),
      defineTool({
        name: 'careful',
        description: 'Asks.',
        jsonSchema,
        needsApproval: true,
        execute,
      }),
    ],
    testStorage,
    ...options,
  })
  onTestFinished(() => agent.dispose())
  return { agent, asked, execute, testStorage }
}

describe('a run that reaches a limit', () => {
  test('gets one last answer without tools, and its result names the limit', async () => {
    const { agent, asked } = talk({
      turns: [call(), call(), answer('That is what I know.')],
      limits: { steps: 2 },
    })
    const result = await agent.run('Go', { conversationId: 'c' }).result
    expect(result).toMatchObject({
      outcome: 'limit',
      limit: 'steps',
      steps: 3,
      text: 'That is what I know.',
    })
    expect(asked.map(({ config }) => config.toolChoice)).toEqual([undefined, undefined, 'none'])
    expect(asked[2]?.request.trailer).toMatch(/limit of steps is reached.*answer now/s)
    const stored = await agent.conversations.get('c')
    expect(JSON.stringify(stored?.messages)).not.toContain('limit of steps')
  })

  test('counts tokens as the provider does', async () => {
    const { agent, asked } = talk({
      turns: [call(used(40, 5)), call(used(50, 5)), answer('Short.', used(60, 5))],
      limits: { tokens: 100 },
    })
    const { usage, ...result } = await agent.run('Go').result
    expect(result).toMatchObject({ outcome: 'limit', limit: 'tokens', steps: 3 })
    expect(usage).toEqual({ modelCalls: 3, ...used(150, 15), totalTokens: 165 })
    expect(asked).toHaveLength(3)
  })

  test("counts cost by the model's prices", async () => {
    const { agent } = talk({
      turns: [call({ ...used(1000, 100), cachedInputTokens: 900 }), answer('Short.', used(10, 1))],
      model: {
        provider: 'listed',
        model: 'x',
        prices: { input: 10, cachedInput: 1, output: 30 },
      },
      limits: { costUSD: 0.0049 },
    })
    const result = await agent.run('Go').result
    expect(result).toMatchObject({ outcome: 'limit', limit: 'costUSD', steps: 2 })
    expect(result.usage.costUSD).toBeCloseTo((1000 + 900 + 3000 + 100 + 30) / 1e6, 10)
  })

  test('counts failed attempts, and steps that a person cut short', async () => {
    const lost = { code: 'overloaded', message: 'Busy.', retryable: true } as const
    const { agent, asked } = talk({
      turns: [
        [
          { type: 'text-delta', delta: 'Hm' },
          { type: 'usage', usage: used(60, 1) },
          { type: 'error', error: lost },
        ],
        [
          { type: 'text-delta', delta: 'Well,' },
          { type: 'usage', usage: used(60, 5) },
          new Promise(() => undefined),
        ],
        call(used(1, 1)),
        answer('Enough.'),
      ],
      model: { provider: 'listed', model: 'x', retry: { baseDelayMs: 1 } },
      limits: { tokens: 120 },
    })
    const run = agent.run('Go')
    for await (const event of run)
      if (event.type === 'text-delta' && event.delta === 'Well,')
        run.send('Stop that', { when: 'now' })
    // The cut step is followed by the last answer at once.
    expect(await run.result).toMatchObject({ outcome: 'limit', limit: 'tokens', steps: 2 })
    expect(asked).toHaveLength(3)
    expect(asked[2]?.config.toolChoice).toBe('none')
  })

  test('ignores further calls of the model', async () => {
    const { agent, execute } = talk({ turns: [call(), call()], limits: { steps: 1 } })
    const result = await agent.run('Go').result
    expect(result).toMatchObject({ outcome: 'limit', limit: 'steps', steps: 2 })
    expect(execute).toHaveBeenCalledTimes(1)
  })

  test('ignores further calls in ACTION mode', async () => {
    const { agent, asked, execute } = talk({
      turns: [
        answer('<ACTION>\n<TOOL>\nwork\n</TOOL>\n</ACTION>'),
        answer('Enough. <ACTION>\n<TOOL>\nwork\n</TOOL>\n</ACTION>'),
      ],
      model: { provider: 'listed', model: 'x', toolMode: 'action' },
      limits: { steps: 1 },
    })
    const result = await agent.run('Go').result
    expect(result).toMatchObject({ outcome: 'limit', limit: 'steps' })
    expect(asked[1]?.request.tools).toEqual([])
    expect(execute.mock.calls.length).toBeLessThan(2)
  })

  test('is completed if the exceeding step is its final answer', async () => {
    const { agent } = talk({ turns: [answer('Long.', used(900, 900))], limits: { tokens: 10 } })
    expect(await agent.run('Go').result).toMatchObject({ outcome: 'completed', steps: 1 })
  })

  test('ends even if counts are too large to sum, and its export can be imported', async () => {
    const huge = used(1e308, 1e308)
    const prices = { input: 1, output: 1 }
    const { agent } = talk({
      turns: [call(huge), answer('Enough.', huge)],
      model: { provider: 'listed', model: 'x', prices },
      limits: { costUSD: 1 },
    })
    const { outcome, usage } = await agent.run('Go', { conversationId: 'c' }).result
    expect(outcome).toBe('limit')
    expect(Object.values(usage).every(Number.isFinite)).toBe(true)
    const file = await new Response(await agent.conversations.export()).text()
    expect(file).not.toMatch(/(?:Tokens|USD)":null/)
    expect((await agent.conversations.import(file)).refused).toEqual([])
  })

  test('continues with a fresh allowance on request', async () => {
    const { agent } = talk({
      turns: [call(used(100, 1)), answer('So far.'), call(used(90, 1)), answer('Done.')],
      limits: { tokens: 100 },
    })
    expect((await agent.run('Go', { conversationId: 'c' }).result).outcome).toBe('limit')
    const run = await agent.continue('c')
    expect(await run?.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
    const stored = await agent.conversations.get('c')
    expect(stored?.messages.filter(({ role }) => role === 'user')).toHaveLength(1)
  })

  test('gives its last answer after a reload', async () => {
    const before = talk({
      turns: [call(), [{ type: 'text-delta', delta: 'So' }, new Promise(() => undefined)]],
      limits: { steps: 1 },
    })
    const run = before.agent.run('Go', { conversationId: 'c' })
    for await (const { type } of run) if (type === 'text-start') break
    await before.agent.dispose()
    simulateReload()
    const { agent, asked } = talk({
      turns: [answer('So far.')],
      testStorage: before.testStorage,
      limits: { steps: 1 },
    })
    const resumed = await agent.resume('c')
    expect(await resumed?.result).toMatchObject({
      outcome: 'limit',
      limit: 'steps',
      text: 'So far.',
    })
    expect(asked.map(({ config }) => config.toolChoice)).toEqual(['none'])
  })

  test('returns messages that came too late', async () => {
    let write = (): void => undefined
    const written = new Promise<void>((resolve) => (write = resolve))
    const { agent } = talk({
      turns: [call(), [{ type: 'text-delta', delta: 'So ' }, written, ...answer('far.')]],
      limits: { steps: 1 },
    })
    const run = agent.run('Go')
    const events: RunEvent[] = []
    for await (const event of run) {
      events.push(event)
      if (event.type === 'text-start') run.send('And now?')
      if (event.type === 'message-queued') write()
    }
    expect(await run.result).toMatchObject({ outcome: 'limit', text: 'So far.' })
    expect(events.map(({ type }) => type)).toContain('message-returned')
  })
})

describe('the active minutes of a run', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000_000_000 })
    onTestFinished(() => void vi.useRealTimers())
  })
  const pass = (ms: number): void => void vi.setSystemTime(Date.now() + ms)

  test('count only the time when work is done', async () => {
    const { agent } = talk({
      turns: [call(), call(), call(), answer('So far.')],
      work: () => pass(4 * MINUTE),
      limits: { minutes: 10 },
    })
    const result = await agent.run('Go').result
    expect(result).toMatchObject({ outcome: 'limit', limit: 'minutes', steps: 4 })
  })

  test('exclude the time spent waiting for a person', async () => {
    const { agent } = talk({
      turns: [call(undefined, 'careful'), call(), answer('Done.')],
      work: () => pass(4 * MINUTE),
      limits: { minutes: 10 },
    })
    const run = agent.run('Go')
    for await (const event of run)
      if (event.type === 'tool-approval-request') {
        pass(600 * MINUTE)
        await agent.approve(event.toolCallId)
      }
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Done.' })
  })

  test('are counted across a reload, without the time when no page was open', async () => {
    const stuck = new Promise(() => undefined)
    const before = talk({
      turns: [call(), [{ type: 'text-delta', delta: 'Hm' }, stuck]],
      work: () => pass(7 * MINUTE),
      limits: { minutes: 10 },
    })
    const run = before.agent.run('Go', { conversationId: 'c' })
    for await (const { type } of run) if (type === 'text-start') break
    await before.agent.dispose()
    simulateReload()
    pass(600 * MINUTE)
    const { agent, asked } = talk({
      turns: [call(), call(), answer('So far.')],
      work: () => pass(2 * MINUTE),
      testStorage: before.testStorage,
      limits: { minutes: 10 },
    })
    const resumed = await agent.resume('c')
    expect(await resumed?.result).toMatchObject({ outcome: 'limit', limit: 'minutes' })
    expect(asked.map(({ config }) => config.toolChoice)).toEqual([undefined, undefined, 'none'])
  })

  test('do not decrease when the clock is set back', async () => {
    const steps = [6, -300, 6]
    const { agent } = talk({
      turns: [call(), call(), call(), answer('So far.')],
      work: () => pass((steps.shift() ?? 0) * MINUTE),
      limits: { minutes: 10 },
    })
    expect(await agent.run('Go').result).toMatchObject({ outcome: 'limit', limit: 'minutes' })
  })
})

test('when the server counts nothing, limits use estimates, with one warning', async () => {
  const { agent } = talk({
    turns: [call(), call(), answer('Done.')],
    work: () => 'word '.repeat(400),
    limits: { tokens: 600 },
  })
  const run = agent.run('Go')
  const warnings: string[] = []
  for await (const event of run) if (event.type === 'warning') warnings.push(event.code)
  const result = await run.result
  expect(result).toMatchObject({ outcome: 'limit', limit: 'tokens', usage: { estimated: true } })
  expect(warnings).toEqual(['usage-estimated'])
})

test('an attempt that breaks off inside a call counts with its arguments', async () => {
  const lost = { code: 'stream-incomplete', message: 'Cut.', retryable: true } as const
  const error = { code: 'truncated', message: 'Cut.' } as const
  const cut = { type: 'tool-call', toolCallId: 'cut', toolName: 'work', error } as const
  const { agent } = talk({
    turns: [
      [
        { ...cut, rawInput: '{"n":"'.padEnd(4_000, 'word ') },
        { type: 'error', error: lost },
      ],
      answer('Done.', used(10, 1)),
    ],
    model: { provider: 'listed', model: 'x', retry: { baseDelayMs: 1 } },
    limits: { tokens: 1_000_000 },
  })
  const { usage } = await agent.run('Go').result
  expect(usage).toMatchObject({ modelCalls: 2, estimated: true })
  expect(usage.outputTokens).toBeGreaterThan(500)
})

test('a run inherits each limit of the agent that it does not set', async () => {
  const turns = [call(), call(), answer('Done.')]
  const { agent } = talk({ turns, limits: { steps: 1, minutes: 5 } })
  const result = await agent.run('Go', { limits: { steps: 5 } }).result
  expect(result).toMatchObject({ outcome: 'completed', steps: 3 })
})

test('maxSteps ends a run as before, and sets no default for limits.steps', async () => {
  const hard = talk({ turns: [call(), call()], limits: { steps: 2 }, maxSteps: 2 })
  expect(await hard.agent.run('Go').result).toMatchObject({ outcome: 'max-steps', steps: 2 })
  const many = Array.from({ length: 12 }, () => call())
  const { agent } = talk({ turns: [...many, answer('Done.')], limits: { steps: 20 } })
  expect(await agent.run('Go').result).toMatchObject({ outcome: 'completed', steps: 13 })
})

describe('a limit of cost without prices', () => {
  const model = { provider: 'listed', model: 'x' }
  const priced = { ...model, prices: { input: 1, output: 2 } }

  test('is refused by createAgent, configure and run', async () => {
    expect(() => talk({ turns: [], limits: { costUSD: 1 } })).toThrow(/model\.prices/)
    const limited = talk({ turns: [], model: priced, limits: { costUSD: 1 } })
    expect(() => limited.agent.configure({ model })).toThrow(/model\.prices/)
    const { agent, asked } = talk({ turns: [] })
    expect(await agent.run('Go', { limits: { costUSD: 1 } }).result).toMatchObject({
      outcome: 'failed',
      error: { code: 'invalid-config' },
    })
    expect(asked).toEqual([])
  })

  test('fails the resumed run of an agent with prices', async () => {
    const before = talk({
      turns: [[{ type: 'text-delta', delta: 'Hm' }, new Promise(() => undefined)]],
      model: priced,
      limits: { costUSD: 1 },
    })
    const run = before.agent.run('Go', { conversationId: 'c' })
    for await (const { type } of run) if (type === 'text-start') break
    await before.agent.dispose()
    simulateReload()
    const { agent, asked } = talk({ turns: [], testStorage: before.testStorage })
    const resumed = await agent.resume('c')
    expect(await resumed?.result).toMatchObject({
      outcome: 'failed',
      error: { code: 'invalid-config' },
    })
    expect(asked).toEqual([])
  })
})

test('invalid limits are refused', async () => {
  const model = { provider: 'scripted', model: 'x' } as const
  const wrong: [object, RegExp][] = [
    [{ steps: 0 }, /limits\.steps must be a whole number, 1 or more/],
    [{ tokens: 1.5 }, /limits\.tokens must be a whole number/],
    [{ minutes: 0 }, /limits\.minutes must be a number above 0/],
    [{ minutes: Number.POSITIVE_INFINITY }, /limits\.minutes must be a number above 0/],
    [{ tokens: '9' }, /tokens of limits of createAgent must be number/],
    [{ token: 9 }, /Did you mean tokens\?/],
  ]
  for (const [limits, words] of wrong) expect(() => createAgent({ model, limits })).toThrow(words)
  const prices = { input: 1 } as { input: number; output: number }
  expect(() => createAgent({ model: { ...model, prices } })).toThrow(/input and output/)
  const { agent } = talk({ turns: [] })
  expect(await agent.run('Go', { limits: { steps: -1 } }).result).toMatchObject({
    outcome: 'failed',
  })
})
