import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { collect, type CollectedTurn } from '../../../src/providers/collect.ts'
import { createProvider, type ProviderConfig } from '../../../src/providers/create-provider.ts'
import { askWeather, bodyOf, replay, sse, type ReplayOptions } from './support/replay.ts'

const ollama: ProviderConfig = { provider: 'ollama', model: 'qwen3:4b' }
const hello = { choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }] }
const finished = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

function ask(
  body: string | Uint8Array,
  options: ReplayOptions = {},
  config: ProviderConfig = ollama,
): Promise<CollectedTurn> {
  return collect(createProvider(config).stream(askWeather, { fetch: replay(body, options) }))
}

/** A fetch that answers these responses in turn and notes the requests. */
function recorder(...answers: readonly (() => Response)[]) {
  const requests: { readonly url: string; readonly init: RequestInit }[] = []
  const send: typeof fetch = (url, init) => {
    requests.push({ url: String(url), init: init ?? {} })
    const answer = answers[Math.min(requests.length, answers.length) - 1]
    if (!answer) throw new Error('no answer')
    return Promise.resolve(answer())
  }
  return { requests, fetch: send }
}

const ok = () => new Response(sse(hello, finished, '[DONE]'))

afterEach(() => {
  vi.useRealTimers()
})

describe('response bodies', () => {
  test('a JSON completion is read under any content type (O19)', async () => {
    const completion = {
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, completion_tokens: 1 },
    }
    for (const type of ['application/json', 'text/event-stream', 'text/plain']) {
      const turn = await ask(JSON.stringify(completion, null, 2), {
        headers: { 'content-type': type },
        pieceSize: 5,
      })
      expect(turn).toMatchObject({ text: 'Hi', finishReason: 'stop', usage: { inputTokens: 2 } })
      expect(turn.error).toBeUndefined()
    }
  })

  test('F2 a JSON completion cut anywhere is incomplete', async () => {
    const body = JSON.stringify({
      choices: [
        {
          message: { tool_calls: [{ id: 'a', function: { name: 'ping', arguments: '{}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    })
    for (let cut = 1; cut < body.length; cut++) {
      const turn = await ask(body.slice(0, cut))
      expect(turn.error?.code).toBe('stream-incomplete')
      expect(turn.toolCalls).toEqual([])
    }
  })

  test.each([
    [{ error: { message: 'model is on fire', type: 'api_error' } }, 'server-error'],
    [{ error: 'model is on fire' }, 'provider-error'],
    [{ object: 'error', message: 'model is on fire', code: 400 }, 'bad-request'],
    [{ detail: 'model is on fire' }, 'provider-error'],
    [{ detail: [{ msg: 'model is on fire', loc: ['body'] }] }, 'provider-error'],
    [[{ error: { message: 'model is on fire', status: 'UNAVAILABLE' } }], 'provider-error'],
    [{ base_resp: { status_code: 1004, status_msg: 'model is on fire' } }, 'authentication'],
    [{ message: 'model is on fire' }, 'provider-error'],
  ])('an error body with status 200 keeps its message (O21): %j', async (body, code) => {
    for (const provider of ['ollama', 'minimax']) {
      const turn = await ask(JSON.stringify(body), {}, { provider, model: 'm', apiKey: 'k-secret' })
      expect(turn.error?.message).toContain('model is on fire')
      expect(turn.error?.code).toBe(code)
    }
  })

  test('F5 an error event keeps its message whatever its data (O21)', async () => {
    for (const data of ['{"message":"on fire"}', '"on fire"', 'on fire', '{"error":"on fire"}']) {
      const turn = await ask(`${sse(hello)}event: error\ndata: ${data}\n\n`)
      expect(turn.text).toBe('Hi')
      expect(turn.error?.message).toContain('on fire')
    }
  })

  test.each([
    ['<!doctype html><title>Log in</title><p>Please log in', 'text/html; charset=utf-8'],
    ['', 'text/html'],
    ['   \n', 'application/json'],
    ['', 'text/event-stream'],
    ['upstream connect error', 'text/plain'],
  ])('a body that is no answer is reported: %j as %s (O22)', async (body, type) => {
    const turn = await ask(body, { headers: { 'content-type': type }, pieceSize: 3 })
    expect(turn.error?.code).toBe('bad-response')
    expect(turn.error?.message).toContain(type)
  })

  test('F1 comments, ids, event lines, a BOM and other fields are ignored (O26)', async () => {
    const body = `\uFEFF: hello\r\n\r\nid: 1\nevent: message\ndata: ${JSON.stringify(hello)}\n\n:\n\nretry: 5\nfoo: bar\ndata:${JSON.stringify(finished)}\r\n\r\n: PROCESSING\n\ndata:  [DONE] \n\n`
    for (const pieceSize of [0, 1, 2, 7]) {
      expect(await ask(body, { pieceSize })).toMatchObject({ text: 'Hi', finishReason: 'stop' })
    }
  })

  test('data over several lines is one event', async () => {
    const body = 'data: {"choices":[{"delta":\ndata: {"content":"Hi"}}]}\n\ndata: [DONE]\n\n'
    expect(await ask(body)).toMatchObject({ text: 'Hi' })
  })

  test('F1 a character split between chunks is read whole', async () => {
    const snowman = { choices: [{ delta: { content: '☃️ 日本 👩‍👩‍👧' } }] }
    const turn = await ask(sse(snowman, finished), { pieceSize: 1 })
    expect(turn.text).toBe('☃️ 日本 👩‍👩‍👧')
  })

  test('a broken chunk fails the stream, and a call around it never runs', async () => {
    const call = (args: string) => ({
      choices: [
        {
          delta: {
            tool_calls: [{ index: 0, id: 'a', function: { name: 'ping', arguments: args } }],
          },
        },
      ],
    })
    const turn = await ask(sse(hello, call('{"a":"'), '{"choices":[{"del', call('"}'), finished))
    expect(turn).toMatchObject({ text: 'Hi', error: { code: 'bad-response' } })
    expect(turn.toolCalls).toMatchObject([{ error: { code: 'truncated' } }])
  })

  test('F6 an endless line is abandoned with bounded memory (T6)', async () => {
    for (const begin of ['data: {"choices":[', 'x', ': ']) {
      let sent = 0
      const piece = new TextEncoder().encode('a'.repeat(1024 * 1024))
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(begin)),
        pull(controller) {
          sent++
          controller.enqueue(piece)
        },
      })
      const turn = await collect(
        createProvider(ollama).stream(askWeather, {
          fetch: () => Promise.resolve(new Response(body)),
        }),
      )
      expect(turn.error?.code).toBe('response-too-large')
      expect(sent).toBeLessThan(20)
    }
  })
})

describe('the request', () => {
  test('a long body is sent as bytes, which block no browser; a given fetch gets its text', async () => {
    const { requests, fetch } = recorder(ok, ok)
    vi.stubGlobal('fetch', fetch)
    onTestFinished(() => void vi.unstubAllGlobals())
    const parts = [{ type: 'text', text: `ä\ud800${'x'.repeat(100_000)}` }] as const
    const request = { ...askWeather, messages: [{ role: 'user', parts }] } as const
    await collect(createProvider(ollama).stream(request))
    await collect(createProvider(ollama).stream(request, { fetch }))
    const [bytes, text] = requests.map(({ init }) => init.body)
    expect(bytes).toBeInstanceOf(Blob)
    expect(await (bytes as Blob).text()).toBe(text)
  })

  test('refuses redirects, omits cookies, and sends only the required headers (O31, T7)', async () => {
    const { fetch, requests } = recorder(ok)
    await collect(createProvider(ollama).stream(askWeather, { fetch }))
    const { url, init } = requests[0] ?? { url: '', init: {} }
    expect(url).toBe('http://localhost:11434/v1/chat/completions')
    expect(init).toMatchObject({ method: 'POST', redirect: 'error', credentials: 'omit' })
    expect([...new Headers(init.headers).keys()].sort()).toEqual(['accept', 'content-type'])
  })

  test('includes a key, headers and cookies if configured', async () => {
    const { fetch, requests } = recorder(ok)
    const provider = createProvider({
      ...ollama,
      baseURL: 'https://proxy.example/llm/v1/',
      apiKey: 'sk-1',
      credentials: 'same-origin',
      headers: () => ({ 'x-csrf': 'token' }),
    })
    await collect(provider.stream(askWeather, { fetch }))
    const { url, init } = requests[0] ?? { url: '', init: {} }
    expect(url).toBe('https://proxy.example/llm/v1/chat/completions')
    expect(init.credentials).toBe('same-origin')
    expect(Object.fromEntries(new Headers(init.headers))).toMatchObject({
      authorization: 'Bearer sk-1',
      'x-csrf': 'token',
    })
  })

  test("a base URL without a path gets the server's default path", async () => {
    const { fetch, requests } = recorder(ok)
    await collect(
      createProvider({ ...ollama, baseURL: 'http://10.0.0.5:11434' }).stream(askWeather, { fetch }),
    )
    expect(requests[0]?.url).toBe('http://10.0.0.5:11434/v1/chat/completions')
  })

  test.each(['sk-secret\nkey', 'sk-secret…4Ab'])(
    'a key that is no legal header is reported with the likely cause, without quoting it: %j',
    async (apiKey) => {
      const { fetch } = recorder(ok)
      const turn = await collect(
        createProvider({ ...ollama, apiKey }).stream(askWeather, { fetch }),
      )
      expect(turn.error?.code).toBe('invalid-config')
      expect(turn.error?.message).toContain('Is it a shortened key?')
      expect(JSON.stringify(turn.error)).not.toContain('secret')
    },
  )
})

describe('credentials', () => {
  const refused = () =>
    Response.json({ error: { message: 'Incorrect API key provided: sk-old-key' } }, { status: 401 })

  test('are requested once more after a 401 (T8)', async () => {
    const asked: boolean[] = []
    const { fetch, requests } = recorder(refused, ok)
    const provider = createProvider({
      ...ollama,
      apiKey: ({ previousRejected }) => {
        asked.push(previousRejected)
        return previousRejected ? 'sk-new-key' : 'sk-old-key'
      },
    })
    const turn = await collect(provider.stream(askWeather, { fetch }))
    expect(turn.text).toBe('Hi')
    expect(asked).toEqual([false, true])
    expect(requests.map(({ init }) => new Headers(init.headers).get('authorization'))).toEqual([
      'Bearer sk-old-key',
      'Bearer sk-new-key',
    ])
  })

  test('F10 a second 401 is an error without the key (T8)', async () => {
    const { fetch, requests } = recorder(refused)
    const provider = createProvider({ ...ollama, apiKey: () => 'sk-old-key' })
    const turn = await collect(provider.stream(askWeather, { fetch }))
    expect(requests).toHaveLength(2)
    expect(turn.error).toMatchObject({ code: 'authentication', details: { status: 401 } })
    expect(JSON.stringify(turn)).not.toContain('sk-old-key')
  })

  test('when fixed, a refused key is not tried again', async () => {
    const { fetch, requests } = recorder(refused)
    const turn = await collect(
      createProvider({ ...ollama, apiKey: 'sk-old-key' }).stream(askWeather, { fetch }),
    )
    expect(requests).toHaveLength(1)
    expect(JSON.stringify(turn)).not.toContain('sk-old-key')
  })

  test('a key function that fails is an authentication error', async () => {
    const { fetch } = recorder(ok)
    const provider = createProvider({
      ...ollama,
      apiKey: () => Promise.reject(new Error('no vault')),
    })
    const turn = await collect(provider.stream(askWeather, { fetch }))
    expect(turn.error).toMatchObject({ code: 'authentication' })
    expect(turn.error?.message).toContain('no vault')
  })
})

describe('the network', () => {
  test.each(['Failed to fetch', 'NetworkError when attempting to fetch resource.', 'Load failed'])(
    '%s names the likely causes and how to check them (T3)',
    async (words) => {
      const fetch = () => Promise.reject(new TypeError(words))
      const turn = await collect(createProvider(ollama).stream(askWeather, { fetch }))
      expect(turn.error).toMatchObject({ code: 'network', retryable: true })
      for (const cause of [
        words,
        'running',
        'CORS',
        'Mixed content',
        'Local network',
        'OLLAMA_ORIGINS',
      ]) {
        expect(turn.error?.message).toContain(cause)
      }
    },
  )

  test('F4 a broken connection keeps the text, and no call runs (T5)', async () => {
    const turn = await ask(sse(hello), { ending: 'reset' })
    expect(turn).toMatchObject({
      text: 'Hi',
      error: { code: 'stream-incomplete', retryable: true },
    })
  })

  test('a connection that breaks after the proof of the end causes no error', async () => {
    expect((await ask(sse(hello, finished), { ending: 'reset' })).error).toBeUndefined()
  })

  test('the end marker ends the turn even if the connection stays open', async () => {
    const turn = await ask(sse(hello, finished, '[DONE]'), { ending: 'hang' })
    expect(turn).toMatchObject({ text: 'Hi', finishReason: 'stop' })
  })

  test('F3 a missing first chunk and silence between chunks time out (T4)', async () => {
    const config = { ...ollama, timeouts: { firstChunkMs: 20, idleMs: 40 } }
    const silent = await ask('', { ending: 'hang' }, config)
    expect(silent.error).toMatchObject({ code: 'timeout', details: { phase: 'first-chunk' } })
    const patient = { ...ollama, timeouts: { firstChunkMs: 60_000, idleMs: 40 } }
    const idle = await ask(sse(hello), { ending: 'hang' }, patient)
    expect(idle).toMatchObject({
      text: 'Hi',
      error: { code: 'timeout', details: { phase: 'idle' } },
    })
    const never = await collect(
      createProvider(config).stream(askWeather, { fetch: () => new Promise(() => {}) }),
    )
    expect(never.error).toMatchObject({ code: 'timeout' })
  })

  test("comments don't shorten the time until the first content (T4)", async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const pieces = [': wait\n\n', ': wait\n\n', ': wait\n\n', sse(hello, finished, '[DONE]')]
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 30))
        const piece = pieces.shift()
        if (piece === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(piece))
      },
    })
    const config = { ...ollama, timeouts: { firstChunkMs: 200, idleMs: 20 } }
    const fetch = () => Promise.resolve(new Response(body))
    const asked = collect(createProvider(config).stream(askWeather, { fetch }))
    await vi.advanceTimersByTimeAsync(1000)
    const turn = await asked
    expect(turn).toMatchObject({ text: 'Hi' })
    expect(turn.error).toBeUndefined()
  })
})

