import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { diagnose } from '../../../src/providers/doctor/diagnose.ts'
import { collectGarbage } from '../../fixtures/collect-garbage.ts'
import { createRelay, type RelayOptions } from '../../../src/relay/index.ts'
import {
  chat,
  chatDelta,
  chatUsage,
  KEY,
  MODEL,
  refusalOf,
  serveRelay,
  sse,
  streams,
  type Vendor,
} from './support.ts'

const request = {
  messages: [{ role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi' }] }],
  tools: [
    { name: 'book', description: 'Books a table.', inputSchema: { type: 'object' as const } },
  ],
}

function ask(config: ProviderConfig): Promise<CollectedTurn> {
  const headers = { 'x-user': 'ann' }
  return collect(createProvider({ model: MODEL, headers, ...config }).stream(request))
}

const SLASHED = 'sk-relay/secret"key-0123456789'

const chatCall = sse(
  chatDelta('I book it.'),
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [
            { index: 0, id: 'c1', type: 'function', function: { name: 'book', arguments: '{}' } },
          ],
        },
        finish_reason: 'tool_calls',
      },
    ],
  },
  chatUsage(12, 7),
).concat('data: [DONE]\n\n')

const messagesCall = sse(
  {
    type: 'message_start',
    message: { id: 'm', role: 'assistant', usage: { input_tokens: 12, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I book it.' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'content_block_start',
    index: 1,
    content_block: { type: 'tool_use', id: 'c1', name: 'book', input: {} },
  },
  {
    type: 'content_block_delta',
    index: 1,
    delta: { type: 'input_json_delta', partial_json: '{}' },
  },
  { type: 'content_block_stop', index: 1 },
  { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 7 } },
  { type: 'message_stop' },
)

const responsesItems = [
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'I book it.', annotations: [] }],
  },
  { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'book', arguments: '{}' },
]
const responsesCall = sse(
  { type: 'response.created', response: { id: 'resp_1' } },
  ...responsesItems.map((item, index) => ({
    type: 'response.output_item.done',
    output_index: index,
    item,
  })),
  {
    type: 'response.completed',
    response: {
      id: 'resp_1',
      status: 'completed',
      output: responsesItems,
      usage: { input_tokens: 12, output_tokens: 7 },
    },
  },
)

