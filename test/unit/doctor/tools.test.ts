import { afterEach, expect, test, vi } from 'vitest'
import type { ProviderConfig } from '../../../src/providers/create-provider.ts'
import { diagnose } from '../../../src/providers/doctor/diagnose.ts'
import type { Check } from '../../../src/providers/doctor/examination.ts'
import {
  callStream,
  chatRoute,
  chatStream,
  obedient,
  serve,
  type Asked,
  type Reply,
  type Route,
} from './small-server.ts'

// Checks replies of servers to an offered tool, each in its own words.

afterEach(() => {
  vi.useRealTimers()
})

interface Examined {
  readonly tools: Check
  readonly ok: boolean
  /** The bodies of what the model was asked. */
  readonly runs: Asked['body'][]
}

async function examine(
  answer: Route,
  config: Partial<ProviderConfig> = {},
  owner = '',
): Promise<Examined> {
  const { origin, asked } = await serve(chatRoute(['m'], { answer, owner }))
  const base = { provider: 'openai-compatible', model: 'm', baseURL: `${origin}/v1` }
  const { checks, ok } = await diagnose({ ...base, ...config })
  const tools = checks.find(({ name }) => name === 'tools')
  if (!tools) throw new Error('No check of tools.')
  const runs = asked.map(({ body }) => body).filter(({ messages }) => Array.isArray(messages))
  return { tools, ok, runs }
}

/** A model whose server hands on what it writes. */
const says =
  (text: string, finish?: string): Route =>
  () => ({ sse: chatStream([{ role: 'assistant', content: '' }, { content: text }], finish) })

const refusing =
  (reply: Reply): Route =>
  (asked) =>
    asked.body['tools'] ? reply : obedient(asked)

