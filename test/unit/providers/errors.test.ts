import { describe, expect, test } from 'vitest'
import type { ErrorData } from '../../../src/protocol/error.ts'
import { collect } from '../../../src/providers/collect.ts'
import { retryDelay } from '../../../src/providers/core/retry.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import { askWeather, replay } from './support/replay.ts'

async function refusal(
  status: number,
  body: unknown,
  headers: { readonly [name: string]: string } = {},
): Promise<ErrorData> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const provider = createProvider({
    provider: 'openai-compatible',
    model: 'm',
    baseURL: 'https://x.example/v1',
  })
  const fetch = replay(text, { status, headers })
  const { error } = await collect(provider.stream(askWeather, { fetch }))
  if (!error) throw new Error('no error')
  return error
}

test.each([
  ['invalid api key', 'The endpoint answered 401: invalid api key.'],
  ['Is the api key invalid?', 'The endpoint answered 401: Is the api key invalid?'],
  ['', 'The endpoint answered 401: no message.'],
])('the server message %o ends before our advice begins', async (words, said) => {
  const { message } = await refusal(401, words)
  expect(message).toBe(`${said}\nCheck the apiKey of the model configuration.`)
})

const openai = (message: string, type: string, code: string | null = null) => ({
  error: { message, type, code, param: null },
})
const anthropic = (message: string, type: string) => ({ type: 'error', error: { type, message } })

