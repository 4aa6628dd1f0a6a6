import { describe, expect, it, onTestFinished } from 'vitest'
import type { ModelConfig } from '../../../src/index.ts'
import { createTestAgent } from '../../../src/testing/index.ts'
import { chatStream, serve, type Reply } from '../doctor/small-server.ts'

/** Characters of a request that the servers of these tests take. */
const LIMIT = 6_000

const messageStream: Reply = {
  sse: [
    { type: 'message_start', message: { content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Noted.' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .join(''),
}
const chat: Reply = { sse: chatStream([{ content: 'Noted.' }]) }

interface Server {
  readonly provider: ModelConfig['provider']
  readonly answer: Reply
  readonly refusal: Reply
}

const error = (message: string, more: object = {}): object => ({ error: { message, ...more } })

// The words of each vendor, as in test/unit/providers/errors.test.ts.
const servers: readonly (readonly [string, Server])[] = [
  [
    'OpenAI',
    {
      provider: 'openai',
      answer: chat,
      refusal: {
        status: 400,
        json: error(
          "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
          { type: 'invalid_request_error', code: 'context_length_exceeded' },
        ),
      },
    },
  ],
  [
    'Anthropic',
    {
      provider: 'anthropic',
      answer: messageStream,
      refusal: {
        status: 400,
        json: {
          type: 'error',
          error: {
            type: 'invalid_request_error',
            message: 'prompt is too long: 210000 tokens > 200000 maximum',
          },
        },
      },
    },
  ],
  [
    'llama.cpp',
    {
      provider: 'llamacpp',
      answer: chat,
      refusal: {
        status: 400,
        json: error('the request exceeds the available context size, try increasing it', {
          code: 400,
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 8192,
        }),
      },
    },
  ],
  [
    'llama.cpp, within the stream',
    {
      provider: 'llamacpp',
      answer: chat,
      refusal: {
        sse: `error: ${JSON.stringify({
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        })}\n\n`,
      },
    },
  ],
  [
    'Ollama',
    {
      provider: 'ollama',
      answer: chat,
      refusal: {
        status: 400,
        json: error('prompt too long; exceeded max context length by 512 tokens', {
          type: 'invalid_request_error',
        }),
      },
    },
  ],
  [
    'vLLM',
    {
      provider: 'vllm',
      answer: chat,
      refusal: {
        status: 400,
        json: error(
          "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4488 in the messages, 512 in the completion). Please reduce the length of the messages or completion.",
          { type: 'BadRequestError', code: 400 },
        ),
      },
    },
  ],
  [
    'LM Studio',
    {
      provider: 'lmstudio',
      answer: chat,
      refusal: {
        status: 400,
        json: {
          error:
            'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
        },
      },
    },
  ],
]

describe('F11 a context overflow reported by a server', () => {
  it.each(servers)(
    'in the words of %s is compacted once',
    async (_, { provider, answer, refusal }) => {
      const sizes: number[] = []
      const { origin } = await serve(({ method, body }) => {
        if (method !== 'POST') return undefined
        sizes.push(JSON.stringify(body).length)
        return (sizes.at(-1) ?? 0) > LIMIT ? refusal : answer
      })
      const agent = createTestAgent({
        model: { provider, model: 'm', baseURL: origin },
        // Without requests for summaries.
        compaction: { policy: 'drop-oldest' },
      })
      onTestFinished(() => agent.dispose())
      let conversationId = agent.newConversationId()
      for (let at = 0; at < 6; at++) {
        const run = agent.run(`Note ${at}: ${'mug '.repeat(400)}`, { conversationId })
        conversationId = run.conversationId
        expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Noted.' })
      }
      const refused = sizes.filter((size) => size > LIMIT).length
      expect(refused).toBeGreaterThan(0)
      // Each refusal is followed by one request that fits.
      expect(sizes.length).toBe(6 + refused)
    },
  )
})

it('a window named by the server applies from then on', async () => {
  const sizes: number[] = []
  const refusal: Reply = {
    status: 400,
    json: error('the request exceeds the available context size', {
      code: 400,
      type: 'exceed_context_size_error',
      n_ctx: 5_000,
    }),
  }
  const { origin } = await serve(({ method, body }) => {
    if (method !== 'POST') return undefined
    sizes.push(JSON.stringify(body).length)
    return (sizes.at(-1) ?? 0) > LIMIT ? refusal : chat
  })
  const agent = createTestAgent({
    model: { provider: 'llamacpp', model: 'm', baseURL: origin },
    compaction: { policy: 'drop-oldest' },
  })
  onTestFinished(() => agent.dispose())
  const conversationId = agent.newConversationId()
  for (let at = 0; at < 12; at++) {
    const run = agent.run(`Note ${at}: ${'mug '.repeat(400)}`, { conversationId })
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Noted.' })
  }
  expect(sizes.filter((size) => size > LIMIT)).toHaveLength(1)
})