const vllm400: Reply = {
  status: 400,
  json: {
    error: {
      message:
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
  },
}

const llamacpp500: Reply = {
  status: 500,
  json: {
    error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' },
  },
}

const ollama400: Reply = {
  status: 400,
  json: {
    error: {
      message: 'registry.ollama.ai/library/gemma:2b does not support tools',
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
  },
}

test('a call that the server delivers is ok', async () => {
  const { tools, runs } = await examine(obedient)
  expect(tools).toEqual({
    name: 'tools',
    status: 'ok',
    message: 'The model called a tool, and the server delivered the call.',
  })
  expect(runs).toHaveLength(1)
  expect(runs[0]).toMatchObject({ stream: true, max_tokens: 1_024 })
  expect(runs[0]).toHaveProperty('tools.0.function.parameters.properties.value.type', 'integer')
  expect(runs[0]).not.toHaveProperty('tool_choice')
})

test('complete arguments in one chunk, as from Ollama, are ok', async () => {
  const call = {
    index: 0,
    id: 'call_a1b2c3d4',
    type: 'function',
    function: { name: 'report_number', arguments: '{"value":7}' },
  }
  const { tools } = await examine(
    () => ({ sse: chatStream([{ content: '', tool_calls: [call] }], 'tool_calls') }),
    {},
    'library',
  )
  expect(tools.status).toBe('ok')
})

test.each([
  ['vLLM', 'vllm', vllm400, '--enable-auto-tool-choice --tool-call-parser <parser>'],
  ['llama.cpp', 'llamacpp', llamacpp500, '--jinja'],
  ['Ollama', 'library', ollama400, 'ollama show'],
])(
  '%s refuses tools: its error text and the right setting are reported',
  async (_, owner, reply, fix) => {
    const { tools, ok, runs } = await examine(refusing(reply), {}, owner)
    expect(ok).toBe(true)
    expect(tools.status).toBe('warning')
    expect(tools.message).toContain(
      String((reply.json as { error: { message: string } }).error.message),
    )
    expect(tools.message).toContain('ACTION mode is used instead, and the model called')
    expect(tools.fix).toContain(fix)
    expect(runs).toHaveLength(2)
  },
)

test.each([
  ['vllm', vllm400],
  ['llamacpp', llamacpp500],
  ['library', ollama400],
  ['', vllm400],
])('%s refuses tools: the mode is named once, and not while it is used', async (owner, reply) => {
  const { tools } = await examine(refusing(reply), {}, owner)
  expect(`${tools.message} ${tools.fix}`).not.toContain('toolMode')
  const native = await examine(refusing(reply), { toolMode: 'native' }, owner)
  expect(`${native.tools.message} ${native.tools.fix}`.match(/toolMode/g)).toHaveLength(1)
})

test('when an unknown server refuses tools, its error text decides the advice', async () => {
  const { tools } = await examine(refusing(vllm400))
  expect(tools.fix).toContain('--enable-auto-tool-choice --tool-call-parser <parser>')
  const llamacpp = await examine(refusing(llamacpp500))
  expect(llamacpp.tools.fix).toContain('start llama-server with --jinja')
  const message = 'tools need FLAG=1: function calling is not enabled'
  const other = await examine(refusing({ status: 400, json: { error: { message } } }))
  expect(other.tools.message).toContain(message)
  expect(other.tools.fix).toContain('set what these words ask for')
})

test.each(['openai', 'openai-compatible'])(
  '%s, if its endpoint requires Responses for tools, gets advice that keeps them native',
  async (provider) => {
    const message =
      'Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.'
    const { tools } = await examine(refusing({ status: 400, json: { error: { message } } }), {
      provider,
    })
    expect(tools.message).toContain(`${message}\nSet api: 'responses'.`)
    expect(tools.fix).toContain('set what these words ask for')
    expect(`${tools.message} ${tools.fix}`).not.toContain('toolMode')
  },
)

test.each([
  ['openai', false],
  ['vllm', true],
  ['openai-compatible', true],
])('text in place of a call: %s has a template to blame: %s', async (provider, hasTemplate) => {
  const { tools } = await examine(says('It is seven.'), { provider })
  expect(tools.fix?.includes('template')).toBe(hasTemplate)
  expect(tools.fix).toContain('larger model')
})

test('refused tools and a model too weak for ACTION mode are a warning', async () => {
  const { tools } = await examine((asked) =>
    asked.body['tools'] ? vllm400 : { sse: chatStream([{ content: 'Seven!' }]) },
  )
  expect(tools.status).toBe('warning')
  expect(tools.message).toContain('the model called no tool in it')
})

test('refused tools fail when only native ones are allowed', async () => {
  const { tools, ok, runs } = await examine(refusing(vllm400), { toolMode: 'native' }, 'vllm')
  expect({ ok, status: tools.status }).toEqual({ ok: false, status: 'failed' })
  expect(JSON.stringify(runs[1])).toContain('OK')
})

const hermes = '<tool_call>\n{"name": "report_number", "arguments": {"value": 7}}\n</tool_call>'
const coder =
  '<tool_call>\n<function=report_number>\n<parameter=value>\n7\n</parameter>\n</function>\n</tool_call>'
const seed =
  '<seed:tool_call>\n<function=report_number>\n<parameter=value>7</parameter>\n</function>\n</seed:tool_call>'
const nemotron = '<TOOLCALL>[{"name": "report_number", "arguments": {"value": 7}}]</TOOLCALL>'
const mistral = '[TOOL_CALLS][{"name": "report_number", "arguments": {"value": 7}}]'
const python = '[report_number(value=7)]'
const llama = '{"name": "report_number", "parameters": {"value": 7}}'

test.each([
  ['vllm', hermes, '--enable-auto-tool-choice --tool-call-parser hermes', 'Hermes'],
  ['vllm', coder, '--tool-call-parser qwen3_xml', 'Qwen3-Coder'],
  ['vllm', seed, '--tool-call-parser seed_oss', 'Seed-OSS'],
  ['vllm', llama, '--tool-call-parser llama3_json', 'Llama'],
  [
    'vllm',
    nemotron,
    "vLLM has no parser that is known to read this format: use toolMode 'action'",
    'Nemotron',
  ],
  [
    'sglang',
    seed,
    "SGLang has no parser that is known to read this format: use toolMode 'action'",
    'Seed-OSS',
  ],
  [
    'library',
    seed,
    "Ollama has no parser that is known to read this format: use toolMode 'action'",
    'Seed-OSS',
  ],
  [
    'llamacpp',
    python,
    "llama.cpp has no parser that is known to read this format: use toolMode 'action'",
    'Python',
  ],
  ['library', coder, 'PARSER qwen3-coder', 'Qwen3-Coder'],
  ['sglang', hermes, '--tool-call-parser qwen', 'Hermes'],
  ['sglang', mistral, '--tool-call-parser mistral', 'Mistral'],
  ['sglang', python, '--tool-call-parser pythonic', 'Llama'],
  ['llamacpp', coder, '--chat-template-file', 'Qwen3-Coder'],
  ['library', hermes, 'ollama show --modelfile', 'Hermes'],
  ['organization_owner', hermes, 'trained for tool use', 'Hermes'],
  ['', hermes, "toolMode 'action'", 'Hermes'],
])('%s passes on %j as text, reported as %s', async (owner, text, fix, format) => {
  const { tools, ok, runs } = await examine(says(text), {}, owner)
  expect(ok).toBe(true)
  expect(tools.status).toBe('warning')
  expect(tools.message).toContain('came as text')
  expect(tools.message).toContain(format)
  expect(tools.message).toContain('Runs can read it')
  expect(tools.fix).toContain(fix)
  expect(runs).toHaveLength(1)
})

test('a call in an unknown format leads to no invented parser', async () => {
  const text = '<report_number><value>7</value></report_number>'
  for (const owner of ['vllm', 'sglang']) {
    const { tools } = await examine(says(text), {}, owner)
    expect(tools.message).toContain('came as text')
    expect(tools.fix).toContain("use toolMode 'action'")
    expect(tools.fix).not.toContain('--tool-call-parser')
  }
})

test('a preset identifies a server, but its list of models has priority', async () => {
  const localai = await examine(says(hermes), { provider: 'localai' })
  expect(localai.tools.fix).toContain('use_tokenizer_template')
  const other = await examine(says(hermes), { provider: 'ollama' }, 'llamacpp')
  expect(other.tools.fix).toContain('--chat-template-file')
})

test('a call in text that no run would read fails', async () => {
  const unread = await examine(says('<tool_call>{"name": "report_number", "arguments": {"val'))
  expect(unread).toMatchObject({ ok: false, tools: { status: 'failed' } })
  expect(unread.tools.message).toContain("Offstage can't read it")
  const off = await examine(says(hermes), { rescue: 'off' })
  expect(off).toMatchObject({ ok: false, tools: { status: 'failed' } })
  expect(off.tools.message).toContain("rescue 'off'")
})

test('text in place of a call is a warning, without another request', async () => {
  const shy = await examine(says('You could use report_number for that.'))
  expect(shy).toMatchObject({ ok: true, tools: { status: 'warning' } })
  expect(shy.tools.message).toContain('answered in words')
  expect(shy.tools.fix).toContain("toolMode: 'action'")
  expect(shy.tools.fix).toContain('larger model')
  expect(shy.runs).toHaveLength(1)
})

test.each([
  ['{"value":"seven"}', /don't fit the tool's schema: \{"value":"seven"\}/],
  ['{"number":7}', /don't fit/],
  ['{"value":7', /can't be run/],
])('a call with the arguments %s is a warning', async (input, words) => {
  const { tools, ok } = await examine(() => ({ sse: callStream('report_number', input) }))
  expect({ ok, status: tools.status }).toEqual({ ok: true, status: 'warning' })
  expect(tools.message).toMatch(words)
})

test('a call of a tool that was not offered is reported', async () => {
  const { tools } = await examine(() => ({ sse: callStream('get_number', '{"value":7}') }))
  expect(tools.message).toContain("called the unknown tool 'get_number'")
})

test('a model that thinks until its tokens are used up is reported', async () => {
  const { tools, runs } = await examine(() => ({
    sse: chatStream([{ reasoning_content: 'Hm. The user wants report_number …' }], 'length'),
  }))
  expect(tools.status).toBe('warning')
  expect(tools.message).toContain('1024 tokens')
  expect(runs).toHaveLength(1)
})

test('a model that never ends is stopped', async () => {
  vi.useFakeTimers()
  const encoder = new TextEncoder()
  const chunk = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { reasoning_content: 'Hm. ' } }] })}\n\n`
  let cancelled = false
  const thinking = (init: RequestInit): Response => {
    const body = new ReadableStream({
      start(controller) {
        const timer = setInterval(() => controller.enqueue(encoder.encode(chunk)), 1_000)
        init.signal?.addEventListener('abort', () => {
          cancelled = true
          clearInterval(timer)
          controller.error(init.signal?.reason)
        })
      },
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  const report = diagnose(
    { provider: 'vllm', model: 'm' },
    {
      fetch: (url, init = {}) => {
        const isRun = String(init.body ?? '').includes('"stream":true')
        if (isRun) return Promise.resolve(thinking(init))
        const body = String(url).endsWith('/models') ? { data: [{ id: 'm' }] } : { error: 'no' }
        return Promise.resolve(Response.json(body, { status: 'data' in body ? 200 : 400 }))
      },
    },
  )
  await vi.advanceTimersByTimeAsync(300_000)
  const { checks, ok } = await report
  expect({ ok, cancelled }).toEqual({ ok: true, cancelled: true })
  expect(checks.find(({ name }) => name === 'tools')).toMatchObject({
    status: 'warning',
    message: expect.stringContaining('its time'),
  })
})

test('a server that fails at tools without a clear reason has failed', async () => {
  const { tools, ok } = await examine(
    refusing({
      status: 500,
      json: { error: { code: 500, message: 'Unable to generate parser for this template.' } },
    }),
    {},
    'llamacpp',
  )
  expect({ ok, status: tools.status }).toEqual({ ok: false, status: 'failed' })
  expect(tools.message).toContain('Unable to generate parser')
  expect(tools.fix).toContain("toolMode: 'action'")
})

test('ACTION mode is also tried with a real call', async () => {
  const good = await examine(obedient, { toolMode: 'action' })
  expect(good.tools).toMatchObject({ status: 'ok', message: expect.stringContaining('ACTION') })
  expect(good.runs).toHaveLength(1)
  expect(good.runs[0]).not.toHaveProperty('tools')
  const weak = await examine(says('Seven.'), { toolMode: 'action' })
  expect(weak.tools.status).toBe('warning')
})

test('a configured tool choice is kept, unless it names a missing tool', async () => {
  const required = await examine(obedient, { toolChoice: 'required' })
  expect(required.runs[0]).toMatchObject({ tool_choice: 'required' })
  const named = await examine(obedient, { toolChoice: { toolName: 'click' } })
  expect(named.runs[0]).toMatchObject({ tool_choice: { function: { name: 'report_number' } } })
  const none = await examine(obedient, { toolChoice: 'none' })
  expect(none.tools.status).toBe('skipped')
  expect(none.runs[0]).not.toHaveProperty('tools')
})

test('a call in Anthropic’s own format is ok', async () => {
  const events = [
    {
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: {} },
    },
    {
      type: 'content_block_start',
      index: 0,
      content_block: { type: 'tool_use', id: 'toolu_1', name: 'report_number', input: {} },
    },
    {
      type: 'content_block_delta',
      index: 0,
      delta: { type: 'input_json_delta', partial_json: '{"value":7}' },
    },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]
  const sse = events
    .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('')
  const { origin } = await serve(({ path, body }) => {
    if (path !== '/v1/messages') return undefined
    if (!Array.isArray(body['messages']))
      return { status: 400, json: { type: 'error', error: { type: 'invalid_request_error' } } }
    return { sse }
  })
  const report = await diagnose({ provider: 'anthropic', model: 'm', baseURL: origin })
  expect(report.checks.find(({ name }) => name === 'tools')).toMatchObject({ status: 'ok' })
})