// Words as vendors send them.
const cases: readonly (readonly [vendor: string, status: number, body: unknown, code: string])[] = [
  [
    'OpenAI key',
    401,
    openai('Incorrect API key provided: sk-12***34.', 'invalid_request_error', 'invalid_api_key'),
    'authentication',
  ],
  [
    'Gemini key',
    400,
    [
      {
        error: {
          code: 400,
          message: 'API key not valid. Please pass a valid API key.',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    'authentication',
  ],
  [
    'OpenAI region',
    403,
    openai(
      'Country, region, or territory not supported',
      'request_forbidden',
      'unsupported_country_region_territory',
    ),
    'permission-denied',
  ],
  [
    'Anthropic permission',
    403,
    anthropic('Your API key does not have permission', 'permission_error'),
    'permission-denied',
  ],
  [
    'OpenAI model',
    404,
    openai(
      'The model `gpt-9` does not exist or you do not have access to it.',
      'invalid_request_error',
      'model_not_found',
    ),
    'model-not-found',
  ],
  [
    'Ollama model',
    404,
    { error: { message: 'model "qwen9" not found, try pulling it first', type: 'api_error' } },
    'model-not-found',
  ],
  ['Anthropic model', 404, anthropic('model: claude-9', 'not_found_error'), 'model-not-found'],
  [
    'LM Studio without model',
    404,
    openai(
      'No models loaded. Please load a model in the developer page.',
      'invalid_request_error',
      'model_not_found',
    ),
    'model-not-found',
  ],
  ['a wrong path', 404, '404 page not found', 'bad-request'],
  ['a wrong path without words', 404, '', 'bad-request'],
  ['a wrong method without words', 405, '', 'bad-request'],
  [
    'Ollama tools (O28)',
    400,
    {
      error: {
        message: 'registry.ollama.ai/library/gemma:2b does not support tools',
        type: 'api_error',
      },
    },
    'tools-unsupported',
  ],
  [
    'OpenAI tools, while a model reasons (O28)',
    400,
    openai(
      "Function tools with reasoning_effort are not supported for gpt-5.6-luna in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
      'invalid_request_error',
    ),
    'tools-unsupported',
  ],
  [
    'OpenAI, of a model that always reasons (O28)',
    400,
    openai(
      "Unsupported value: 'reasoning_effort' does not support 'none' with this model. Supported values are: 'low', 'medium', 'high', and 'xhigh'.",
      'invalid_request_error',
      'unsupported_value',
    ),
    'bad-request',
  ],
  [
    'SambaNova tools',
    400,
    openai('function_call is not supported for this model', 'invalid_request_error'),
    'tools-unsupported',
  ],
  [
    'vLLM tools',
    400,
    {
      object: 'error',
      message:
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: 'BadRequestError',
      code: 400,
    },
    'tools-unsupported',
  ],
  [
    'llama.cpp tools',
    500,
    { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } },
    'tools-unsupported',
  ],
  [
    'llama.cpp schemas',
    400,
    {
      error: {
        code: 400,
        message:
          'JSON schema error at #/properties/a: cannot resolve $ref #/$defs/model, model not found',
        type: 'invalid_request_error',
      },
    },
    'bad-request',
  ],
  [
    'OpenRouter tools',
    404,
    { error: { message: 'No endpoints found that support tool use.', code: 404 } },
    'tools-unsupported',
  ],
  [
    'OpenAI overflow (T9)',
    400,
    openai(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
      'invalid_request_error',
      'context_length_exceeded',
    ),
    'context-overflow',
  ],
  [
    'a router’s overflow',
    400,
    openai(
      "This model's maximum context length is 1,048,576 tokens. However, you requested 1,048,925 tokens",
      'some_error',
    ),
    'context-overflow',
  ],
  [
    'Anthropic overflow',
    400,
    anthropic('prompt is too long: 210000 tokens > 200000 maximum', 'invalid_request_error'),
    'context-overflow',
  ],
  [
    'Anthropic limit',
    400,
    anthropic(
      'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
      'invalid_request_error',
    ),
    'context-overflow',
  ],
  [
    'llama.cpp overflow',
    400,
    {
      error: {
        code: 400,
        message: 'the request exceeds the available context size, try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5000,
        n_ctx: 2048,
      },
    },
    'context-overflow',
  ],
  [
    'LM Studio overflow',
    400,
    {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    },
    'context-overflow',
  ],
  [
    'MiniMax overflow',
    400,
    anthropic('invalid params, context window exceeds limit (2013)', 'invalid_request_error'),
    'context-overflow',
  ],
  [
    'xAI overflow',
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    },
    'context-overflow',
  ],
  [
    'llama.cpp without shifts overflow',
    500,
    openai('context shift is disabled', 'some_error'),
    'context-overflow',
  ],
  [
    'llama.cpp before 2025 overflow',
    500,
    openai(
      'Input prompt is too big compared to KV size. Please try increasing KV size.',
      'some_error',
    ),
    'context-overflow',
  ],
  [
    'vLLM overflow',
    400,
    openai(
      "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4488 in the messages, 512 in the completion). Please reduce the length of the messages or completion.",
      'BadRequestError',
    ),
    'context-overflow',
  ],
  [
    'Ollama overflow',
    400,
    openai('prompt too long; exceeded max context length by 512 tokens', 'invalid_request_error'),
    'context-overflow',
  ],
  [
    'vLLM decoder overflow',
    400,
    openai(
      'The decoder prompt (length 40000) is longer than the maximum model length of 32768.',
      'some_error',
    ),
    'context-overflow',
  ],
  [
    'LM Studio in the middle overflow',
    400,
    openai(
      'Reached context length of 4096 tokens with model (arch: llama) that does not support mid-generation context overflow.',
      'some_error',
    ),
    'context-overflow',
  ],
  [
    'Gemini overflow',
    400,
    openai(
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      'some_error',
    ),
    'context-overflow',
  ],
  [
    'Together overflow',
    422,
    openai(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193.',
      'some_error',
    ),
    'context-overflow',
  ],
  [
    'TGI overflow',
    422,
    openai(
      'Input validation error: `inputs` must have less than 4095 tokens. Given: 5000',
      'some_error',
    ),
    'context-overflow',
  ],
  [
    'Cohere overflow',
    400,
    openai('too many tokens: the prompt cannot exceed 128000', 'some_error'),
    'context-overflow',
  ],
  [
    'DashScope overflow',
    400,
    openai('InvalidParameter: Range of input length should be [1, 129024]', 'some_error'),
    'context-overflow',
  ],
  ['Zhipu overflow', 400, openai('Prompt exceeds max length', 'some_error'), 'context-overflow'],
  [
    'Moonshot overflow',
    400,
    openai('Invalid request: Your request exceeded model token limit: 131072', 'some_error'),
    'context-overflow',
  ],
  [
    'Groq overflow of a limit per minute',
    413,
    openai(
      'Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 9000',
      'tokens',
      'rate_limit_exceeded',
    ),
    'context-overflow',
  ],
  [
    'Groq overflow',
    413,
    openai(
      'Please reduce the length of the messages or completion.',
      'invalid_request_error',
      'context_length_exceeded',
    ),
    'context-overflow',
  ],
  [
    'OpenAI rate',
    429,
    openai(
      'Rate limit reached for gpt on tokens per min (TPM): Limit 200000. Visit https://platform.openai.com/account/billing to add a payment method.',
      'tokens',
      'rate_limit_exceeded',
    ),
    'rate-limited',
  ],
  [
    'Anthropic rate',
    429,
    anthropic(
      "This request would exceed your organization's rate limit of 50,000 input tokens per minute.",
      'rate_limit_error',
    ),
    'rate-limited',
  ],
  [
    'Gemini per minute',
    429,
    [
      {
        error: {
          code: 429,
          message: 'You exceeded your current quota. Please retry in 34.2s.',
          status: 'RESOURCE_EXHAUSTED',
        },
      },
    ],
    'rate-limited',
  ],
  ['a bare 429', 429, '', 'rate-limited'],
  [
    'OpenAI quota (T2)',
    429,
    openai(
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
      'insufficient_quota',
    ),
    'quota-exceeded',
  ],
  [
    'Anthropic credit (T2)',
    400,
    anthropic(
      'Your credit balance is too low to access the Anthropic API.',
      'invalid_request_error',
    ),
    'quota-exceeded',
  ],
  [
    'DeepSeek balance (T2)',
    402,
    openai('Insufficient Balance', 'unknown_error', 'invalid_request_error'),
    'quota-exceeded',
  ],
  ['Anthropic overload', 529, anthropic('Overloaded', 'overloaded_error'), 'overloaded'],
  [
    'llama.cpp loading',
    503,
    { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } },
    'overloaded',
  ],
  [
    'a bad gateway',
    502,
    '<html><head><title>502 Bad Gateway</title></head></html>',
    'server-error',
  ],
  [
    'a failure of its own',
    500,
    'context deadline exceeded; billing service: model not found',
    'server-error',
  ],
  ['a timeout', 408, 'Request Timeout', 'timeout'],
  ['a conflict', 409, '', 'server-error'],
  ['too early', 425, '', 'server-error'],
  [
    'a field too much',
    400,
    openai('Unrecognized request argument supplied: foo', 'invalid_request_error'),
    'bad-request',
  ],
  [
    'a bad body',
    422,
    { detail: [{ loc: ['body', 'messages'], msg: 'field required' }] },
    'bad-request',
  ],
]

