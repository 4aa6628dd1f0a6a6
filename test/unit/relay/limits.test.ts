import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { collect } from '../../../src/providers/collect.ts'
import { createProvider } from '../../../src/providers/create-provider.ts'
import {
  memoryCounter,
  type RelayCall,
  type RelayLimits,
  type RelayUsage,
} from '../../../src/relay/index.ts'
import {
  chat,
  chatDelta,
  chatUsage,
  MODEL,
  refusalOf,
  serveRelay,
  sse,
  streams,
  type Served,
} from './support.ts'

type Used = RelayUsage & RelayCall

// A test must not begin in one window and end in the next one.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2030, 0, 1, 12, 0, 10) })
})
afterEach(() => {
  vi.useRealTimers()
})

async function statuses(served: Served, count: number, user = 'ann'): Promise<number[]> {
  const found: number[] = []
  for (let n = 0; n < count; n++) {
    const response = await served.post('/chat/completions', chat, { headers: { 'x-user': user } })
    await response.text()
    found.push(response.status)
  }
  return found
}

describe('requests', () => {
  it('each user has a limit, and Offstage learns when to retry', async () => {
    const served = await serveRelay(undefined, { limits: { perMinute: { requests: 2 } } })
    expect(await statuses(served, 3)).toEqual([200, 200, 429])
    expect(await statuses(served, 1, 'bob')).toEqual([200])
    const config = { provider: 'openai', model: MODEL, baseURL: served.url } as const
    const provider = createProvider({ ...config, headers: { 'x-user': 'ann' } })
    const { error } = await collect(
      provider.stream({
        messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hi' }] }],
        tools: [],
      }),
    )
    expect(error).toMatchObject({ code: 'rate-limited', details: { retryAfterMs: 50_000 } })
    vi.setSystemTime(Date.UTC(2030, 0, 1, 12, 1, 0))
    expect(await statuses(served, 1)).toEqual([200])
  })

  it('the default is 60 requests a minute for each user, including refused bodies', async () => {
    const served = await serveRelay()
    for (let n = 0; n < 59; n++) await served.post('/chat/completions', '{}')
    expect(await statuses(served, 2)).toEqual([200, 429])
  })

  it.each([{ tokens: 1e9 }, { requests: undefined }])(
    'with %j a minute, the default request limit still applies',
    async (perMinute) => {
      const served = await serveRelay(undefined, { limits: { perMinute } as RelayLimits })
      for (let n = 0; n < 60; n++) await served.post('/chat/completions', '{}')
      expect(await statuses(served, 1)).toEqual([429])
    },
  )

  it("requests refused by the minute limit don't count for the day", async () => {
    const limits = { perMinute: { requests: 1 }, perDay: { requests: 2 } }
    const served = await serveRelay(undefined, { limits })
    expect(await statuses(served, 4)).toEqual([200, 429, 429, 429])
    vi.setSystemTime(Date.UTC(2030, 0, 1, 12, 1, 0))
    expect(await statuses(served, 1)).toEqual([200])
    vi.setSystemTime(Date.UTC(2030, 0, 1, 12, 2, 0))
    expect(await statuses(served, 1)).toEqual([429])
  })

  it('limits may depend on the user, and an invalid limit allows nothing', async () => {
    const served = await serveRelay(undefined, {
      limits: (user) => ({ perMinute: { requests: user === 'pro' ? 3 : Number.NaN } }),
    })
    expect(await statuses(served, 2, 'pro')).toEqual([200, 200])
    expect(await statuses(served, 1, 'free')).toEqual([429])
  })

  it("with 'anyone', all users share one count", async () => {
    const served = await serveRelay(undefined, {
      authorize: 'anyone',
      limits: { perMinute: { requests: 1 } },
    })
    expect([...(await statuses(served, 1, 'ann')), ...(await statuses(served, 1, 'bob'))]).toEqual([
      200, 429,
    ])
  })

  it('when the counter fails, every request is refused', async () => {
    const counter = { add: () => Promise.reject(new Error('down')) }
    const served = await serveRelay(undefined, { counter })
    expect(await statuses(served, 1)).toEqual([500])
    expect(served.received).toEqual([])
    expect(served.errors).toHaveLength(1)
  })
})

