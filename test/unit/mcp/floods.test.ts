import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { ToolStop } from '../../../src/client/execution/execution.ts'
import { connectMcp, type McpOptions } from '../../../src/connect/mcp/index.ts'
import { connected, type Message, result, stream, tool } from './hostile-server.ts'
import { contextOf, until } from './support.ts'

const ALL = {
  supportedVersions: ['2026-07-28'],
  capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'evil', version: '1' } },
}

function unanswered(_message: Message, signal: AbortSignal): Promise<Response> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

it('times out unanswered requests, and lists tools again afterwards', async () => {
  let isSilent = false
  let tools = [tool('a')]
  const { server, names } = await connected(
    {
      'server/discover': ALL,
      'tools/list': (message, signal) =>
        isSilent ? unanswered(message, signal) : result(message.id, { tools }),
      'resources/list': unanswered,
      'resources/read': unanswered,
      'prompts/list': unanswered,
    },
    { timeoutMs: 100 },
  )
  isSilent = true
  for (const ask of [
    () => server.refresh(),
    () => server.resources.list(),
    () => server.resources.read('a:b'),
    () => server.prompts.list(),
  ])
    await expect(ask()).rejects.toMatchObject({ code: 'timeout' })
  isSilent = false
  tools = [tool('b')]
  await server.refresh()
  expect(names()).toEqual(['evil__b'])
})

it('lists tools again without a time limit', async () => {
  const { server, names } = await connected(
    { 'tools/list': { tools: [tool('a')] } },
    { timeoutMs: Infinity },
  )
  await server.refresh()
  expect(names()).toEqual(['evil__a'])
})

it('keeps a thousand tools of a longer list, and reports it', async () => {
  const tools = Array.from({ length: 5000 }, (_, at) => tool(`t${at}`))
  const { names, said } = await connected({ 'tools/list': { tools } })
  expect(names()).toHaveLength(1000)
  expect(said).toMatchObject([{ type: 'tool-left-out' }])
})

it('limits how often tools are listed again, however often a server announces changes', async () => {
  let listings = 0
  let told = 0
  await connected({
    'server/discover': ALL,
    'tools/list': ({ id }) => result(id, { tools: [tool(`t${listings++}`)] }),
    'subscriptions/listen': (_message, signal) =>
      stream(signal, (send) => {
        const timer = setInterval(() => {
          told += 50
          const changed = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }
          send(`data: ${JSON.stringify(changed)}\n\n`.repeat(50))
        }, 1)
        onTestFinished(() => clearInterval(timer))
      }),
  })
  await until(() => told > 10_000)
  expect(listings).toBeGreaterThan(1)
  // The waits between them grow: however long that took, each is one of seconds.
  expect(listings).toBeLessThan(10)
})

/** A tab that is shown and hidden. */
function tab() {
  const page = Object.assign(new EventTarget(), { hidden: false })
  vi.stubGlobal('document', page)
  onTestFinished(() => void vi.unstubAllGlobals())
  return (hidden: boolean) => {
    page.hidden = hidden
    page.dispatchEvent(new Event('visibilitychange'))
  }
}

/** Answers with a stream, and counts the open ones. */
function streams() {
  const count = { open: 0, opened: 0 }
  const open = (signal: AbortSignal, first: object): Response => {
    count.open += 1
    count.opened += 1
    signal.addEventListener('abort', () => (count.open -= 1), { once: true })
    return stream(signal, (send) =>
      send(`data: ${JSON.stringify({ jsonrpc: '2.0', ...first })}\n\n`),
    )
  }
  return { count, open }
}

const QUIET = { method: 'notifications/message', params: {} }
const aWhile = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))