describe('a complete answer on an open connection', () => {
  const message = [
    { type: 'message_start', message: { id: 'msg_1' } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  ]
  const emptyDelta = { choices: [{ index: 0, delta: {} }] }
  const anthropic = { provider: 'anthropic', model: 'm', apiKey: 'k' }
  test.each([
    ['comments', ollama, sse(hello, finished), ': keep-alive\n\n'],
    ['empty deltas', ollama, sse(hello, finished), sse(emptyDelta)],
    ['pings', anthropic, sse(...message), sse({ type: 'ping' })],
  ])("ends soon, because %s don't count as activity (T4)", async (_, config, answer, beat) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    let sent = false
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent) await new Promise((resolve) => setTimeout(resolve, 100))
        controller.enqueue(new TextEncoder().encode(sent ? beat : answer))
        sent = true
      },
    })
    const fetch = () => Promise.resolve(new Response(body))
    // Each beat comes as `raw` too, which changes nothing.
    const asked = collect(createProvider(config).stream({ ...askWeather, raw: true }, { fetch }))
    await vi.advanceTimersByTimeAsync(20_000)
    const turn = await asked
    expect(turn).toMatchObject({ text: 'Hi', finishReason: 'stop' })
    expect(turn.error).toBeUndefined()
  })
})

