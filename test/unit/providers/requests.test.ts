import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { Message } from '../../../src/protocol/message.ts'
import { PROVIDER_IDS } from '../../../src/protocol/model.ts'
import { minimaxBaseURLs } from '../../../src/providers/anthropic/presets.ts'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import type { ModelRequest } from '../../../src/providers/provider.ts'
import { askWeather, pingTool, replay, sse, weatherTool } from './support/replay.ts'

type Body = JsonObject & { messages: JsonObject[] }

interface Sent {
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Body
}

/** The request that a provider would send. */
async function sent(config: ProviderConfig, request: ModelRequest = askWeather): Promise<Sent> {
  const requests: Sent[] = []
  const fetch: typeof globalThis.fetch = (url, init) => {
    requests.push({
      url: String(url),
      headers: Object.fromEntries(new Headers(init?.headers)),
      body: JSON.parse(String(init?.body)) as Body,
    })
    return replay('data: [DONE]\n\n')(url, init)
  }
  const turn = await collect(createProvider(config).stream(request, { fetch }))
  if (!requests[0]) throw new Error(turn.error?.message)
  return requests[0]
}

const user = (text: string, synthetic = false): Message => ({
  role: 'user',
  parts: [{ type: 'text', text }],
  ...(synthetic && { synthetic }),
})
const called: Message = {
  role: 'assistant',
  parts: [
    { type: 'reasoning', text: 'Hm.' },
    {
      type: 'tool-call',
      toolCallId: 'in-1',
      providerCallId: 'call_0',
      toolName: 'get_weather',
      input: { city: 'Paris' },
    },
    { type: 'tool-call', toolCallId: 'call_9', toolName: 'ping', input: {} },
  ],
  providerMetadata: {
    'openai-compatible': { reasoning_content: 'Hm.' },
    anthropic: {
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig==' },
        { type: 'tool_use', id: 'call_0', name: 'get_weather', input: { city: 'Paris' } },
        { type: 'tool_use', id: 'call_9', name: 'ping', input: {} },
      ],
    },
  },
}
const answered: Message = {
  role: 'tool',
  parts: [
    {
      type: 'tool-result',
      toolCallId: 'call_9',
      toolName: 'ping',
      output: { type: 'error', code: 'failed', message: 'no' },
    },
    {
      type: 'tool-result',
      toolCallId: 'in-1',
      toolName: 'get_weather',
      output: { type: 'json', value: { sky: 'blue' } },
    },
  ],
}
const history: ModelRequest = {
  instructions: 'Be brief.',
  messages: [user('Hi'), called, answered],
  tools: [weatherTool, pingTool],
  trailer: 'Now: noon.',
}

const compatible: ProviderConfig = {
  provider: 'openai-compatible',
  model: 'm',
  baseURL: 'https://x.example/v1',
}
const openai: ProviderConfig = {
  provider: 'openai',
  api: 'chat',
  model: 'gpt',
  apiKey: 'sk-123456',
}
/** A cache that lasts for an hour. */
const own: JsonObject = { cache_control: { type: 'ephemeral', ttl: '1h' } }
const anthropic: ProviderConfig = { provider: 'anthropic', model: 'claude', apiKey: 'sk-ant-1' }