test.each(cases)('%s: %i', async (_, status, body, code) => {
  const error = await refusal(status, body)
  expect(error.code).toBe(code)
  expect(error.details?.['status']).toBe(status)
  const retried = ['rate-limited', 'overloaded', 'server-error', 'timeout'].includes(code)
  expect(error.retryable).toBe(retried)
})

test("an error carries the provider's message, its limits and the retry time", async () => {
  const error = await refusal(429, openai('Slow down, please', 'requests', 'rate_limit_exceeded'), {
    'retry-after': '2',
    'x-ratelimit-remaining-requests': '0',
  })
  expect(error.message).toContain('Slow down, please')
  expect(error.details).toMatchObject({
    retryAfterMs: 2000,
    limits: { 'x-ratelimit-remaining-requests': '0' },
  })
})

test.each([
  ['llama.cpp overflow', { contextWindow: 2048, promptTokens: 5000 }],
  ['OpenAI overflow (T9)', { contextWindow: 8192 }],
  ['a router’s overflow', { contextWindow: 1_048_576 }],
])('a context overflow reports the window if the server does: %s', async (vendor, limits) => {
  const error = await refusal(400, cases.find(([name]) => name === vendor)?.[2])
  expect(error.details?.['limits']).toEqual(limits)
})

test('F9 both forms of Retry-After and retry-after-ms are read (T1)', async () => {
  const wait = async (headers: { readonly [name: string]: string }) =>
    (await refusal(503, '', headers)).details?.['retryAfterMs']
  expect(await wait({ 'retry-after': '1.5' })).toBe(1500)
  expect(await wait({ 'retry-after-ms': '250', 'retry-after': '9' })).toBe(250)
  const date = new Date(Date.now() + 10_000).toUTCString()
  expect(await wait({ 'retry-after': date })).toBeGreaterThan(8_000)
  expect(await wait({ 'retry-after-ms': '', 'retry-after': '9' })).toBe(9000)
  expect(await wait({ 'retry-after-ms': 'Infinity' })).toBeUndefined()
  expect(await wait({ 'retry-after': 'soon' })).toBeUndefined()
  expect(await wait({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' })).toBe(0)
})

describe('retryDelay', () => {
  const error = (details?: ErrorData['details']): ErrorData => ({
    code: 'overloaded',
    message: '',
    retryable: true,
    ...(details && { details }),
  })

  test('F9 backs off with jitter between half and the whole delay', () => {
    expect([1, 2, 3].map((retry) => retryDelay(error(), retry, { random: () => 0 }))).toEqual([
      250, 500, 1000,
    ])
    expect([1, 2, 3].map((retry) => retryDelay(error(), retry, { random: () => 1 }))).toEqual([
      500, 1000, 2000,
    ])
    expect(retryDelay(error(), 9, { policy: { maxRetries: 20 }, random: () => 1 })).toBe(30_000)
  })

  test('returns null after the last retry, and at once for permanent errors', () => {
    expect(retryDelay(error(), 4)).toBeNull()
    expect(retryDelay(error(), 1, { policy: { maxRetries: 0 } })).toBeNull()
    expect(retryDelay({ ...error(), retryable: false }, 1)).toBeNull()
  })

  test("waits at least as long as the server asks, within the policy's limit", () => {
    expect(retryDelay(error({ retryAfterMs: 5000 }), 1, { random: () => 0 })).toBe(5000)
    expect(retryDelay(error({ retryAfterMs: 5000 }), 1, { random: () => 1 })).toBe(5500)
    expect(retryDelay(error({ retryAfterMs: 29_900 }), 3, { random: () => 1 })).toBe(30_000)
    expect(retryDelay(error({ retryAfterMs: 60_000 }), 1)).toBeNull()
  })
})
