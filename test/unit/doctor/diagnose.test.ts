import { expect, test } from 'vitest'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { defineProvider } from '../../../src/providers/registry.ts'
import { diagnose } from '../../../src/providers/doctor/diagnose.ts'
import type { Check, CheckName, Diagnosis } from '../../../src/providers/doctor/examination.ts'
import { chatRoute, serve, type Route } from './small-server.ts'

const KEY = 'sk-canary-0123456789'

function check(report: Diagnosis, name: CheckName): Check {
  const found = report.checks.find((entry) => entry.name === name)
  if (!found) throw new Error(`No check ${name}`)
  return found
}

/** Name and status of every check that is neither ok nor skipped. */
function troubles(report: Diagnosis): string[] {
  return report.checks
    .filter(({ status }) => status === 'failed' || status === 'warning')
    .map(({ name, status }) => `${name} ${status}`)
}

async function configFor(route: Route, more: Partial<ProviderConfig> = {}) {
  const { origin, asked } = await serve(route)
  const config = { provider: 'vllm', model: 'm', baseURL: `${origin}/v1`, ...more }
  return { config, asked, origin }
}

test('a good endpoint passes all checks', async () => {
  const { config, asked } = await configFor(chatRoute(['m', 'n']), { apiKey: KEY })
  const report = await diagnose(config)
  expect(report.ok).toBe(true)
  expect(troubles(report)).toEqual([])
  expect(report.models).toEqual(['m', 'n'])
  for (const name of ['configuration', 'server', 'path', 'model', 'streaming', 'tools'] as const)
    expect(check(report, name).status, name).toBe('ok')
  for (const name of ['cors', 'mixed-content', 'local-network'] as const)
    expect(check(report, name).status, name).toBe('skipped')
  // Small: one call, and no conversation is run twice.
  const runs = asked.filter(({ body }) => Array.isArray(body['messages']))
  expect(runs).toHaveLength(1)
  expect(runs[0]?.body).toMatchObject({ max_tokens: 1_024, stream: true })
  expect(runs[0]?.body).not.toHaveProperty('tool_choice')
})

test.each([
  ['/v1/chat/completions', 'responses', "Set api: 'chat'"],
  ['/v1/responses', 'chat', "Set api: 'responses'"],
] as const)(
  'a server that has only %s gets advice when configured for %s',
  async (served, api, fix) => {
    const route: Route = ({ path }) =>
      path === served
        ? { status: 400, json: { error: { message: 'messages is required' } } }
        : { status: 404, json: { error: { message: 'Not found' } } }
    const { config } = await configFor(route, { api })
    expect(check(await diagnose(config), 'path').fix).toBe(fix)
  },
)

test('the path check names the wire format that answers there', async () => {
  const { config } = await configFor(chatRoute(['m']))
  expect(check(await diagnose(config, { probe: false }), 'path').message).toBe(
    'A model endpoint answers there, in Chat Completions.',
  )
})

test('without a probe, no request goes to a model', async () => {
  const { config, asked } = await configFor(chatRoute(['m']))
  const report = await diagnose(config, { probe: false })
  expect(report.ok).toBe(true)
  expect(check(report, 'model')).toMatchObject({ status: 'ok' })
  expect(check(report, 'tools')).toMatchObject({ status: 'skipped' })
  expect(asked.some(({ body }) => Array.isArray(body['messages']))).toBe(false)
})

test('a server that is not running is reported, with the way to start it', async () => {
  const config = { provider: 'ollama', model: 'm', baseURL: 'http://127.0.0.1:9/v1' }
  const report = await diagnose(config)
  expect(report.ok).toBe(false)
  expect(troubles(report)).toEqual(['server failed'])
  expect(check(report, 'server').fix).toContain('ollama serve')
})