describe('Chat Completions', () => {
  test.each(['ollama', 'lmstudio', 'llamacpp', 'vllm', 'localai'])(
    '%s gets no extra fields (O29)',
    async (provider) => {
      const { body } = await sent({ provider, model: 'm', maxOutputTokens: 5 }, history)
      for (const field of ['stream_options', 'parallel_tool_calls', 'max_completion_tokens']) {
        expect(body).not.toHaveProperty(field)
      }
      expect(body).toMatchObject({ stream: true, max_tokens: 5 })
      expect(body.messages[0]).toEqual({ role: 'system', content: 'Be brief.' })
      expect(JSON.stringify(body)).not.toContain('strict')
    },
  )

  test("results follow their calls in order, with the provider's ids", async () => {
    const { body } = await sent(openai, history)
    expect(body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'call_0',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
          },
          { id: 'call_9', type: 'function', function: { name: 'ping', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_0', content: '{"sky":"blue"}' },
      { role: 'tool', tool_call_id: 'call_9', content: 'Error (failed): no' },
      { role: 'user', content: 'Now: noon.' },
    ])
  })

  test('thinking goes back only to Mistral, in its original form (O34)', async () => {
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: true }
    const providerMetadata = { 'openai-compatible': { content: [thinking] } }
    const text = (words: string) => ({ type: 'text', text: words }) as const
    const call = {
      type: 'tool-call',
      toolCallId: 'abcdefghi',
      toolName: 'ping',
      input: {},
    } as const
    const output = { type: 'text', value: 'pong' } as const
    const messages: Message[] = [
      user('Hi'),
      { role: 'assistant', parts: [call], providerMetadata },
      {
        role: 'tool',
        parts: [{ type: 'tool-result', toolCallId: 'abcdefghi', toolName: 'ping', output }],
      },
      { role: 'assistant', parts: [text('Done.')], providerMetadata },
      user('And now?'),
      { role: 'assistant', parts: [{ type: 'reasoning', text: 'Hm.' }, text('Nothing.')] },
      user('Why?'),
    ]
    const contents = async (config: ProviderConfig): Promise<unknown[]> => {
      const { body } = await sent(config, { ...askWeather, messages })
      return body.messages
        .filter(({ role }) => role === 'assistant')
        .map(({ content, tool_calls: calls }) => [content, Array.isArray(calls)])
    }
    const mistral = { ...compatible, baseURL: 'https://api.mistral.ai/v1', apiKey: 'key-123' }
    expect(await contents(mistral)).toEqual([
      [[thinking], true],
      [[thinking, text('Done.')], false],
      ['Nothing.', false],
    ])
    for (const other of [compatible, openai]) {
      expect(JSON.stringify(await contents(other))).not.toContain('Hm.')
    }
  })

  test.each([
    ['in its order', 'One. Two. Three.'],
    ['before the text, where that has become another', 'Two.'],
  ])('thinking between texts goes back to Mistral %s (O34)', async (_, words) => {
    const thought = (text: string) => ({ type: 'thinking', thinking: [{ type: 'text', text }] })
    const text = (said: string) => ({ type: 'text', text: said }) as const
    const content = [text('One. '), thought('Hm.'), text('Two. '), thought('Well.')]
    const { body } = await sent(
      { ...compatible, baseURL: 'https://api.mistral.ai/v1', apiKey: 'key-123' },
      {
        ...askWeather,
        messages: [
          user('Hi'),
          {
            role: 'assistant',
            parts: [text(words)],
            providerMetadata: { 'openai-compatible': { content } },
          },
          user('And now?'),
        ],
      },
    )
    expect(body.messages[1]?.content).toEqual(
      words === 'Two.'
        ? [thought('Hm.'), thought('Well.'), text(words)]
        : [...content, text('Three.')],
    )
  })

  test('reasoning goes back with calls, only to the provider that produced it (O27)', async () => {
    const own = await sent(compatible, history)
    expect(own.body.messages[2]).toMatchObject({ reasoning_content: 'Hm.' })
    const other = await sent(openai, history)
    expect(JSON.stringify(other.body)).not.toContain('Hm.')
    expect(JSON.stringify(own.body)).not.toContain('sig==')
  })

  test("a call's provider-specific fields go back with it", async () => {
    const signed = { google: { thought_signature: 'sig' } }
    const call = {
      index: 1,
      id: 'b',
      function: { name: 'ping', arguments: '{}' },
      extra_content: signed,
    }
    const stream = sse(
      {
        choices: [
          { delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'ping' } }, call] } },
        ],
      },
      '[DONE]',
    )
    const fetch = replay(stream)
    const turn = await collect(createProvider(compatible).stream(askWeather, { fetch }))
    const message: Message = {
      role: 'assistant',
      parts: turn.toolCalls.map((part) => ({ type: 'tool-call', ...part })),
      ...(turn.providerMetadata && { providerMetadata: turn.providerMetadata }),
    }
    const { body } = await sent(compatible, { ...askWeather, messages: [user('Hi'), message] })
    expect(body.messages[1]?.['tool_calls']).toEqual([
      { id: 'a', type: 'function', function: { name: 'ping', arguments: '{}' } },
      {
        id: 'b',
        type: 'function',
        function: { name: 'ping', arguments: '{}' },
        extra_content: signed,
      },
    ])
  })

  test('no field is null, results are named, and no user turn follows a result (O30)', async () => {
    const { body } = await sent(compatible, {
      ...history,
      messages: [...history.messages, user('And Rome?'), user('Please', true)],
    })
    expect(body.messages[2]).toMatchObject({ role: 'assistant', content: '' })
    expect(body.messages.slice(3)).toEqual([
      { role: 'tool', tool_call_id: 'call_0', name: 'get_weather', content: '{"sky":"blue"}' },
      { role: 'tool', tool_call_id: 'call_9', name: 'ping', content: 'Error (failed): no' },
      { role: 'assistant', content: expect.any(String) as string },
      { role: 'user', content: 'And Rome?\n\nPlease\n\nNow: noon.' },
    ])
  })

  test('the trailer joins the last result if no user turn may follow (O30)', async () => {
    const { body } = await sent(compatible, history)
    expect(body.messages.at(-1)).toMatchObject({
      role: 'tool',
      content: 'Error (failed): no\n\nNow: noon.',
    })
  })

  test('the address decides the rules: Mistral gets nine-character ids', async () => {
    const { body } = await sent(
      { ...compatible, baseURL: 'https://api.mistral.ai/v1', apiKey: 'key-123' },
      history,
    )
    const calls = body.messages[2]?.['tool_calls'] as JsonObject[]
    const ids = calls.map((call) => String(call['id']))
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(body.messages.slice(3).map((message) => message['tool_call_id'])).toEqual(ids)
  })

  test('settings and extra body fields are passed on', async () => {
    const { body } = await sent({
      ...openai,
      temperature: 0.2,
      topP: 0.9,
      stop: ['END'],
      seed: 7,
      maxOutputTokens: 100,
      parallelToolCalls: false,
      toolChoice: { toolName: 'ping' },
      extraBody: { reasoning_effort: 'low', temperature: 1 },
    })
    expect(body).toMatchObject({
      temperature: 1,
      top_p: 0.9,
      stop: ['END'],
      seed: 7,
      max_completion_tokens: 100,
      parallel_tool_calls: false,
      tool_choice: { type: 'function', function: { name: 'ping' } },
      reasoning_effort: 'low',
      stream_options: { include_usage: true },
    })
  })

  test('a field that a server refuses is left out from then on (O29)', async () => {
    const bodies: JsonObject[] = []
    const refusals = [
      ['stream_options', 'Unrecognized request argument supplied: stream_options'],
      ['max_completion_tokens', 'max_completion_tokens: Extra inputs are not permitted'],
    ] as const
    const fetch: typeof globalThis.fetch = (url, init) => {
      const body = JSON.parse(String(init?.body)) as JsonObject
      bodies.push(body)
      const refusal = refusals.find(([field]) => field in body)
      if (!refusal) return replay(sse({ choices: [{ delta: {} }] }, '[DONE]'))(url, init)
      return Promise.resolve(Response.json({ error: { message: refusal[1] } }, { status: 400 }))
    }
    const strict = createProvider({
      ...openai,
      baseURL: 'https://strict.example/v1',
      maxOutputTokens: 9,
    })
    for (const expected of [3, 4]) {
      const turn = await collect(strict.stream(askWeather, { fetch }))
      expect(turn.error).toBeUndefined()
      expect(bodies).toHaveLength(expected)
    }
    expect(bodies.at(-1)).toMatchObject({ max_tokens: 9 })
    expect((await sent({ ...openai, maxOutputTokens: 9 })).body).toHaveProperty('stream_options')
  })

  test('half of a character is replaced, since servers refuse the whole request for it', async () => {
    const bodies: string[] = []
    const half = '😀'.slice(0, 1)
    const text = `${half}${half} 😀 "\\ud83d" \\\\${half}`
    const fetch: typeof globalThis.fetch = (url, init) => {
      bodies.push(String(init?.body))
      return replay(sse({ choices: [{ delta: {} }] }, '[DONE]'))(url, init)
    }
    await collect(createProvider(openai).stream({ ...history, messages: [user(text)] }, { fetch }))
    const { messages } = JSON.parse(bodies[0] ?? '') as { messages: JsonObject[] }
    expect(messages.at(-1)?.['content']).toContain('\ufffd\ufffd 😀 "\\ud83d" \\\\\ufffd')
  })

  test('in ACTION mode no tools are sent', async () => {
    const { body } = await sent(openai, { ...askWeather, toolMode: 'action' })
    expect(body).not.toHaveProperty('tools')
    expect(body).not.toHaveProperty('tool_choice')
  })

  test("files are sent in the server's format", async () => {
    const { body } = await sent(openai, {
      tools: [],
      messages: [
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'See' },
            { type: 'file', mediaType: 'image/png', data: 'AAAA' },
          ],
        },
      ],
    })
    expect(body.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
        ],
      },
    ])
  })

  test('files from tools follow as a user message', async () => {
    const { body } = await sent(openai, {
      ...history,
      messages: [
        user('Hi'),
        {
          role: 'assistant',
          parts: [{ type: 'tool-call', toolCallId: 'a', toolName: 'ping', input: {} }],
        },
        {
          role: 'tool',
          parts: [
            {
              type: 'tool-result',
              toolCallId: 'a',
              toolName: 'ping',
              output: {
                type: 'content',
                value: [{ type: 'file', mediaType: 'image/png', data: 'AAAA' }],
              },
            },
          ],
        },
      ],
    })
    expect(body.messages.slice(3)).toMatchObject([
      { role: 'tool', content: '[file: image/png]' },
      { role: 'user' },
    ])
  })
})

