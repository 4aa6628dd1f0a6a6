import { describe, expect, it, test } from 'vitest'
import type { ModelConfig } from '../../../src/index.ts'
import { promptApiDefinition } from '../../../src/engines/prompt-api/prompt-api-definition.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { webllmDefinition } from '../../../src/engines/webllm/webllm-definition.ts'
import { wllamaDefinition } from '../../../src/engines/wllama/wllama-definition.ts'
import { LanguageModel } from '../../fixtures/engines/language-model-stub.js'
import { MLCEngine } from '../../fixtures/engines/webllm-stub.js'
import { serve, type Reply } from '../doctor/small-server.ts'
import { all, ask, connect } from '../engines/support.ts'

const chat = [
  { choices: [{ index: 0, delta: { content: 'Hel' } }], own: 1 },
  { choices: [{ index: 0, delta: { content: 'lo' } }], own: 2 },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
]
const messages = [
  { type: 'message_start', message: { content: [], own: 1 } },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello' } },
  { type: 'a_new_thing', own: 2 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
]
const whole = { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] }

const sse = (chunks: readonly object[]): Reply => ({
  sse: chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(''),
})

async function rawOf(model: Partial<ModelConfig>, raw: boolean): Promise<unknown[]> {
  const agent = createTestAgent({ model: { provider: 'scripted', model: 'm', ...model }, raw })
  const data: unknown[] = []
  for await (const event of agent.run('Hello')) if (event.type === 'raw') data.push(event.data)
  await agent.dispose()
  return data
}

describe('raw: true', () => {
  test.each([
    ['a stream of Chat Completions', 'openai-compatible', sse(chat), chat],
    ['a stream of Messages', 'anthropic', sse(messages), messages],
    ['an answer that is no stream', 'openai-compatible', { json: whole }, [whole]],
  ])('reports each chunk of %s, with either transport', async (_, provider, reply, pieces) => {
    const { origin } = await serve(() => reply)
    for (const transport of ['worker', 'page'] as const) {
      const model = { provider, model: 'm', baseURL: origin, transport }
      expect(await rawOf(model, true)).toEqual(pieces)
      expect(await rawOf(model, false)).toEqual([])
    }
  })

  it('reports the chunks of a script', async () => {
    const script = { steps: [{ text: 'Hi' }] }
    expect(await rawOf({ script }, true)).toEqual([
      { type: 'text-delta', delta: 'Hi' },
      { text: 'Hi' },
    ])
    expect(await rawOf({ script }, false)).toEqual([])
  })

  it('reports the chunks of an engine', async () => {
    Object.assign(globalThis, { LanguageModel })
    class Wllama {
      loadModelFromUrl = async () => undefined
      exit = async () => undefined
      async createChatCompletion({ onData }: { onData(chunk: unknown): void }): Promise<void> {
        for (const chunk of chat) onData(chunk)
      }
    }
    const options = { wasmUrl: '', models: {}, load: {} }
    const definitions = [
      wllamaDefinition(options, async () => ({ Wllama })),
      webllmDefinition({}, async () => ({ MLCEngine })),
      promptApiDefinition({}),
    ]
    for (const definition of definitions) {
      const { connection } = connect(definition)
      const names: Record<string, string> = { webllm: 'Tiny-q4f16_1-MLC' }
      const model = names[definition.id] ?? 'https://models.test/m.gguf'
      const config = { provider: definition.id, model }
      const told = async (raw: boolean): Promise<number> => {
        const parts = await all(connection.stream({ ...ask('Hello'), raw }, config))
        expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: 'stop' })
        return parts.filter(({ type }) => type === 'raw').length
      }
      expect(await told(true)).toBeGreaterThan(1)
      expect(await told(false)).toBe(0)
    }
    Reflect.deleteProperty(globalThis, 'LanguageModel')
  })
})