it('closes the change stream in a hidden tab, and lists tools again once visible', async () => {
  const turn = tab()
  const { count, open } = streams()
  let tools = [tool('a')]
  const { server, names } = await connected({
    'server/discover': ALL,
    'tools/list': ({ id }) => result(id, { tools }),
    'subscriptions/listen': (_message, signal) => open(signal, QUIET),
  })
  await until(() => count.open === 1)
  await aWhile()
  turn(true)
  await until(() => count.open === 0)
  tools = [tool('b')]
  await aWhile()
  expect(count.opened).toBe(1)
  expect(names()).toEqual(['evil__a'])
  turn(false)
  await until(() => count.open === 1 && names().includes('evil__b'))
  await server.close()
  expect(count.open).toBe(0)
})

type Answered = (message: Message, request: RequestInit) => Response | undefined

/** A server of 2025-11-25. `onGet` answers GET; `onPost` may answer a message in place of the usual answer. */
function older(
  onGet: (request: RequestInit) => Response,
  onPost: Answered = () => undefined,
  options: Partial<McpOptions> = {},
) {
  const info = { protocolVersion: '2025-11-25', serverInfo: { name: 'old', version: '1' } }
  const answers: { [method: string]: object } = {
    initialize: { ...info, capabilities: { tools: { listChanged: true } } },
    'tools/list': { tools: [tool('a')] },
    ping: {},
  }
  return connectMcp({
    url: 'https://old.example/mcp',
    fetch: async (_url, request) => {
      if (request.method === 'GET') return onGet(request)
      const message = JSON.parse(String(request.body ?? '{}')) as Message
      const { id, method } = message
      const own = onPost(message, request)
      if (own) return own
      const answer = answers[method]
      if (answer)
        return Response.json(
          { jsonrpc: '2.0', id, result: answer },
          { headers: { 'mcp-session-id': 'session' } },
        )
      return new Response('', { status: method === 'server/discover' ? 404 : 202 })
    },
    ...options,
  })
}

it.each([
  ['keeps', 'ask_user', 1],
  ['ends', undefined, 0],
] as const)(
  '%s the stream of an older server in a hidden tab with elicitation %s',
  async (_effect, elicitation, left) => {
    const turn = tab()
    const { count, open } = streams()
    const server = await older(
      ({ signal }) => open(signal as AbortSignal, QUIET),
      () => undefined,
      { ...(elicitation && { elicitation }) },
    )
    await until(() => count.open === 1)
    turn(true)
    await aWhile()
    expect(count).toEqual({ open: left, opened: 1 })
    await server.close()
  },
)

it.each(['2026-07-28', '2025-11-25'])(
  'opens the stream of changes again after a status that passes (%s)',
  async (revision) => {
    let asked = 0
    const answer = (signal: unknown): Response => {
      asked += 1
      if (asked === 1) return new Response('Deploying.', { status: 503 })
      return streams().open(signal as AbortSignal, QUIET)
    }
    const listen = (_message: Message, signal: AbortSignal): Response => answer(signal)
    const server =
      revision === '2025-11-25'
        ? await older(({ signal }) => answer(signal))
        : (
            await connected({
              'server/discover': ALL,
              'tools/list': { tools: [] },
              'subscriptions/listen': listen,
            })
          ).server
    await until(() => asked === 2)
    await server.close()
  },
)

it('starts a new session when the stream of changes finds the old one lost', async () => {
  let [known, begun, streaming, listings] = ['session', 0, 0, 0]
  let end = (): void => undefined
  const isLost = ({ headers }: RequestInit): boolean =>
    new Headers(headers).get('mcp-session-id') !== known
  const lost = (): Response => new Response('', { status: 404 })
  const server = await older(
    (request) => {
      if (isLost(request)) return lost()
      streaming += 1
      return stream(request.signal as AbortSignal, (send, close) => {
        send(': here\n\n')
        end = close
      })
    },
    ({ method }, request) => {
      if (method === 'initialize') {
        begun += 1
        known = 'session'
      } else if (method !== 'server/discover' && isLost(request)) return lost()
      if (method === 'tools/list') listings += 1
      return undefined
    },
  )
  // An opened stream lists the tools again.
  await until(() => streaming === 1 && listings === 2)
  known = 'none'
  end()
  await until(() => begun === 2 && streaming === 2)
  await server.close()
})

