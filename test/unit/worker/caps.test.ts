import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../src/index.ts'
import type { StreamPart } from '../../../src/protocol/message.ts'
import type { TurnCaps } from '../../../src/protocol/model.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import type { StreamProviderDefinition } from '../../../src/providers/provider.ts'
import { streamFrom } from '../stream-from.ts'

interface Flood {
  readonly agent: Agent
  readonly ran: () => number
  readonly taken: () => number
  readonly isClosed: () => boolean
}

/** A model whose first turn doesn't end by itself, and whose next one is in order. */
function flood(parts: (n: number) => StreamPart[], caps: TurnCaps): Flood {
  let turns = 0
  let ran = 0
  let taken = 0
  let closed = false
  const provider: StreamProviderDefinition = {
    id: 'flood',
    async *stream() {
      if (++turns > 1) {
        yield [
          { type: 'text-delta', delta: 'fine' },
          { type: 'finish', finishReason: 'stop' },
        ]
        return
      }
      try {
        for (let n = 0; n < 100_000; n++) {
          taken++
          yield parts(n)
        }
        yield [{ type: 'finish', finishReason: 'stop' }]
      } finally {
        closed = true
      }
    },
  }
  const agent = createTestAgent({
    providers: [provider],
    model: { provider: 'flood', model: 'flood', caps },
    tools: [{ name: 'touch', description: 'Touches.', execute: () => void ran++ }],
  })
  return { agent, ran: () => ran, taken: () => taken, isClosed: () => closed }
}

const call = (n: number): StreamPart => ({
  type: 'tool-call',
  toolCallId: `c${n}`,
  toolName: 'touch',
  input: {},
})

describe('a Chat Completions turn', () => {
  it('ends early when it starts endless calls without naming them', async () => {
    let sent = 0
    const baseURL = 'https://model.example/v1'
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        async pull(controller) {
          await new Promise((resolve) => setTimeout(resolve, 0))
          const begun = { index: sent, id: `c${sent}`, function: { arguments: '' } }
          const chunk = { choices: [{ index: 0, delta: { tool_calls: [begun] } }] }
          controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`))
          if (++sent === 20_000) controller.close()
        },
      })
    streamFrom(baseURL, body)
    const agent = createTestAgent({
      model: { provider: 'openai-compatible', model: 'm', baseURL },
      tools: [{ name: 'touch', description: 'Touches.', execute: () => 1 }],
    })
    const result = await agent.run('go').result
    expect(result.outcome === 'failed' && result.error.code).toBe('response-too-large')
    expect(sent).toBeLessThan(20_000)
    await agent.dispose()
  })
})

const words = 'x'.repeat(100)
const inChat = (delta: object): object => ({ choices: [{ index: 0, delta }] })
const inBlock = (delta: object): object => ({ type: 'content_block_delta', index: 0, delta })
const opened = (block: object): object => ({
  type: 'content_block_start',
  index: 0,
  content_block: block,
})

describe('hidden output that a server streams', () => {
  it.each<[string, 'anthropic' | 'openai' | 'openai-compatible', object, (n: number) => object]>([
    [
      'a signature',
      'anthropic',
      opened({ type: 'thinking', thinking: '' }),
      () => inBlock({ type: 'signature_delta', signature: words }),
    ],
    [
      'citations',
      'anthropic',
      opened({ type: 'text', text: '' }),
      () => inBlock({ type: 'citations_delta', citation: { encrypted_index: words } }),
    ],
    [
      'a compaction',
      'anthropic',
      opened({ type: 'compaction' }),
      () => inBlock({ type: 'compaction_delta', encrypted_content: words }),
    ],
    [
      'redacted thinking',
      'anthropic',
      { type: 'message_start', message: { id: 'm' } },
      (n) => ({ ...opened({ type: 'redacted_thinking', data: words }), index: n }),
    ],
    [
      'the input of a tool at the vendor',
      'anthropic',
      opened({ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      () => inBlock({ type: 'input_json_delta', partial_json: words }),
    ],
    [
      'encrypted reasoning',
      'openai-compatible',
      inChat({ role: 'assistant', content: '' }),
      () => inChat({ reasoning_details: [{ type: 'encrypted', index: 0, data: words }] }),
    ],
    [
      'ever new fields of reasoning',
      'openai-compatible',
      inChat({ role: 'assistant', content: '' }),
      (n) => inChat({ reasoning_details: [{ type: 'x', index: 0, [`f${n}`]: words }] }),
    ],
    [
      'references in thinking',
      'openai-compatible',
      inChat({ role: 'assistant', content: '' }),
      () => inChat({ content: [{ type: 'thinking', thinking: [{ reference_ids: [words] }] }] }),
    ],
    [
      'fields beside a call',
      'openai-compatible',
      inChat({ role: 'assistant', content: '' }),
      () => inChat({ tool_calls: [{ index: 0, id: 'a', extra_content: { google: words } }] }),
    ],
    [
      'arguments of a call without a name',
      'openai-compatible',
      inChat({ role: 'assistant', content: '' }),
      () => inChat({ tool_calls: [{ index: 0, id: 'a', function: { arguments: words } }] }),
    ],
    [
      'arguments of a block without a name',
      'anthropic',
      opened({ type: 'tool_use', id: 'a' }),
      () => inBlock({ type: 'input_json_delta', partial_json: words }),
    ],
    [
      'a name again and again',
      'openai-compatible',
      inChat({ role: 'assistant', content: '' }),
      () => inChat({ tool_calls: [{ index: 0, id: 'a', function: { name: words } }] }),
    ],
    [
      'a call in pieces that hold nothing',
      'openai-compatible',
      inChat({ tool_calls: [{ index: 0, id: words, function: { name: 'touch' } }] }),
      () => inChat({ tool_calls: [{ index: 0, id: words, function: { arguments: '' } }] }),
    ],
    [
      'items without text',
      'openai',
      { type: 'response.created' },
      (n) => ({
        type: 'response.output_item.added',
        output_index: n,
        item: { type: 'reasoning', id: `rs_${n}`, encrypted_content: words },
      }),
    ],
    [
      'parts without text',
      'openai',
      { type: 'response.created' },
      (n) => ({
        type: 'response.content_part.done',
        item_id: 'msg_1',
        content_index: n,
        part: { type: 'other', data: words },
      }),
    ],
  ])('%s ends with its cap', async (_, provider, first, next) => {
    let sent = 0
    const body = (): ReadableStream<Uint8Array> =>
      new ReadableStream({
        pull(controller) {
          const event = sent === 0 ? first : next(sent)
          controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`))
          if (++sent === 1_000) controller.close()
        },
      })
    const baseURL = 'https://model.example/v1'
    streamFrom(baseURL, body)
    const agent = createTestAgent({
      model: {
        provider,
        model: 'm',
        baseURL,
        caps: { metadata: 2_000 },
        ...(provider === 'openai' && { api: 'responses' }),
      },
    })
    expect(await agent.run('go').result).toMatchObject({
      outcome: 'failed',
      error: { code: 'response-too-large', retryable: false, details: { cap: 'metadata' } },
    })
    expect(sent).toBeLessThan(40)
    await agent.dispose()
  })
})