test('a server that never answers fails in time', async () => {
  const config = { provider: 'vllm', model: 'm' }
  const report = await diagnose(config, { fetch: () => new Promise(() => {}), timeoutMs: 20 })
  expect(check(report, 'server')).toMatchObject({ status: 'failed' })
  expect(check(report, 'server').message).toMatch(/in time/)
})

test('a base URL without its /v1 is reported, with the right one', async () => {
  const { origin } = await serve(chatRoute(['m']))
  const report = await diagnose({ provider: 'openai-compatible', model: 'm', baseURL: origin })
  expect(troubles(report)).toEqual(['path failed'])
  expect(check(report, 'path').fix).toBe(`Set baseURL: '${origin}/v1'`)
  expect(report.models).toEqual(['m'])
})

test.each([
  ['/api', '/v1'],
  ['/v1/chat', '/v1'],
  ['/v1', '/openai/v1'],
  ['/v1', '/api/v1'],
])('configured %s, served at %s: the right baseURL is named', async (configured, served) => {
  const { origin } = await serve(chatRoute(['m'], { base: served }))
  const baseURL = origin + configured
  const report = await diagnose({ provider: 'openai-compatible', model: 'm', baseURL })
  expect(check(report, 'path').fix).toBe(`Set baseURL: '${origin}${served}'`)
})

test('LM Studio’s 200 for a wrong path is recognised as an error', async () => {
  const route = chatRoute(['m'])
  const { origin } = await serve(
    (asked) =>
      route(asked) ?? {
        json: { error: `Unexpected endpoint or method. (${asked.method} ${asked.path})` },
      },
  )
  const config = { provider: 'openai-compatible', model: 'm', baseURL: origin }
  const report = await diagnose(config)
  expect(troubles(report)).toEqual(['path failed'])
  expect(check(report, 'path').fix).toBe(`Set baseURL: '${origin}/v1'`)
  const messages = [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }] as const
  const turn = await collect(createProvider(config).stream({ messages, tools: [] }))
  expect(turn.error?.message).toMatch(/Unexpected endpoint.*\n.*path of the baseURL/)
})

type Stuck = () => Promise<Response>
const closes: Stuck = () => Promise.reject(new TypeError('fetch failed'))
const hangs: Stuck = () => new Promise(() => {})

/** A server that gives requests that aren't a conversation no answer. */
const stuckAt =
  (stuck: Stuck, isStuck = (body: string): boolean => body.includes('"messages":0')) =>
  (url: string | URL | Request, init?: RequestInit): Promise<Response> =>
    init?.method === 'POST' && isStuck(String(init.body)) ? stuck() : fetch(url, init)