it('keeps its session when the server has no stream of changes and answers 404', async () => {
  let [begun, gets, pings] = [0, 0, 0]
  const server = await older(
    () => new Response('', { status: ++gets && 404 }),
    ({ method }) => {
      if (method === 'initialize') begun += 1
      if (method === 'ping') pings += 1
      return undefined
    },
  )
  await until(() => pings === 1)
  expect({ begun, gets }).toEqual({ begun: 1, gets: 1 })
  await server.close()
})

it('starts a new session when the old one is lost before its stream of changes opens', async () => {
  let [begun, streaming] = [0, 0]
  const isLost = ({ headers }: RequestInit): boolean =>
    begun === 1 && new Headers(headers).has('mcp-session-id')
  const lost = (): Response => new Response('', { status: 404 })
  let isStarting = true
  const server = await older(
    (request) => {
      isStarting = false
      if (isLost(request)) return lost()
      streaming += 1
      return stream(request.signal as AbortSignal, (send) => send(': here\n\n'))
    },
    ({ method }, request) => {
      if (method === 'initialize') begun += 1
      return method === 'ping' && !isStarting && isLost(request) ? lost() : undefined
    },
  )
  await until(() => begun === 2 && streaming === 1)
  await server.close()
})

it.each<[string, () => Response]>([
  [
    'the network is not back yet',
    () => {
      throw new TypeError('Failed to fetch')
    },
  ],
  ['the server still thinks that it is open', () => new Response('', { status: 409 })],
])('resumes a stream again when %s', async (_when, fail) => {
  let [id, resumes]: [number | undefined, number] = [0, 0]
  const event = (message: object): string =>
    `id: 1\nretry: 10\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`
  const server = await older(
    ({ headers, signal }) => {
      if (!new Headers(headers).has('last-event-id')) return new Response('', { status: 405 })
      resumes += 1
      if (resumes === 1) return fail()
      const done = { id, result: { content: [{ type: 'text', text: 'done' }] } }
      return stream(signal as AbortSignal, (send) => send(event(done)))
    },
    (message, { signal }) => {
      if (message.method !== 'tools/call') return undefined
      id = message.id
      return stream(signal as AbortSignal, (send, close) => {
        send(event(QUIET))
        close()
      })
    },
  )
  const [first] = server.tools
  if (!first || !('execute' in first)) throw new Error('no tool')
  expect(await first.execute({} as never, contextOf())).toBe('done')
  expect(resumes).toBe(2)
  await server.close()
})