describe('an endless model turn', () => {
  it.each<[string, (n: number) => StreamPart[], TurnCaps]>([
    ['text', () => [{ type: 'text-delta', delta: 'x'.repeat(100) }], { text: 1000 }],
    ['reasoning', () => [{ type: 'reasoning-delta', delta: 'x'.repeat(100) }], { reasoning: 1000 }],
    [
      'arguments',
      (n) =>
        n === 0
          ? [{ type: 'tool-input-start', toolCallId: 'a', toolName: 'touch' }]
          : [{ type: 'tool-input-delta', toolCallId: 'a', delta: 'x'.repeat(100) }],
      { arguments: 1000 },
    ],
    ['calls', (n) => [call(n)], {}],
  ])(
    'is cut at the cap of its %s, runs nothing, and the next turn works',
    async (cap, part, caps) => {
      const { agent, ran, taken, isClosed } = flood(part, caps)
      const run = agent.run('go')
      expect(await run.result).toMatchObject({
        outcome: 'failed',
        text: '',
        error: { code: 'response-too-large', retryable: false, details: { cap } },
      })
      expect(taken()).toBeLessThan(100)
      expect(isClosed()).toBe(true)
      expect(ran()).toBe(0)
      const { conversationId } = run
      expect(await agent.run('again', { conversationId }).result).toMatchObject({
        outcome: 'completed',
        text: 'fine',
      })
      await agent.dispose()
    },
  )

  it('allows exactly 64 calls, also in ACTION mode', async () => {
    const block = (count: number): string => `<ACTION>${'<touch/>'.repeat(count)}</ACTION>`
    for (const count of [64, 65]) {
      let ran = 0
      const agent = createTestAgent({
        model: {
          provider: 'scripted',
          model: 'scripted',
          toolMode: 'action',
          script: { steps: [{ text: block(count) }, { text: 'done' }] },
        },
        tools: [{ name: 'touch', description: 'Touches.', execute: () => void ran++ }],
      })
      expect((await agent.run('go').result).outcome).toBe(count === 64 ? 'completed' : 'failed')
      expect(ran).toBe(count === 64 ? 64 : 0)
      await agent.dispose()
    }
  })
})