describe('createRelay', () => {
  it.each([
    { provider: 'openai', answer: chatCall, path: '/v1/chat/completions', key: `Bearer ${KEY}` },
    {
      provider: 'openai',
      api: 'responses',
      answer: responsesCall,
      path: '/v1/responses',
      key: `Bearer ${KEY}`,
    },
    { provider: 'anthropic', answer: messagesCall, path: '/v1/messages', key: KEY },
  ] as const)('streams a tool call to a page from $path', async ({ provider, ...expected }) => {
    const { url, received } = await serveRelay(streams(expected.answer))
    const api = 'api' in expected ? { api: expected.api } : {}
    const turn = await ask({ provider, baseURL: url, ...api })
    expect(turn.error).toBeUndefined()
    expect(turn).toMatchObject({ text: 'I book it.', toolCalls: [{ toolName: 'book', input: {} }] })
    expect(turn.usage).toMatchObject({ inputTokens: 12, outputTokens: 7 })
    expect(received[0]?.path).toBe(expected.path)
    const { authorization, 'x-api-key': apiKey } = received[0]?.headers ?? {}
    expect(authorization ?? apiKey).toBe(expected.key)
  })

  it('streams an answer of the Responses API, and limits its output', async () => {
    const answer = sse(
      { type: 'response.output_text.delta', delta: 'Hi' },
      { type: 'response.completed', response: { usage: { input_tokens: 3, output_tokens: 2 } } },
    )
    const { post, received } = await serveRelay(streams(answer))
    const body = { model: MODEL, input: 'Hi', stream: true, store: false }
    const response = await post('/responses', body)
    expect(await response.text()).toBe(answer)
    expect(received[0]?.path).toBe('/v1/responses')
    expect(received[0]?.body).toEqual({ ...body, max_output_tokens: 16_384 })
  })

  it('passes each chunk on before the next one arrives', async () => {
    let more = (): void => undefined
    const { post } = await serveRelay((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      more = () => void response.end('data: 2\n\n')
    })
    const reader = (await post('/chat/completions', chat)).body!.getReader()
    const decoder = new TextDecoder()
    // The second piece is written only once the first one was read.
    expect(decoder.decode((await reader.read()).value)).toBe('data: 1\n\n')
    more()
    expect(decoder.decode((await reader.read()).value)).toBe('data: 2\n\n')
    expect((await reader.read()).done).toBe(true)
  })

  it.each(['before', 'during'] as const)(
    'when the page leaves %s the answer, the vendor request is aborted',
    async (when) => {
      let closed: Promise<unknown> = Promise.resolve()
      let begin = (): void => undefined
      const began = new Promise<void>((resolve) => void (begin = resolve))
      const { post, errors } = await serveRelay((_, response) => {
        closed = once(response, 'close')
        if (when === 'during') {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write('data: 1\n\n')
        }
        begin()
      })
      const page = new AbortController()
      const asked = post('/chat/completions', chat, { signal: page.signal })
      asked.catch(() => undefined)
      if (when === 'during') await (await asked).body!.getReader().read()
      await began
      page.abort()
      await closed
      expect(errors).toEqual([])
    },
  )

  it('when a platform only aborts a request that was garbage-collected, the vendor request is aborted', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const { relay } = await serveRelay((_, response) => {
      closed = once(response, 'close')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
    })
    const page = new AbortController()
    const headers = { 'content-type': 'application/json', 'x-user': 'ann' }
    const response = await relay(
      new Request('https://app.example/chat/completions', {
        method: 'POST',
        headers,
        body: JSON.stringify(chat),
        signal: page.signal,
      }),
    )
    await response.body!.getReader().read()
    await collectGarbage()
    page.abort()
    await closed
  })

  it('when a platform only cancels the response, the vendor request is aborted', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const { relay } = await serveRelay((_, response) => {
      closed = once(response, 'close')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
    })
    const headers = { 'content-type': 'application/json', 'x-user': 'ann' }
    const body = JSON.stringify(chat)
    const url = 'https://app.example/chat/completions'
    const response = await relay(new Request(url, { method: 'POST', headers, body }))
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    await closed
  })

  it('an answer that takes too long is stopped', async () => {
    let closed: Promise<unknown> = Promise.resolve()
    const { url, errors } = await serveRelay(
      (_, response) => {
        closed = once(response, 'close')
      },
      { timeoutMs: 50 },
    )
    const { error } = await ask({ provider: 'openai', baseURL: url })
    expect(error?.code).toBe('server-error')
    await closed
    expect(errors).toHaveLength(1)
  })

  it('a time limit longer than timers hold stops no answer', async () => {
    const { post } = await serveRelay(
      (_, response) => void setTimeout(() => response.end('{}'), 50),
      { timeoutMs: 2 ** 32 },
    )
    expect((await post('/chat/completions', chat)).status).toBe(200)
  })

  it("lists the relay's models without the vendor, and the doctor finds no problem", async () => {
    const vendor: Vendor = (_, response) => streams(chatCall)(_, response)
    const { url, received } = await serveRelay(vendor, { models: [MODEL, 'large-1'] })
    const headers = { 'x-user': 'ann' }
    const listed = await fetch(`${url}/models`, { headers })
    expect(await listed.json()).toMatchObject({ data: [{ id: MODEL }, { id: 'large-1' }] })
    expect(received).toEqual([])
    const config = { provider: 'openai', model: MODEL, baseURL: url, headers } as const
    const report = await diagnose(config)
    expect(report.checks.filter(({ status }) => status === 'failed')).toEqual([])
    expect(report.models).toEqual([MODEL, 'large-1'])
  })

  it('invalid options throw at once', () => {
    const options: RelayOptions = {
      baseURL: 'https://a.example/v1',
      models: ['m'],
      authorize: 'anyone',
    }
    expect(() => createRelay(options)).not.toThrow()
    for (const wrong of [
      { authorize: undefined },
      { authorize: true },
      { models: [] },
      { baseURL: '/v1' },
      { baseURL: 'file:///etc/passwd' },
      { maxOutputTokens: Number.NaN },
      { maxBodyBytes: 0 },
      { origins: ['*'] },
      { origins: ['https://app.example/'] },
      { passHeaders: ['Cookie'] },
      { passHeaders: ['authorization'] },
    ])
      expect(() => createRelay({ ...options, ...wrong } as RelayOptions)).toThrow(
        expect.objectContaining({ code: 'invalid-config' }),
      )
  })
})