describe('aborting', () => {
  test('works before the request, while waiting, and in the middle', async () => {
    for (const when of ['before', 'waiting', 'middle']) {
      const controller = new AbortController()
      let cancelled = false
      const stream = bodyOf(new TextEncoder().encode(sse(hello)), { ending: 'hang' })
      const body = new ReadableStream<Uint8Array>({
        async start(target) {
          const first = await stream.getReader().read()
          if (first.value) target.enqueue(first.value)
        },
        cancel() {
          cancelled = true
        },
      })
      // A fetch that pays no attention to its signal.
      const fetch = (): Promise<Response> =>
        when === 'waiting' ? new Promise(() => {}) : Promise.resolve(new Response(body))
      if (when === 'before') controller.abort('enough')
      else setTimeout(() => controller.abort('enough'), 20)
      const turn = await collect(
        createProvider(ollama).stream(askWeather, { signal: controller.signal, fetch }),
      )
      expect(turn.error).toMatchObject({ code: 'aborted', retryable: false })
      expect(turn.error?.message).toContain('enough')
      if (when === 'middle') {
        expect(turn.text).toBe('Hi')
        expect(cancelled).toBe(true)
      }
    }
  })

  test('stopping the iteration cancels the request', async () => {
    const signals: (AbortSignal | null | undefined)[] = []
    const fetch: typeof globalThis.fetch = (_, init) => {
      signals.push(init?.signal)
      return Promise.resolve(
        new Response(bodyOf(new TextEncoder().encode(sse(hello)), { ending: 'hang' })),
      )
    }
    for await (const part of createProvider(ollama).stream(askWeather, { fetch })) {
      expect(part.type).toBe('text-delta')
      break
    }
    expect(signals[0]?.aborted).toBe(true)
  })
})