it('reports progress no more often than a person can see', async () => {
  const notes: unknown[] = []
  const { server } = await connected({
    'tools/list': { tools: [tool('a')] },
    'tools/call': ({ id }, signal) =>
      stream(signal, (send, close) => {
        for (let progress = 0; progress <= 5000; progress++)
          send(
            `data: ${JSON.stringify({
              jsonrpc: '2.0',
              method: 'notifications/progress',
              params: { progressToken: id, progress },
            })}\n\n`,
          )
        send(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: { content: [] } })}\n\n`)
        close()
      }),
  })
  const [first] = server.tools
  if (!first || !('execute' in first)) throw new Error('no tool')
  const begun = performance.now()
  await first.execute({} as never, contextOf({ progress: (value) => void notes.push(value) }))
  const atMost = (performance.now() - begun) / 50 + 12
  expect(notes.length).toBeLessThanOrEqual(atMost)
  expect(notes.at(-1)).toMatchObject({ progress: 5000 })
})

const question = {
  method: 'elicitation/create',
  params: {
    message: 'Who?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
}

function asking(count: number, elicitation: NonNullable<McpOptions['elicitation']>) {
  const inputRequests = Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`q${at}`, question]),
  )
  const asks = ({ id }: Message): Response =>
    result(id, { resultType: 'input_required', inputRequests })
  return connected({ 'tools/list': { tools: [tool('a')] }, 'tools/call': asks }, { elicitation })
}

it('limits questions to a person to twenty a call, and stops after a decline', async () => {
  let asked = 0
  const accepting = await asking(15, async () => {
    asked++
    return { action: 'accept', content: { name: 'Ann' } }
  })
  await expect(accepting.call('a')).rejects.toMatchObject({ code: 'bad-response' })
  expect(asked).toBe(15)
  asked = 0
  const declining = await asking(2, async () => {
    asked++
    return { action: 'decline' }
  })
  await expect(declining.call('a')).rejects.toMatchObject({ code: 'bad-response' })
  expect(asked).toBe(1)
})

it('redacts a token that comes back as a content type', async () => {
  const key = '0123456789ABCDEF0123'
  const { call } = await connected(
    {
      'tools/list': { tools: [tool('a')] },
      'tools/call': () => new Response('x', { headers: { 'content-type': key } }),
    },
    { headers: { 'x-key': key } },
  )
  await expect(call('a')).rejects.toThrow(/answered with \[redacted\], and not/)
})

type Respond = (message: Message, response: ServerResponse) => void

/** A server of the revisions with sessions. `onGet`: answers a client that resumes a stream. */
async function legacy(
  onCall: Respond,
  onGet?: (response: ServerResponse) => void,
): Promise<{ url: string; posts(): number }> {
  let posts = 0
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += piece))
    request.on('end', () => {
      if (onGet && request.headers['last-event-id'] !== undefined) return onGet(response)
      posts++
      const message = JSON.parse(body || '{}') as Message
      const answer = (value: object): void => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: value }))
      }
      if (message.method === 'initialize')
        return answer({
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'evil', version: '1' },
        })
      if (message.method === 'tools/list') return answer({ tools: [tool('a')] })
      if (message.method === 'tools/call') return onCall(message, response)
      response.writeHead(message.method === 'server/discover' ? 400 : 202)
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/mcp`, posts: () => posts }
}

async function called(
  url: string,
  options: Partial<McpOptions> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<unknown> {
  const server = await connectMcp({ url, ...options })
  onTestFinished(() => server.close())
  const [first] = server.tools
  if (!first || !('execute' in first)) throw new Error('no tool')
  return first.execute({} as never, contextOf({ signal }))
}

it('answers pings one at a time, not every ping of a flood', async () => {
  let tokens = 0
  const { url, posts } = await legacy(({ id }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const ping = `data: ${JSON.stringify({ jsonrpc: '2.0', id: 'p', method: 'ping' })}\n\n`
    response.write(ping.repeat(30_000))
    const done = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }
    response.end(`data: ${JSON.stringify(done)}\n\n`)
  })
  const token = (): string => {
    tokens++
    return 'dummy-token-of-a-test'
  }
  expect(await called(url, { token })).toBe('done')
  expect(posts()).toBeLessThan(1000)
  expect(tokens).toBeLessThan(1000)
})

it('does not answer every message of a flood in one batch', async () => {
  const { url, posts } = await legacy(({ id }, response) => {
    const pings = Array.from({ length: 5000 }, (_, at) => ({
      jsonrpc: '2.0',
      id: `p${at}`,
      method: at % 2 ? 'sampling/createMessage' : 'ping',
    }))
    const done = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify([...pings, done]))
  })
  const begun = performance.now()
  expect(await called(url)).toBe('done')
  // Allows 6 posts for connecting, a burst of 32, and two per second.
  expect(posts()).toBeLessThanOrEqual(6 + 32 + 2 * ((performance.now() - begun) / 1000 + 1))
})

it('reconnects to a stream that ends at once with growing delays', async () => {
  let gets = 0
  const stop = new AbortController()
  const { url } = await legacy(
    (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('id: a0\nretry: 0\ndata: \n\n')
    },
    (response) => {
      if (++gets === 3) return stop.abort()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(`id: a${gets}\nretry: 0\ndata: \n\n`)
    },
  )
  const begun = performance.now()
  await expect(called(url, {}, stop.signal)).rejects.toMatchObject({ code: 'aborted' })
  // 250 ms, 500 and 1000, less what timers are early by.
  expect(performance.now() - begun).toBeGreaterThan(1700)
})

it('fails a call at once when the server refuses to resume its stream', async () => {
  let gets = 0
  const { url } = await legacy(
    (_message, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('id: a0\nretry: 0\ndata: \n\n')
    },
    (response) => {
      gets += 1
      response.writeHead(404)
      response.end()
    },
  )
  await expect(called(url)).rejects.toThrow('does not resume its stream (status 404)')
  expect(gets).toBe(1)
})

it('stops reconnecting when the call is aborted, even if fetch ignores the signal', async () => {
  let gets = 0
  const stop = new AbortController()
  const endless = (): Response =>
    new Response(`id: a${gets}\nretry: 0\ndata: \n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    })
  const answers: { readonly [method: string]: object } = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'evil', version: '1' },
    },
    'tools/list': { tools: [tool('a')] },
  }
  const fetch: McpOptions['fetch'] = async (_url, { method, body }) => {
    if (method === 'GET') {
      if (++gets === 1) stop.abort()
      // Elsewhere this would have no end, and nothing else would run.
      return gets < 100 ? endless() : new Response('', { status: 404 })
    }
    const message = JSON.parse(String(body || '{}')) as Message
    if (message.method === 'tools/call') return endless()
    const answer = answers[message.method]
    return answer ? result(message.id, answer) : new Response('', { status: 400 })
  }
  await expect(called('https://evil.example/mcp', { fetch }, stop.signal)).rejects.toMatchObject({
    code: 'aborted',
  })
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(gets).toBe(1)
})

it('asks a person twenty questions of a call one by one, and cancels the others', async () => {
  let asked = 0
  const { url } = await legacy(({ id }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (let at = 0; at < 1000; at++)
      response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: `q${at}`, ...question })}\n\n`)
    const done = { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'done' }] } }
    response.end(`data: ${JSON.stringify(done)}\n\n`)
  })
  const elicitation = async () => {
    asked++
    return { action: 'accept', content: { name: 'Ann' } } as const
  }
  expect(await called(url, { elicitation })).toBe('done')
  expect(asked).toBe(20)
})