test.each([
  ['closes the connection', closes],
  ['hangs', hangs],
])('a server that %s at the empty request, but answers the real one, passes', async (_, stuck) => {
  const { config, asked } = await configFor(chatRoute(['m']))
  // Ten times what a busy machine takes for the other requests.
  const options = { fetch: stuckAt(stuck), timeoutMs: 5000 }
  const report = await diagnose(config, options)
  expect(troubles(report)).toEqual([])
  for (const name of ['server', 'path', 'model', 'answer', 'tools'] as const)
    expect(check(report, name).status, name).toBe('ok')
  expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('a server that answers neither request, but lists its models, is reported as running', async () => {
  const { config } = await configFor(chatRoute(['m']))
  const all = await diagnose(config, { fetch: stuckAt(closes, () => true) })
  const unasked = await diagnose(config, { fetch: stuckAt(closes), probe: false })
  for (const report of [all, unasked]) {
    expect(troubles(report)).toEqual(['path failed'])
    expect(check(report, 'server').status).toBe('ok')
    expect(check(report, 'path').message).toMatch(/lists its models.*no answer \(fetch failed\)/)
    expect(report.models).toEqual(['m'])
  }
})

test('an Anthropic endpoint below another path is found', async () => {
  const { origin } = await serve(({ path }) =>
    path === '/anthropic/v1/messages'
      ? { status: 400, json: { type: 'error', error: { type: 'invalid_request_error' } } }
      : undefined,
  )
  const report = await diagnose({ provider: 'anthropic', model: 'm', baseURL: origin })
  expect(check(report, 'path').fix).toBe(`Set baseURL: '${origin}/anthropic'`)
})

test('a web page or redirect in place of an endpoint is reported', async () => {
  const page = await configFor(() => ({ html: '<h1>Welcome</h1>' }))
  expect(check(await diagnose(page.config), 'path').message).toMatch(/web page/)
  const moved = await configFor(() => ({ status: 308, headers: { location: '/elsewhere' } }))
  expect(check(await diagnose(moved.config), 'path').message).toMatch(/redirects/)
})

test('a refused key is reported, and no report repeats it', async () => {
  const { config } = await configFor(
    ({ headers }) => ({
      status: 401,
      json: { error: { message: `Incorrect API key provided: ${headers.authorization}` } },
    }),
    { apiKey: KEY, headers: { 'x-team': 'team-secret-value' } },
  )
  const report = await diagnose(config)
  expect(troubles(report)).toEqual(['authentication failed'])
  expect(check(report, 'authentication').message).toContain('Incorrect API key')
  expect(JSON.stringify(report)).not.toContain(KEY)
  expect(troubles(await diagnose(config, { probe: false }))).toEqual(['authentication failed'])
})

test('a key function is called again after a 401', async () => {
  const good = chatRoute(['m'])
  const { config } = await configFor((asked) =>
    asked.headers.authorization === 'Bearer fresh-key'
      ? good(asked)
      : { status: 401, json: { error: { message: 'expired token' } } },
  )
  const apiKey: ProviderConfig['apiKey'] = ({ previousRejected }) =>
    previousRejected ? 'fresh-key' : 'stale-key'
  const report = await diagnose({ ...config, apiKey })
  expect(report.ok).toBe(true)
})

test('a failing key function is reported as failed authentication', async () => {
  const { config } = await configFor(chatRoute(['m']))
  const apiKey = (): never => {
    throw new Error('signed out')
  }
  const report = await diagnose({ ...config, apiKey })
  expect(troubles(report)).toEqual(['authentication failed'])
})

test('a missing model is reported, with the available ones', async () => {
  const { config } = await configFor(chatRoute(['a', 'b']), { model: 'zeta' })
  for (const probe of [true, false]) {
    const report = await diagnose(config, { probe })
    expect(troubles(report)).toEqual(['model failed'])
    expect(check(report, 'model').message).toContain('Models: a, b.')
    expect(report.models).toEqual(['a', 'b'])
  }
})

test('names in Ollama’s list match without a tag', async () => {
  const inner = chatRoute(['qwen3'])
  const { config } = await configFor(
    (asked) => {
      if (asked.path === '/v1/models') return undefined
      if (asked.path === '/api/tags') return { json: { models: [{ name: 'qwen3:latest' }] } }
      return inner(asked)
    },
    { provider: 'ollama', model: 'qwen3' },
  )
  const report = await diagnose(config)
  expect(report).toMatchObject({ ok: true, models: ['qwen3:latest'] })
  expect(troubles(report)).toEqual([])
  const missing = await diagnose({ ...config, model: 'llama3.2' }, { probe: false })
  expect(check(missing, 'model').fix).toBe('Run: ollama pull llama3.2')
})

test('a server that answers to any model name causes a warning', async () => {
  const inner = chatRoute(['gguf'])
  const { config } = await configFor(
    (asked) => inner({ ...asked, body: { ...asked.body, model: 'gguf' } }),
    { provider: 'llamacpp', model: 'whatever' },
  )
  expect(troubles(await diagnose(config))).toEqual(['model warning'])
  expect(troubles(await diagnose(config, { probe: false }))).toEqual(['model warning'])
})

test('a missing model configuration is reported, with the available models', async () => {
  const { config } = await configFor(chatRoute(['a']), { model: '' })
  const report = await diagnose(config, { probe: false })
  expect(check(report, 'model').message).toBe('No model is configured. Models: a.')
})

test('streaming that is refused, ignored or cut is reported', async () => {
  const inner = chatRoute(['m'])
  const answering =
    (reply: ReturnType<Route>): Route =>
    (asked) =>
      Array.isArray(asked.body['messages']) ? reply : inner(asked)
  const refused = await configFor(
    answering({ status: 400, json: { error: { message: 'stream=true is not allowed' } } }),
  )
  expect(troubles(await diagnose(refused.config))).toEqual(['streaming failed'])
  const call = {
    id: 'c',
    type: 'function',
    function: { name: 'report_number', arguments: '{"value":7}' },
  }
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  const ignored = await configFor(
    answering({ json: { choices: [{ message, finish_reason: 'tool_calls' }] } }),
  )
  expect(troubles(await diagnose(ignored.config))).toEqual(['streaming warning'])
  const cut = await configFor(
    answering({ sse: 'data: {"choices":[{"delta":{"content":"O"}}]}\n\n' }),
  )
  expect(troubles(await diagnose(cut.config))).toEqual(['streaming failed'])
})

test('an account without credit fails, and a busy server is a warning', async () => {
  const inner = chatRoute(['m'])
  const answering =
    (status: number, text: string): Route =>
    (asked) =>
      Array.isArray(asked.body['messages'])
        ? { status, json: { error: { message: text } } }
        : inner(asked)
  const poor = await configFor(answering(429, 'You exceeded your current quota'))
  expect(troubles(await diagnose(poor.config))).toEqual(['answer failed'])
  const busy = await configFor(answering(503, 'Loading model'))
  expect(troubles(await diagnose(busy.config))).toEqual(['answer warning'])
})

test('LocalAI’s 403 to keyless pages of other sites is explained', async () => {
  const { config } = await configFor(() => ({ status: 403, json: { message: 'forbidden' } }), {
    provider: 'localai',
  })
  const report = await diagnose(config, { probe: false })
  expect(check(report, 'authentication').fix).toContain('--disable-csrf')
})

test('invalid configurations are reported', async () => {
  for (const config of [
    { provider: 'nobody', model: 'm' },
    { provider: 'openai-compatible', model: 'm' },
    { provider: 'vllm', model: 'm', baseURL: 'no url' },
    { provider: 'openai-compatible', model: 'm', baseURL: 'localhost:1234/v1' },
    { provider: 'openai-compatible', model: 'm', baseURL: 'ftp://127.0.0.1/v1' },
    { provider: 'anthropic' },
  ]) {
    const report = await diagnose(config)
    expect(troubles(report), JSON.stringify(config)).toEqual(['configuration failed'])
  }
})

test('providers without an endpoint are diagnosed', async () => {
  expect((await diagnose({ provider: 'scripted', model: 'x' })).ok).toBe(true)
  expect((await diagnose({ provider: 'wllama', model: 'x' })).ok).toBe(true)
  expect(troubles(await diagnose({ provider: 'webllm', model: 'x' }))).toEqual([
    'configuration failed',
  ])
  expect(troubles(await diagnose({ provider: 'prompt-api', model: 'x' }))).toEqual(['model failed'])
  const own = defineProvider({
    id: 'own',
    async *stream() {
      yield [{ type: 'finish', finishReason: 'stop' }]
    },
  })
  expect((await diagnose({ provider: 'own', model: 'x' }, { providers: [own] })).ok).toBe(true)
})

test('only an abort rejects', async () => {
  const controller = new AbortController()
  const hanging = diagnose(
    { provider: 'vllm', model: 'm' },
    { fetch: () => new Promise(() => {}), signal: controller.signal },
  )
  controller.abort()
  await expect(hanging).rejects.toMatchObject({ code: 'aborted' })
})
