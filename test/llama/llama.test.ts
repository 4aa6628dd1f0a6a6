import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { defineTool, type ModelConfig, type RunEvent } from '../../src/index.ts'
import { collect, createProvider, type ProviderConfig } from '../../src/providers/index.ts'
import type { Message } from '../../src/protocol/message.ts'
import { createTestAgent } from '../../src/testing/index.ts'
import { CONTEXT, startLlamaServer, type LlamaServer } from './llama-server.ts'

let server: LlamaServer

beforeAll(async () => {
  server = await startLlamaServer()
}, 60_000)

afterAll(() => server.close())

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

const formats = [
  { format: 'OpenAI’s format', provider: 'llamacpp', path: '/v1' },
  { format: 'Anthropic’s format', provider: 'anthropic', path: '' },
] as const

describe.each(formats)('llama-server in $format', ({ provider, path }) => {
  const config = (more: Partial<ProviderConfig> = {}): ProviderConfig & ModelConfig => ({
    provider,
    model: 'tiny',
    baseURL: server.url + path,
    apiKey: 'none',
    temperature: 0,
    ...more,
    seed: 1,
  })

  test('a reply with its usage', async () => {
    const model = createProvider(config({ maxOutputTokens: 24 }))
    const turn = await collect(model.stream({ messages: [user('Hello')], tools: [] }))
    expect(turn.error).toBeUndefined()
    expect(turn.text).not.toBe('')
    expect(turn.usage.outputTokens).toBeGreaterThan(0)
    expect(turn.usage.inputTokens).toBeGreaterThan(0)
  })

  test('the loop runs the tool that the model calls, and hands the result back', async () => {
    const clicked: unknown[] = []
    const agent = createTestAgent({
      model: config({ maxOutputTokens: 200, toolChoice: 'required' }),
      storage: 'memory',
      tools: [
        defineTool({
          ...click,
          execute(input) {
            clicked.push(input)
            return 'done'
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
  })

  test('an abort frees the slot', async () => {
    const controller = new AbortController()
    const model = createProvider(
      config({ maxOutputTokens: CONTEXT - 200, extraBody: { ignore_eos: true, n_probs: 5 } }),
    )
    let wasBusy = false
    const parts = model.stream(
      { messages: [user('Hello')], tools: [] },
      { signal: controller.signal },
    )
    for await (const part of parts) {
      if (part.type !== 'text-delta' || controller.signal.aborted) continue
      wasBusy = await server.isBusy()
      controller.abort()
    }
    expect(wasBusy).toBe(true)
    await expect.poll(() => server.isBusy(), { timeout: 5_000 }).toBe(false)
  })

  test('a request that is too long is told as such', async () => {
    const model = createProvider(config())
    const long = 'order the button. '.repeat(CONTEXT)
    const turn = await collect(model.stream({ messages: [user(long)], tools: [] }))
    expect(turn.error).toMatchObject({ code: 'context-overflow', retryable: false })
  })
})