describe('Messages', () => {
  test("requests have Anthropic's headers and address (A15)", async () => {
    const { url, headers } = await sent(anthropic)
    expect(url).toBe('https://api.anthropic.com/v1/messages')
    expect(headers).toMatchObject({
      'x-api-key': 'sk-ant-1',
      'anthropic-version': '2023-06-01',
      'anthropic-dangerous-direct-browser-access': 'true',
    })
    expect((await sent({ ...anthropic, baseURL: 'https://p.example/v1/' })).url).toBe(
      'https://p.example/v1/messages',
    )
  })

  test('MiniMax has two addresses and a default model', async () => {
    const minimax: ProviderConfig = { provider: 'minimax', apiKey: 'key-123' }
    const international = await sent(minimax)
    expect(international.url).toBe('https://api.minimax.io/anthropic/v1/messages')
    expect(international.body['model']).toBe('MiniMax-M2.5')
    const china = await sent({ ...minimax, baseURL: 'https://api.minimaxi.com/anthropic' })
    expect(china.url).toBe('https://api.minimaxi.com/anthropic/v1/messages')
  })

  test('thinking stays byte for byte, and results are merged first in call order (A7, A13)', async () => {
    const { body } = await sent(
      { ...anthropic, cache: false },
      {
        ...history,
        messages: [...history.messages, user('And Rome?')],
      },
    )
    expect(body['system']).toEqual([{ type: 'text', text: 'Be brief.' }])
    expect(body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 'sig==' },
          { type: 'tool_use', id: 'call_0', name: 'get_weather', input: { city: 'Paris' } },
          { type: 'tool_use', id: 'call_9', name: 'ping', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'call_0', content: '{"sky":"blue"}' },
          {
            type: 'tool_result',
            tool_use_id: 'call_9',
            content: 'Error (failed): no',
            is_error: true,
          },
          { type: 'text', text: 'And Rome?' },
          { type: 'text', text: 'Now: noon.' },
        ],
      },
    ])
  })

  test("another vendor's thinking is dropped, and ids become legal and unique", async () => {
    const strange = (id: string): Message[] => [
      {
        role: 'assistant',
        parts: [
          {
            type: 'tool-call',
            toolCallId: id,
            providerCallId: 'functions.ping:0',
            toolName: 'ping it!',
            input: {},
          },
        ],
        providerMetadata: {
          minimax: { content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] },
        },
      },
      {
        role: 'tool',
        parts: [
          {
            type: 'tool-result',
            toolCallId: id,
            toolName: 'ping it!',
            output: { type: 'text', value: '' },
          },
        ],
      },
    ]
    const { body } = await sent(anthropic, {
      ...askWeather,
      messages: [user('Hi'), ...strange('a'), ...strange('b')],
    })
    const blocks = body.messages.flatMap((message) => message['content'] as JsonObject[])
    const uses = blocks.filter((block) => block['type'] === 'tool_use')
    const ids = uses.map((block) => String(block['id']))
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/)
    const results = blocks.filter((block) => block['type'] === 'tool_result')
    expect(results.map((block) => block['tool_use_id'])).toEqual(ids)
    expect(uses[0]?.['name']).toBe('ping_it_')
    expect(JSON.stringify(body)).not.toContain('thinking')
  })

  describe('a paused turn (A20)', () => {
    const search = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    const found = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }
    const message = (...content: JsonObject[]): Message => ({
      role: 'assistant',
      parts: [{ type: 'text', text: 'Searching.' }],
      providerMetadata: { anthropic: { content } },
    })
    const searching = { type: 'text', text: 'Searching.' }
    const paused = message(searching, search)
    const ask = async (...messages: Message[]) => {
      const request = { ...askWeather, messages, trailer: 'Now: noon.' }
      const cache = { type: 'ephemeral' }
      const { body } = await sent({ ...anthropic, extraBody: { cache_control: cache } }, request)
      return body.messages
    }
    const noon = { type: 'text', text: 'Now: noon.' }
    const marked = (text: string) => ({ type: 'text', text, cache_control: { type: 'ephemeral' } })

    test('is sent last, with the trailer before it', async () => {
      expect(await ask(user('Mugs?'), paused)).toEqual([
        { role: 'user', content: [marked('Mugs?'), noon] },
        { role: 'assistant', content: [searching, search] },
      ])
    })

    test('is merged with the answer that continues it', async () => {
      const done = { type: 'text', text: 'Blue ones.' }
      expect(await ask(user('Mugs?'), paused, message(found, done), user('More?'))).toEqual([
        { role: 'user', content: [marked('Mugs?')] },
        { role: 'assistant', content: [searching, search, found, done] },
        { role: 'user', content: [marked('More?'), noon] },
      ])
    })

    test('is sent without calls lacking results when it was not continued', async () => {
      expect(await ask(user('Mugs?'), paused, user('Never mind.'))).toEqual([
        { role: 'user', content: [marked('Mugs?')] },
        { role: 'assistant', content: [searching] },
        { role: 'user', content: [marked('Never mind.'), noon] },
      ])
      expect(await ask(user('Mugs?'), message(search), user('Never mind.'))).toEqual([
        { role: 'user', content: [{ type: 'text', text: 'Mugs?' }, marked('Never mind.'), noon] },
      ])
    })

    test('goes to another vendor as one message', async () => {
      const done: Message = { role: 'assistant', parts: [{ type: 'text', text: 'Blue ones.' }] }
      const messages = [user('Mugs?'), paused, done, user('More?')]
      const { body } = await sent(compatible, { ...askWeather, messages })
      expect(body.messages).toEqual([
        { role: 'user', content: 'Mugs?' },
        { role: 'assistant', content: 'Searching.\n\nBlue ones.' },
        { role: 'user', content: 'More?' },
      ])
    })

    test("keeps a call whose result comes after the page tools' results", async () => {
      const code = { ...search, name: 'code_execution' }
      const use = { type: 'tool_use', id: 'call_9', name: 'ping', input: {} }
      const calling: Message = {
        role: 'assistant',
        parts: [{ type: 'tool-call', toolCallId: 'call_9', toolName: 'ping', input: {} }],
        providerMetadata: { anthropic: { content: [code, use] } },
      }
      const result: Message = {
        role: 'tool',
        parts: [
          {
            type: 'tool-result',
            toolCallId: 'call_9',
            toolName: 'ping',
            output: { type: 'text', value: 'pong' },
          },
        ],
      }
      const messages = await ask(user('Go.'), calling, result)
      expect(messages[1]).toEqual({ role: 'assistant', content: [code, use] })
    })
  })

  test('compactions and citations go back unchanged (A17, A19)', async () => {
    const compaction = { type: 'compaction', content: 'So far: mugs.', encrypted_content: 'b64==' }
    const citation = { type: 'web_search_result_location', encrypted_index: 'idx==' }
    const cited = { type: 'text', text: 'Blue ones.', citations: [citation] }
    const blank = { type: 'text', text: ' ' }
    const answer: Message = {
      role: 'assistant',
      parts: [{ type: 'text', text: 'Blue ones.' }],
      providerMetadata: { anthropic: { content: [compaction, blank, cited] } },
    }
    const { body } = await sent(anthropic, {
      ...askWeather,
      messages: [user('Mugs?'), answer, user('More?')],
    })
    expect(body.messages[1]?.['content']).toEqual([compaction, cited])
  })

  test('cache breakpoints are set before the trailer', async () => {
    const cache = { type: 'ephemeral' }
    const { body } = await sent({ ...anthropic, extraBody: { cache_control: cache } }, history)
    expect(body).not.toHaveProperty('cache_control')
    const [system] = body['system'] as JsonObject[]
    expect(system?.['cache_control']).toEqual(cache)
    expect((body['tools'] as JsonObject[]).at(-1)?.['cache_control']).toEqual(cache)
    const last = body.messages.at(-1)?.['content'] as JsonObject[]
    expect(last.map((block) => block['cache_control'])).toEqual([undefined, cache, undefined])
  })

  test.each<[string, Partial<ProviderConfig>, number]>([
    ['at Anthropic’s address', {}, 4],
    ['with cache: false', { cache: false }, 0],
    ['with cache: false and a mark of one’s own', { cache: false, extraBody: own }, 0],
    ['at an address that isn’t known to take them', { baseURL: 'https://proxy.example/v1' }, 0],
    ['with cache: true', { baseURL: 'https://proxy.example/v1', cache: true }, 4],
    ['with a mark of one’s own', { baseURL: 'https://proxy.example/v1', extraBody: own }, 4],
    ['at MiniMax’ address', { provider: 'minimax' }, 4],
    ['at MiniMax’ address in China', { provider: 'minimax', baseURL: minimaxBaseURLs.china }, 4],
  ])('cache breakpoints %s', async (_, change, count) => {
    const { body } = await sent({ ...anthropic, ...change }, history)
    expect(JSON.stringify(body).split('"cache_control":{"type":"ephemeral"').length - 1).toBe(count)
    expect(JSON.stringify(body).split('"ttl":"1h"').length - 1).toBe(change.extraBody ? count : 0)
  })

  test('settings are sent', async () => {
    const { body } = await sent({
      ...anthropic,
      temperature: 0,
      topP: 0.5,
      stop: ['END'],
      maxOutputTokens: 10,
      toolChoice: 'required',
      parallelToolCalls: false,
      extraBody: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    })
    expect(body).toMatchObject({
      temperature: 0,
      top_p: 0.5,
      stop_sequences: ['END'],
      max_tokens: 10,
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      thinking: { type: 'enabled' },
    })
  })

  test('a history with calls keeps its tools defined, though none is offered', async () => {
    const { body } = await sent(anthropic, { ...history, tools: [] })
    expect(body['tool_choice']).toEqual({ type: 'none' })
    expect((body['tools'] as JsonObject[]).map((tool) => tool['name'])).toEqual([
      'get_weather',
      'ping',
    ])
  })

  test('thinking with a refused signature is dropped and never sent again (A14)', async () => {
    const bodies: string[] = []
    const refuses = /"signature":"sig-foreign"/
    const fetch: typeof globalThis.fetch = (url, init) => {
      const body = String(init?.body)
      bodies.push(body)
      if (!refuses.test(body))
        return replay(
          'data: {"type":"message_start","message":{}}\n\ndata: {"type":"message_stop"}\n\n',
        )(url, init)
      const error = {
        type: 'invalid_request_error',
        message: 'messages.1.content.0: Invalid `signature` in `thinking` block',
      }
      return Promise.resolve(Response.json({ type: 'error', error }, { status: 400 }))
    }
    const foreign: Message = {
      role: 'assistant',
      parts: [{ type: 'text', text: 'Blue.' }],
      providerMetadata: {
        anthropic: {
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'sig-foreign' },
            { type: 'text', text: 'Blue.' },
          ],
        },
      },
    }
    const request = { ...askWeather, messages: [user('Hi'), foreign, user('Why?')] }
    for (const expected of [2, 3]) {
      const turn = await collect(createProvider(anthropic).stream(request, { fetch }))
      expect(turn.error).toBeUndefined()
      expect(bodies).toHaveLength(expected)
      expect(bodies.at(-1)).toContain('Blue.')
    }
  })
})

describe('invalid configurations', () => {
  test('an unknown provider throws an error that lists the known ones', () => {
    expect(() => createProvider({ provider: 'opnai', model: 'm' })).toThrow(
      /no provider 'opnai'.*openai/,
    )
  })
  test.each(PROVIDER_IDS.filter((id) => !/minimax|scripted|webllm|wllama|prompt-api/.test(id)))(
    '%s without a model throws at once',
    (provider) => {
      expect(() => createProvider({ provider, apiKey: 'k' })).toThrow(
        `The provider '${provider}' needs a model.`,
      )
    },
  )
  test('an invalid base URL throws', () => {
    expect(() => createProvider({ ...compatible, baseURL: 'nonsense' })).toThrow(/nonsense/)
  })
  test('openai-compatible without a base URL throws', async () => {
    await expect(sent({ provider: 'openai-compatible', model: 'm' })).rejects.toThrow(/baseURL/)
  })
})