describe('tokens', () => {
  const answer = sse(chatDelta('Hello'), chatUsage(30, 20)).concat('data: [DONE]\n\n')
  const limits = { perDay: { tokens: 100 } }

  it('usage reported by the vendor counts, and requests over the limit are refused', async () => {
    const served = await serveRelay(streams(answer), { limits })
    expect(await statuses(served, 3)).toEqual([200, 200, 429])
    // Asked not to report, too.
    vi.setSystemTime(Date.UTC(2030, 0, 2))
    const quiet = { ...chat, stream_options: { include_usage: false } }
    await (await served.post('/chat/completions', quiet)).text()
    for (const { body } of served.received)
      expect(body).toMatchObject({ stream_options: { include_usage: true } })
    vi.setSystemTime(Date.UTC(2030, 0, 1, 12, 0, 10))
    const refused = await served.post('/chat/completions', chat)
    expect(refused.headers.get('retry-after')).toBe(String(12 * 3600 - 10))
    expect(await refusalOf(refused)).toEqual({ status: 429, type: 'rate_limit_error' })
  })

  it.each([
    [{ prompt_tokens: 12, completion_tokens: 1, total_tokens: 399 }, 387],
    [{ completion_tokens: 3, total_tokens: 400 }, 3],
  ])('reasoning that only the total counts is counted, but no input: %j', async (usage, output) => {
    const body = sse(chatDelta('Hello'), { choices: [], usage })
    let used = 0
    const { post } = await serveRelay(streams(body), {
      onUsage: ({ outputTokens }) => void (used = outputTokens),
    })
    await (await post('/chat/completions', chat)).text()
    expect(used).toBe(output)
  })

  it('parallel requests see only the tokens that others have not reserved', async () => {
    const held: (() => void)[] = []
    const served = await serveRelay(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
        held.push(() => void response.end(answer))
      },
      { limits, maxOutputTokens: 100 },
    )
    const first = await served.post('/chat/completions', chat)
    expect(await statuses(served, 1)).toEqual([429])
    held[0]?.()
    await first.text()
    const next = served.post('/chat/completions', chat)
    await expect.poll(() => held.length).toBe(2)
    held[1]?.()
    expect((await next).status).toBe(200)
  })

  it('vendor errors cost no tokens', async () => {
    const served = await serveRelay((_, response) => void response.writeHead(500).end('{}'), {
      limits,
    })
    expect(await statuses(served, 3)).toEqual([500, 500, 500])
  })

  it.each([
    ['/chat/completions', answer, [30, 20]],
    [
      '/messages',
      sse(
        {
          type: 'message_start',
          message: { usage: { input_tokens: 5, cache_read_input_tokens: 25, output_tokens: 1 } },
        },
        { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Hello' } },
        { type: 'message_delta', delta: {}, usage: { output_tokens: 20 } },
        { type: 'message_stop' },
      ),
      [30, 20],
    ],
    [
      '/responses',
      sse({
        type: 'response.completed',
        response: { usage: { input_tokens: 30, output_tokens: 20 } },
      }),
      [30, 20],
    ],
    [
      '/chat/completions',
      JSON.stringify({ choices: [], usage: { prompt_tokens: 30, completion_tokens: 20 } }, null, 2),
      [30, 20],
    ],
  ])('the usage of %s is read from the passing stream: %s', async (path, text, [input, output]) => {
    const used: Used[] = []
    const served = await serveRelay(
      async (_, response) => {
        response.writeHead(200, { 'content-type': 'application/octet-stream' })
        for (const piece of text.match(/[^]{1,7}/g) ?? []) {
          response.write(piece)
          await new Promise((resolve) => setImmediate(resolve))
        }
        response.end()
      },
      { onUsage: (usage) => void used.push(usage) },
    )
    const body = path === '/responses' ? { model: MODEL, input: 'Hi' } : chat
    expect(await (await served.post(path, body)).text()).toBe(text)
    expect(used).toEqual([
      {
        user: 'ann',
        api: path.slice(1).replace('/', '-'),
        model: MODEL,
        inputTokens: input,
        outputTokens: output,
        estimated: false,
      },
    ])
  })

  it('an aborted answer is counted by time and text', async () => {
    const used: Used[] = []
    const text = 'x'.repeat(3000)
    const served = await serveRelay(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(sse(chatDelta(text)))
      },
      { onUsage: (usage) => void used.push(usage), maxOutputTokens: 5000 },
    )
    for (const seconds of [1, 30, 3600]) {
      const page = new AbortController()
      const response = await served.post('/chat/completions', chat, { signal: page.signal })
      await response.body!.getReader().read()
      vi.setSystemTime(Date.now() + seconds * 1000)
      page.abort()
      const count = used.length + 1
      await expect.poll(() => used.length).toBe(count)
    }
    expect(used.map(({ outputTokens }) => outputTokens)).toEqual([1000, 3000, 5000])
    expect(used.every(({ inputTokens, estimated }) => estimated && inputTokens > 20)).toBe(true)
  })

  it('without reported usage, Chinese text counts one token a character', async () => {
    const used: Used[] = []
    const served = await serveRelay(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.end(sse(chatDelta('好'.repeat(2000))))
      },
      { onUsage: (usage) => void used.push(usage), maxOutputTokens: 5000 },
    )
    const messages = [{ role: 'user', content: '好'.repeat(900) }]
    await (await served.post('/chat/completions', { ...chat, messages })).text()
    await expect.poll(() => used.length).toBe(1)
    expect(used[0]?.outputTokens).toBe(2000)
    expect(used[0]?.inputTokens).toBeGreaterThan(900)
  })

  it('a page that leaves after the answer is counted by the reported usage', async () => {
    const used: Used[] = []
    const served = await serveRelay(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(answer)
      },
      { onUsage: (usage) => void used.push(usage) },
    )
    const page = new AbortController()
    const response = await served.post('/chat/completions', chat, { signal: page.signal })
    await response.body!.getReader().read()
    vi.setSystemTime(Date.now() + 5000)
    page.abort()
    await expect.poll(() => used).toMatchObject([{ outputTokens: 20, estimated: false }])
  })

  it('an answer after blank lines is counted', async () => {
    const used: Used[] = []
    const usage = { prompt_tokens: 5000, completion_tokens: 9000 }
    const served = await serveRelay(
      async (_, response) => {
        response.write('\n')
        await new Promise((resolve) => setTimeout(resolve, 20))
        response.end(JSON.stringify({ choices: [], usage }, null, 2))
      },
      { onUsage: (each) => void used.push(each) },
    )
    await (await served.post('/chat/completions', chat)).text()
    expect(used).toMatchObject([{ inputTokens: 5000, outputTokens: 9000, estimated: false }])
  })

  it('files are not counted by length, but dense text is', async () => {
    const used: Used[] = []
    const served = await serveRelay(streams('data: [DONE]\n\n'), {
      onUsage: (usage) => void used.push(usage),
    })
    const dense = 'a'.repeat(30_000)
    for (const part of [
      { type: 'image_url', image_url: { url: `data:image/png;base64,${dense}` } },
      { type: 'input_audio', input_audio: { data: dense, format: 'mp3' } },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: dense } },
      { type: 'text', text: dense },
      { type: 'file', file: { file_data: `data:text/plain;base64,${dense}` } },
      { type: 'document', source: { type: 'text', data: dense } },
      { type: 'tool_use', input: { url: `data:image/png;base64,${dense}` } },
    ]) {
      const messages = [{ role: 'user', content: [part] }]
      await (await served.post('/chat/completions', { ...chat, messages })).text()
    }
    expect(used.map(({ inputTokens }) => inputTokens > 10_000)).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
      true,
    ])
  })

  it('when `onUsage` or the counter fails at the end, the answer is still delivered', async () => {
    const served = await serveRelay(streams(answer), {
      onUsage: () => Promise.reject(new Error('no database')),
    })
    expect(await (await served.post('/chat/completions', chat)).text()).toBe(answer)
    expect(served.errors).toHaveLength(1)
  })
})

describe('memoryCounter', () => {
  it('forgets what has expired, and no name is special', () => {
    const counter = memoryCounter()
    expect([1, 2, -1].map((n) => counter.add('__proto__', n, Date.now() + 1000))).toEqual([1, 3, 2])
    expect(counter.add('constructor', 1, Date.now() - 1)).toBe(1)
    for (let n = 0; n < 2000; n++) void counter.add(`user ${n}`, 1, Date.now() + 1000)
    expect(counter.add('constructor', 1, Date.now() + 1000)).toBe(1)
    expect(counter.add('__proto__', 1, 0)).toBe(3)
  })
})
