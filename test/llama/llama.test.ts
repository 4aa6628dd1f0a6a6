import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { defineTool, type RunEvent } from '../../src/index.ts'
import { collect, createProvider, type ProviderConfig } from '../../src/providers/index.ts'
import type { Message } from '../../src/protocol/message.ts'
import { createTestAgent } from '../../src/testing/index.ts'
import { configOf, formats, recordExchanges } from './formats.ts'
import { CONTEXT, startLlamaServer, type LlamaServer } from './llama-server.ts'

const SLOTS = 4

let server: LlamaServer

beforeAll(async () => {
  server = await startLlamaServer({ slots: SLOTS })
}, 60_000)

afterAll(() => server.close())
afterEach(() => vi.unstubAllGlobals())

const user = (text: string): Message => ({ role: 'user', parts: [{ type: 'text', text }] })

const click = {
  name: 'click',
  description: 'Clicks a button.',
  inputSchema: {
    type: 'object',
    properties: { button: { enum: ['order', 'cancel'] } },
    required: ['button'],
    additionalProperties: false,
  },
} as const

/** Babbles until the context is full. */
const endless: Partial<ProviderConfig> = {
  maxOutputTokens: CONTEXT - 200,
  extraBody: { ignore_eos: true, n_probs: 5 },
}

describe.each(formats)('llama-server in $format', (format) => {
  const config = (more: Partial<ProviderConfig> = {}) =>
    configOf(format, server.url, { seed: 1, ...more })

  test('replies with text and usage', async () => {
    const model = createProvider(config({ maxOutputTokens: 24 }))
    const turn = await collect(model.stream({ messages: [user('Hello')], tools: [] }))
    expect(turn.error).toBeUndefined()
    expect(turn.text).not.toBe('')
    expect(turn.usage.outputTokens).toBeGreaterThan(0)
    expect(turn.usage.inputTokens).toBeGreaterThan(0)
  })

  test.each(['required', 'auto'] as const)(
    'runs the tool that the model calls, and returns the result, with tool choice %s',
    async (toolChoice) => {
      const exchanges = recordExchanges()
      const clicked: unknown[] = []
      const agent = createTestAgent({
        model: config({ maxOutputTokens: 200, toolChoice }),
        storage: 'memory',
        tools: [
          defineTool({
            ...click,
            execute(input) {
              clicked.push(input)
              return 'It was clicked.'
            },
          }),
        ],
      })
      const run = agent.run('Click something', { maxSteps: 2 })
      const events: RunEvent[] = []
      for await (const event of run) events.push(event)
      const result = await run.result
      await agent.dispose()
      expect(result.outcome).toBe('max-steps')
      expect(clicked.length).toBeGreaterThan(0)
      for (const input of clicked) expect(['order', 'cancel']).toContain(Object(input).button)
      expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(clicked.length)
      expect(exchanges.map(({ status }) => status)).toEqual([200, 200])
      const [first, second] = exchanges
      expect(second?.body).toContain('It was clicked.')
      if (!('api' in format)) return
      const { input } = JSON.parse(second?.body ?? '') as { input: unknown[] }
      const output = outputOf((await first?.answer) ?? '')
      expect(output).not.toEqual([])
      expect(input.slice(1, 1 + output.length)).toEqual(output)
    },
  )

  test('never runs a call cut by the output limit, and says that it was cut', async () => {
    const ask = async (maxOutputTokens: number) => {
      const model = createProvider(config({ maxOutputTokens, toolChoice: 'required' }))
      return collect(model.stream({ messages: [user('Click')], tools: [click] }))
    }
    const whole = await ask(200)
    expect(whole.finishReason).toBe('tool-calls')
    const inputs = whole.toolCalls.map(({ input }) => input)
    const most = whole.usage.outputTokens ?? 0
    expect(most).toBeGreaterThan(20)
    for (let limit = most - 1; limit > 0; limit -= 5) {
      const cut = await ask(limit)
      expect(cut.finishReason, `${limit} of ${most} tokens`).toBe('length')
      for (const { input } of cut.toolCalls)
        expect([undefined, ...inputs], `${limit} of ${most} tokens`).toContainEqual(input)
      if (limit < most / 2) expect(cut.toolCalls.filter(({ input }) => input)).toEqual([])
    }
  })

  test('frees the slot on abort', async () => {
    const controller = new AbortController()
    const busy = await babble(controller.signal, () => server.busySlots())
    expect(busy).toBe(1)
    controller.abort()
    await expect.poll(() => server.busySlots(), { timeout: 5_000 }).toBe(0)
  })

  test('queues a request while every slot is busy, and aborts free all slots', async () => {
    const controllers = Array.from({ length: SLOTS }, () => new AbortController())
    await Promise.all(controllers.map(({ signal }) => babble(signal, () => Promise.resolve(0))))
    expect(await server.busySlots()).toBe(SLOTS)
    const waiting = collect(
      createProvider(config({ maxOutputTokens: 8 })).stream({
        messages: [user('Hello')],
        tools: [],
      }),
    )
    controllers[0]?.abort()
    const turn = await waiting
    expect(turn.error).toBeUndefined()
    expect(turn.usage.outputTokens).toBe(8)
    for (const controller of controllers) controller.abort()
    await expect.poll(() => server.busySlots(), { timeout: 5_000 }).toBe(0)
  })

  test('reports a too long request as context-overflow with its numbers', async () => {
    const model = createProvider(config())
    const long = 'order the button. '.repeat(CONTEXT)
    const turn = await collect(model.stream({ messages: [user(long)], tools: [] }))
    expect(turn.error).toMatchObject({
      code: 'context-overflow',
      retryable: false,
      details: { limits: { contextWindow: CONTEXT, promptTokens: expect.any(Number) } },
    })
    const limits = Object(turn.error?.details?.['limits']) as { promptTokens: number }
    expect(limits.promptTokens).toBeGreaterThan(long.length / 4)
  })

  /** Starts an endless answer, goes on reading it, and returns what `observe` sees at its first piece. */
  async function babble<T>(signal: AbortSignal, observe: () => Promise<T>): Promise<T> {
    const parts = createProvider(config(endless))
      .stream({ messages: [user('Hello')], tools: [] }, { signal })
      [Symbol.asyncIterator]()
    for (let part = await parts.next(); !part.done; part = await parts.next()) {
      if (part.value.type === 'error') throw new Error(part.value.error.message)
      if (part.value.type !== 'text-delta') continue
      const seen = await observe()
      void drain(parts)
      return seen
    }
    throw new Error('The answer ended without text.')
  }
})