it.each([
  ['the app', undefined],
  ["an agent's run", new ToolStop('cancelled', 'The run was aborted.')],
])('a call that %s stops while its question waits frees its connection', async (_, reason) => {
  let isOver = false
  const { url } = await legacy((_, response) => {
    response.on('close', () => (isOver = true))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: 'q', ...question })}\n\n`)
  })
  const stop = new AbortController()
  const elicitation = async () => {
    stop.abort(reason)
    throw new Error('Stopped.')
  }
  await expect(called(url, { elicitation }, stop.signal)).rejects.toThrow('Stopped.')
  await until(() => isOver)
})

it('limits how much metadata is read', async () => {
  let sent = 0
  const endless = createServer((request, response) => {
    if (request.url === '/mcp') {
      response.writeHead(401, {
        'www-authenticate': `Bearer resource_metadata="http://${request.headers.host}/about"`,
      })
      return response.end()
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    const write = (): void => {
      sent += 100_000
      if (response.destroyed) return
      if (response.write('x'.repeat(100_000))) setImmediate(write)
      else response.once('drain', write)
    }
    write()
  })
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    endless.closeAllConnections()
    endless.close()
  })
  const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/mcp`
  const auth = { redirectUrl: 'http://127.0.0.1/back' }
  await expect(connectMcp({ url, auth })).rejects.toMatchObject({ code: 'mcp-auth-failed' })
  expect(sent).toBeGreaterThan(0)
})