describe('authorization', () => {
  it('without a user, the vendor is not called and Offstage gets `authentication`', async () => {
    const { url, received, post } = await serveRelay()
    const turn = await ask({ provider: 'openai', baseURL: url, headers: {} })
    expect(turn.error?.code).toBe('authentication')
    expect((await fetch(`${url}/models`)).status).toBe(401)
    const response = await post('/messages', chat, { headers: { 'x-user': '' } })
    expect(await refusalOf(response)).toEqual({ status: 401, type: 'authentication_error' })
    expect(received).toEqual([])
  })

  it("the app's own response is returned, and a failing `authorize` refuses everyone", async () => {
    const answers: Record<string, () => unknown> = {
      blocked: () => new Response('No plan.', { status: 403 }),
      broken: () => {
        throw new Error('database of secrets is down')
      },
      object: () => ({ id: 'ann' }),
      nothing: () => undefined,
    }
    const { post, received, errors } = await serveRelay(undefined, {
      authorize: (asked) => answers[asked.headers.get('x-user') ?? '']?.() as string,
    })
    const statuses: number[] = []
    for (const user of Object.keys(answers)) {
      const response = await post('/chat/completions', chat, { headers: { 'x-user': user } })
      statuses.push(response.status)
      expect(await response.text()).not.toContain('secrets')
    }
    expect(statuses).toEqual([403, 500, 500, 401])
    expect(errors).toHaveLength(2)
    expect(received).toEqual([])
  })
})