async function drain(parts: AsyncIterator<unknown>): Promise<void> {
  while (!(await parts.next()).done);
}

/** The items of an answer in the format of the Responses API. */
function outputOf(answer: string): unknown[] {
  return answer.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {')) return []
    const { type, item } = JSON.parse(line.slice(6)) as { type: string; item?: unknown }
    return type === 'response.output_item.done' ? [item] : []
  })
}

describe('llama-server with a key', () => {
  const KEY = 'sk-llama-4711'
  let guarded: LlamaServer

  beforeAll(async () => {
    guarded = await startLlamaServer({ args: ['--api-key', KEY] })
  }, 60_000)

  afterAll(() => guarded.close())

  test.each(formats)('accepts the right key in $format', async (format) => {
    const model = createProvider(
      configOf(format, guarded.url, { apiKey: () => KEY, maxOutputTokens: 8 }),
    )
    const turn = await collect(model.stream({ messages: [user('Hello')], tools: [] }))
    expect(turn.error).toBeUndefined()
    expect(turn.text).not.toBe('')
  })

  test.each(formats)(
    'reports a wrong key as an authentication error in $format',
    async (format) => {
      const exchanges = recordExchanges()
      const model = createProvider(configOf(format, guarded.url, { apiKey: 'sk-wrong-0815' }))
      const turn = await collect(model.stream({ messages: [user('Hello')], tools: [] }))
      expect(turn.error).toMatchObject({ code: 'authentication', retryable: false })
      expect(JSON.stringify(turn.error)).not.toContain('0815')
      expect(exchanges).toHaveLength(1)
    },
  )
})