describe('the request to the vendor', () => {
  it('has no header, cookie, query or path from the page', async () => {
    const { url, received } = await serveRelay(undefined, {
      passHeaders: ['anthropic-beta'],
      headers: { 'x-project': 'shop' },
    })
    const response = await fetch(`${url}/messages?key=1&target=https://evil.example`, {
      method: 'POST',
      body: JSON.stringify({ ...chat, stream: false }),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'x-user': 'ann',
        'x-project': 'other',
        'x-forwarded-for': '10.0.0.1',
        'anthropic-version': '1999-01-01',
        'anthropic-beta': 'files',
        authorization: 'Bearer of-the-page',
        'x-api-key': 'of-the-page',
        cookie: 'session=1',
      },
    })
    expect(response.status).toBe(200)
    const { headers, path } = received[0]!
    expect(path).toBe('/v1/messages')
    expect(headers).toMatchObject({
      'x-api-key': KEY,
      'x-project': 'shop',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'files',
    })
    const known = ['content-type', 'x-api-key', 'x-project', 'anthropic-version', 'anthropic-beta']
    // Headers of fetch itself, and of the connection.
    const own = [
      'host',
      'connection',
      'accept',
      'accept-encoding',
      'accept-language',
      'sec-fetch-mode',
      'user-agent',
      'content-length',
    ]
    expect(Object.keys(headers).filter((name) => ![...known, ...own].includes(name))).toEqual([])
  })

  it.each([
    '/chat/completions/',
    '/chat%2Fcompletions',
    '/files',
    '/messages/batches',
    '/messages/count_tokens',
    '/responses/resp_1',
    '/responses/../files',
    '/%2e%2e/admin',
    '/embeddings',
  ])('the path %s is not found', async (path) => {
    const { post, received } = await serveRelay()
    expect(await refusalOf(await post(path, chat))).toEqual({
      status: 404,
      type: 'invalid_request_error',
    })
    expect(received).toEqual([])
  })

  it('whatever precedes the known end of a raw path, the address stays fixed', async () => {
    const { url, received } = await serveRelay()
    const { port } = new URL(url)
    const path = '/x/..//evil.example/%2e%2e/..%2f/messages'
    const raw = httpRequest({ port, path, method: 'POST' })
    raw.setHeader('content-type', 'application/json')
    raw.setHeader('x-user', 'ann')
    raw.end(JSON.stringify(chat))
    await once(raw, 'response')
    expect(received.map(({ path: found }) => found)).toEqual(['/v1/messages'])
  })

  it.each([
    ['GET', 'application/json', 405],
    ['PUT', 'application/json', 405],
    ['OPTIONS', 'application/json', 405],
    ['POST', 'text/plain', 415],
    ['POST', 'application/x-www-form-urlencoded', 415],
    ['POST', 'application/jsonp', 415],
  ])('%s with %s is refused', async (method, type, status) => {
    const { post, received } = await serveRelay()
    const init = {
      method,
      headers: { 'content-type': type },
      ...(method === 'GET' && { body: null }),
    }
    expect((await post('/chat/completions', chat, init)).status).toBe(status)
    expect(received).toEqual([])
  })

  it('duplicate keys mean the same to the relay and the vendor', async () => {
    const { post, received } = await serveRelay()
    const twice = `{"model":"${MODEL}","messages":[],"model":"dear-1"}`
    expect((await post('/chat/completions', twice)).status).toBe(404)
    const text = `{"model":"dear-1","mod\\u0065l":"${MODEL}","messages":[]}`
    expect((await post('/chat/completions', text)).status).toBe(200)
    expect(received.map((one) => one.text)).toEqual([
      JSON.stringify({ model: MODEL, messages: [], max_tokens: 16_384 }),
    ])
  })

  it('a model that is not on the list is `model-not-found`', async () => {
    const { url, received } = await serveRelay()
    const turn = await ask({ provider: 'openai', baseURL: url, model: 'dear-1' })
    expect(turn.error?.code).toBe('model-not-found')
    expect(received).toEqual([])
  })

  it.each([
    ['no model', { model: undefined }],
    ['a list of models', { model: [MODEL] }],
    ['a model of the prototype', { model: 'constructor' }],
    ['an object as model', { model: { toString: 1 } }],
    ['a field with a price', { service_tier: 'priority' }],
    ['several answers', { n: 8 }],
    ['fallback models', { models: ['dear-1'] }],
    ['a field of the prototype', JSON.stringify(chat).replace('{', '{"__proto__":{},')],
    ['stream as text', { stream: 'false' }],
    ['tools that are no list', { tools: {} }],
    ['a tool that is null', { tools: [null] }],
    ['a tool without a type', { tools: [{ google_search: {} }] }],
    ['a web search', { tools: [{ type: 'web_search' }] }],
    ['a limit below 1', { max_tokens: -1 }],
    ['a limit as text', { max_completion_tokens: '9e9' }],
    ['an address', content({ type: 'image_url', image_url: { url: 'http://169.254.169.254/' } })],
    [
      'an address with a trick',
      content({ type: 'image_url', image_url: { url: { toString: 1 } } }),
    ],
    ['a stored file', content({ type: 'file', file: { file_id: 'file-1' } })],
    ['stored audio', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
    ['no object', '[]'],
    ['no JSON', '{"model":'],
    ['deep nesting', `{"model":"${MODEL}","messages":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
  ])('%s is refused', async (_, wrong) => {
    const { post, received, errors } = await serveRelay()
    const response = await post(
      '/chat/completions',
      typeof wrong === 'string' ? wrong : { ...chat, ...wrong },
    )
    expect([400, 404]).toContain(response.status)
    expect(received).toEqual([])
    expect(errors).toEqual([])
  })

  it.each<[string, object, string?]>([
    ['/messages', { tools: [{ type: 'code_execution_20250522', name: 'code_execution' }] }],
    ['/messages', { mcp_servers: [{ type: 'url', url: 'https://evil.example' }] }],
    ['/messages', content({ type: 'image', source: { type: 'url', url: 'http://10.0.0.1/' } })],
    ['/messages', content({ type: 'document', source: { type: 'file', file_id: 'file_1' } })],
    [
      '/messages',
      content({
        type: 'tool_result',
        content: [
          {
            type: 'document',
            source: {
              type: 'content',
              content: [{ type: 'image', source: { type: 'url', url: 'http://10.0.0.1/' } }],
            },
          },
        ],
      }),
    ],
    ['/responses', { tools: [{ type: 'mcp', server_url: 'https://evil.example' }] }],
    ['/responses', { store: true }],
    ['/responses', { previous_response_id: 'resp_1' }],
    ['/responses', { prompt: { id: 'pmpt_1' } }],
    ['/responses', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['/responses', { input: [{ id: 'msg_1' }] }],
    ['/responses', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }],
    [
      '/responses',
      {
        input: [
          {
            type: 'function_call_output',
            output: [{ type: 'input_image', image_url: 'http://10.0.0.1/' }],
          },
        ],
      },
    ],
    ...(
      [
        [{ type: 'computer_call_output', output: { image_url: 'http://10.0.0.1/' } }],
        [{ type: 'message', role: 'user', content: [], output: { file_id: 'file_1' } }],
        { role: 'user', content: [{ type: 'input_image', image_url: 'http://10.0.0.1/' }] },
        [{ type: 'code_interpreter_call', container_id: 'cntr_1' }],
        [{ type: 'message', container_id: 'cntr_1' }],
        [{ type: 'additional_tools', tools: [{ type: 'web_search' }] }],
        [{ type: 'tool_search_output', tools: [{ type: 'mcp', server_url: 'https://a.example' }] }],
        [{ type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }],
        [{ id: 'msg_1', type: null, role: '' }],
        [{ id: 'rs_1', type: 'reasoning' }],
        [{ id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'x' }] }],
        [{ id: 'msg_1', type: 'message', role: 'assistant', content: [] }],
      ] as const
    ).map((input): [string, object] => ['/responses', { input }]),
    ['/responses', { tool_choice: { type: 'web_search_preview' } }],
    ['/messages', content({ type: 'video', video: ['http://10.0.0.1/'] })],
    ['/messages', content({ type: 'image', image: 'http://10.0.0.1/' })],
    ['/messages', content({ type: 'image', image: ' ht\ntp:10.0.0.1' })],
    ['/messages', content({ type: 'image_url', image_url: '/etc/passwd' })],
    ['/messages', content({ type: 'input_audio', input_audio: { url: 'http://10.0.0.1/' } })],
    ['/messages', content({ type: 'input_audio', input_audio: { data: 'http://10.0.0.1/' } })],
    ['/messages', content([{ type: 'image_url', image_url: { url: 'http://10.0.0.1/' } }])],
    [
      '/messages',
      { messages: [{ role: 'user', content: { type: 'image', image_url: 'http://10.0.0.1/' } }] },
    ],
    ['/messages', { messages: [[{ role: 'user', content: [{ type: 'file', file_id: 'f' }] }]] }],
    [
      '/messages',
      content({
        type: 'tool_result',
        content: { content: { type: 'document', source: { url: 'http://10.0.0.1/' } } },
      }),
    ],
    [
      '/messages',
      content({ type: 'image_url', image_url: { url: 'http://10.0.0.1/' } }),
      'image_generation',
    ],
    [
      '/messages',
      content({ type: 'tool_result', content: [{ type: 'image', source: { url: 'http://a' } }] }),
      'tool_search_tool_regex_20251119',
    ],
    [
      '/responses',
      {
        input: [{ type: 'web_search_call', role: 'user', content: [{ url: 'http://10.0.0.1/' }] }],
      },
      'web_search',
    ],
  ])('%s with %j is refused', async (path, wrong, tool) => {
    const { post, received } = await serveRelay(undefined, { toolTypes: tool ? [tool] : [] })
    const base = path === '/messages' ? chat : { model: MODEL }
    expect((await post(path, { ...base, ...wrong })).status).toBe(400)
    expect(received).toEqual([])
  })

  it('inline files and arguments with any name are passed unchanged', async () => {
    const { post, received } = await serveRelay()
    const input = { url: 'https://shop.example', file_id: 'mine', type: 'item_reference' }
    const body = {
      ...chat,
      max_tokens: 10,
      tools: [{ name: 'open', input_schema: { type: 'object', properties: { file_id: {} } } }],
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'AA' } }] },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'open', input }] },
      ],
    }
    expect((await post('/messages', body)).status).toBe(200)
    expect(received[0]?.body).toEqual(body)
  })

  it('text addresses, calls and results of allowed tools are passed unchanged', async () => {
    const toolTypes = ['web_search_20250305', 'code_execution_20260120']
    const { post, received } = await serveRelay(undefined, { toolTypes })
    const url = 'https://shop.example'
    const printed = { type: 'bash_code_execution_result', stdout: 'total:5', content: [] }
    const cited = { type: 'web_search_result_location', cited_text: 'Price:€12' }
    const byCode = { type: 'code_execution_20260120', tool_id: 's' }
    const open = { type: 'tool_use', name: 'open', input: { url } }
    const found = { type: 'web_search_result', url, title: 'Shop', encrypted_content: 'AA' }
    const messages = {
      ...chat,
      max_tokens: 10,
      system: [{ type: 'text', text: url, cache_control: { type: 'ephemeral' } }],
      tool_choice: { type: 'auto' },
      messages: [
        { role: 'user', content: url },
        {
          role: 'user',
          content: [{ type: 'document', title: url, source: { type: 'text', data: url } }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 's', content: [found] },
            { type: 'bash_code_execution_tool_result', tool_use_id: 's', content: printed },
            {
              type: 'text',
              text: 'Twelve.',
              citations: [cited, { ...cited, type: 'char_location' }],
            },
            { ...open, id: 'functions.open:0', caller: { type: 'direct' } },
            { ...open, id: 't', caller: byCode },
            { type: 'compaction', content: url, encrypted_content: 'AA' },
          ],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'functions.open:0', content: url }],
        },
      ],
    }
    const responses = {
      model: MODEL,
      max_output_tokens: 10,
      instructions: url,
      input: [
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'AA' },
        {
          type: 'web_search_call',
          id: 'ws_1',
          action: { type: 'search', query: 'site:a.example' },
        },
        ...responsesItems,
        { type: 'function_call_output', call_id: 'c1', output: url },
      ],
    }
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }
    const chats = { ...chat, ...content(image), max_tokens: 10 }
    expect((await post('/messages', messages)).status).toBe(200)
    expect((await post('/responses', responses)).status).toBe(200)
    expect((await post('/chat/completions', chats)).status).toBe(200)
    expect(received.map(({ body }) => body)).toEqual([messages, responses, chats])
  })

  it('fields that the options allow are passed on', async () => {
    const { post, received } = await serveRelay(undefined, {
      fields: ['service_tier'],
      toolTypes: ['web_search'],
      references: true,
      extraBody: ({ user }) => ({ user: `hash of ${user}` }),
    })
    const body = {
      ...chat,
      service_tier: 'flex',
      tools: [{ type: 'web_search' }],
      ...content({ type: 'image_url', image_url: { url: 'https://pictures.example/1' } }),
    }
    expect((await post('/chat/completions', { ...body, user: 'bob' })).status).toBe(400)
    expect((await post('/chat/completions', body)).status).toBe(200)
    expect(received[0]?.body).toEqual({ ...body, max_tokens: 16_384, user: 'hash of ann' })
  })

  it('output limits are lowered, under each of their names', async () => {
    const { post, received } = await serveRelay(undefined, { maxOutputTokens: 100 })
    for (const limits of [
      { max_tokens: 50, max_completion_tokens: 1e6 },
      { max_completion_tokens: 1e6 },
      { max_tokens: null },
      { thinking: { type: 'enabled', budget_tokens: 9e5 }, reasoning: { max_tokens: 9e5 } },
    ])
      await post('/chat/completions', { ...chat, ...limits })
    await post('/messages', { ...chat, max_tokens: 1e6, thinking: { budget_tokens: 20 } })
    const sent = received.map(({ body }) => ({ ...body, ...chat }))
    expect(sent).toEqual([
      { ...chat, max_tokens: 50 },
      { ...chat, max_tokens: 100 },
      { ...chat, max_tokens: 100 },
      {
        ...chat,
        max_tokens: 100,
        thinking: { type: 'enabled', budget_tokens: 99 },
        reasoning: { max_tokens: 99 },
      },
      { ...chat, max_tokens: 100, thinking: { budget_tokens: 20 } },
    ])
    const wrong = { ...chat, thinking: { budget_tokens: '9e5' } }
    expect((await post('/messages', wrong)).status).toBe(400)
  })

  it.each([
    'https://api.openai.com/v1',
    'https://shop.openai.azure.com/openai/v1',
    'https://shop.services.ai.azure.com/openai/v1',
    'https://shop.cognitiveservices.azure.com/openai/v1',
  ])('%s gets `max_completion_tokens`', async (baseURL) => {
    let sent = ''
    const { post } = await serveRelay(undefined, {
      baseURL,
      fetch: async (url, init) => {
        sent = `${url} ${String(init.body)}`
        return Response.json({})
      },
    })
    await post('/chat/completions', chat)
    expect(sent.startsWith(`${baseURL}/chat/completions `)).toBe(true)
    expect(sent).toMatch(/"max_completion_tokens":16384/)
  })

  // Mistral reports usage unasked, and refuses the field: https://github.com/openai/openai-agents-python/issues/442
  it('Mistral is not asked for usage', async () => {
    let sent = ''
    const { post } = await serveRelay(undefined, {
      baseURL: 'https://api.mistral.ai/v1',
      onUsage: () => undefined,
      fetch: async (_, init) => {
        sent = String(init.body)
        return Response.json({})
      },
    })
    await post('/chat/completions', chat)
    expect(sent).toContain('"stream":true')
    expect(sent).not.toContain('stream_options')
  })

  it('a body over the size limit is refused as `context-overflow`', async () => {
    const { url, post, received } = await serveRelay(undefined, { maxBodyBytes: 1000 })
    const large = JSON.stringify({ ...chat, pad: 'x'.repeat(2000) })
    expect(await refusalOf(await post('/chat/completions', large))).toEqual({
      status: 413,
      type: 'request_too_large',
    })
    const headers = { 'x-user': 'ann', pad: 'x' }
    const system = 'x'.repeat(2000)
    const turn = await collect(
      createProvider({ provider: 'openai', model: MODEL, baseURL: url, headers }).stream({
        ...request,
        instructions: system,
      }),
    )
    expect(turn.error?.code).toBe('context-overflow')
    const pieces = new Blob([large]).stream()
    const chunked = new Request('https://app.example/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: pieces,
      duplex: 'half',
    } as RequestInit)
    const relay = createRelay({
      baseURL: url,
      models: [MODEL],
      authorize: 'anyone',
      maxBodyBytes: 1000,
    })
    expect((await relay(chunked)).status).toBe(413)
    expect(received).toEqual([])
  })
})

describe('the response to the page', () => {
  it.each<[string, readonly string[], Record<string, unknown>, Partial<RelayOptions>?]>([
    [
      'in a stream, in pieces',
      [`data: {"error":"no ${SLASHED.slice(0, 9)}`, `${SLASHED.slice(9)}"}\n\n`],
      {},
    ],
    ['in a header', ['{}'], { 'x-ratelimit-scope': SLASHED }],
    [
      'in an error, cut off',
      ['x'.repeat(65_536 - 10) + SLASHED.slice(0, 10), SLASHED.slice(10)],
      { status: 400 },
    ],
    ['in an error, escaped', [JSON.stringify(SLASHED).replaceAll('/', '\\/')], { status: 400 }],
    [
      'in an error, sent with its scheme',
      [SLASHED],
      { status: 400 },
      { headers: { authorization: `Bearer ${SLASHED}` } },
    ],
    [
      'in an error, sent in the address',
      [],
      {},
      {
        baseURL: `https://model.example/v1?key=${encodeURIComponent(SLASHED)}`,
        fetch: async () => new Response(SLASHED, { status: 400 }),
      },
    ],
  ])(
    'the key is removed %s',
    async (_, pieces, { status = 200, ...headers }, options = { apiKey: SLASHED }) => {
      const { post } = await serveRelay(
        async (__, response) => {
          response.writeHead(Number(status), headers as Record<string, string>)
          for (const piece of pieces) {
            response.write(piece)
            await new Promise((resolve) => setTimeout(resolve, 20))
          }
          response.end()
        },
        { apiKey: '', ...options },
      )
      const response = await post('/chat/completions', chat)
      const shown = (await response.text()) + JSON.stringify([...response.headers])
      expect(shown).not.toMatch(/sk-relay|0123456789/)
    },
  )

  it('has only the content type and the rate-limit headers', async () => {
    const { post } = await serveRelay((_, response) => {
      response.writeHead(429, {
        'content-type': 'application/json',
        'retry-after': '7',
        'x-ratelimit-remaining-tokens': '0',
        'anthropic-ratelimit-requests-limit': '50',
        'set-cookie': 'vendor=1',
        'openai-organization': 'org-1',
        'x-request-id': 'req-1',
        'access-control-allow-origin': '*',
        location: 'https://evil.example',
        server: 'vendor',
      })
      response.end(JSON.stringify({ error: { message: `Slow down, ${KEY}`, type: 'tokens' } }))
    })
    const response = await post('/chat/completions', chat)
    expect(response.status).toBe(429)
    const own = Object.fromEntries(response.headers)
    for (const name of ['date', 'connection', 'keep-alive', 'transfer-encoding']) delete own[name]
    expect(own).toEqual({
      'content-type': 'application/json',
      'retry-after': '7',
      'x-ratelimit-remaining-tokens': '0',
      'anthropic-ratelimit-requests-limit': '50',
      'cache-control': 'no-store, no-transform',
      'x-content-type-options': 'nosniff',
      'x-accel-buffering': 'no',
    })
    expect(await response.json()).toEqual({
      error: { message: 'Slow down, [redacted]', type: 'tokens' },
    })
  })

  it.each([
    [429, { error: { message: 'Rate limit reached', type: 'tokens' } }, 'rate-limited'],
    [429, { error: { message: 'Quota', code: 'insufficient_quota' } }, 'quota-exceeded'],
    [400, { error: { message: 'x', code: 'context_length_exceeded' } }, 'context-overflow'],
    [529, { type: 'error', error: { type: 'overloaded_error', message: 'x' } }, 'overloaded'],
    [500, { error: { message: 'x' } }, 'server-error'],
    [401, { error: { message: `Incorrect API key provided: ${KEY}` } }, 'permission-denied'],
  ])('a vendor error %i with %j becomes %s', async (status, body, code) => {
    const { url, errors } = await serveRelay((_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
    const { error } = await ask({ provider: 'openai', baseURL: url })
    expect(error?.code).toBe(code)
    expect(JSON.stringify([error, errors.map(String)])).not.toContain(KEY)
    expect(errors).toHaveLength(status === 401 ? 1 : 0)
  })

  it('a redirect is not followed, and HTML is returned as plain text', async () => {
    const redirecting = await serveRelay((_, response) => {
      response.writeHead(307, { location: 'http://169.254.169.254/' }).end()
    })
    expect((await redirecting.post('/messages', chat)).status).toBe(502)
    expect(redirecting.received).toHaveLength(1)
    expect(redirecting.errors).toHaveLength(1)
    const html = await serveRelay((_, response) => {
      response.writeHead(503, { 'content-type': 'text/html' }).end('<script>alert(1)</script>')
    })
    const response = await html.post('/messages', chat)
    expect([response.status, response.headers.get('content-type')]).toEqual([
      503,
      'text/plain; charset=utf-8',
    ])
  })

  it('an unreachable vendor is a retryable error without its address', async () => {
    const { url, post, errors } = await serveRelay(undefined, { baseURL: 'http://127.0.0.1:1/v1' })
    const { error } = await ask({ provider: 'openai', baseURL: url })
    expect(error).toMatchObject({ code: 'server-error', retryable: true })
    expect(await (await post('/chat/completions', chat)).text()).not.toContain('127.0.0.1')
    expect(errors).toHaveLength(2)
  })

  it('an answer that breaks off is incomplete', async () => {
    const { url } = await serveRelay((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(sse(chatDelta('Half')))
      setTimeout(() => response.destroy(), 50)
    })
    const { error } = await ask({ provider: 'openai', baseURL: url })
    expect(error?.code).toBe('stream-incomplete')
  })
})

describe('other origins', () => {
  const origin = 'https://app.example'

  it('a listed origin is allowed with cookies, and no other one', async () => {
    const { url, post } = await serveRelay(streams('data: [DONE]\n\n'), { origins: [origin] })
    const preflight = await fetch(`${url}/messages`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    })
    expect(preflight.status).toBe(204)
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': 'content-type,x-api-key',
      vary: 'origin',
    })
    for (const [from, allowed] of [
      [origin, origin],
      ['https://evil.example', null],
      ['null', null],
      ['https://app.example.evil.example', null],
    ] as const) {
      const answer = await post('/messages', chat, { headers: { origin: from } })
      expect(answer.headers.get('access-control-allow-origin')).toBe(allowed)
      expect(answer.headers.get('vary')).toBe('origin')
    }
    const refused = await fetch(`${url}/models`, { headers: { origin } })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin)
  })

  it('without the option, a preflight allows nothing', async () => {
    const { url } = await serveRelay()
    const headers = { origin, 'access-control-request-method': 'POST' }
    const preflight = await fetch(`${url}/messages`, { method: 'OPTIONS', headers })
    expect(preflight.status).toBe(405)
    expect(preflight.headers.get('access-control-allow-origin')).toBeNull()
  })
})

/** A request whose only message has this part. */
function content(part: object): object {
  return { messages: [{ role: 'user', content: [part] }] }
}
