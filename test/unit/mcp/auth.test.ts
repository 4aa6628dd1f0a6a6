import { afterEach, expect, it, vi } from 'vitest'
import { CHANNEL } from '../../../src/connect/mcp/auth/code-flow.ts'
import {
  connectMcp,
  type McpAuthOptions,
  type McpKeyStore,
  type McpServer,
} from '../../../src/connect/mcp/index.ts'

const SERVER = 'https://mcp.example'
const ISSUER = 'https://login.example'
const REDIRECT = 'https://app.example/mcp-auth'

interface World {
  readonly fetched: { readonly url: string; readonly token: string | null; readonly body: string }[]
  readonly opened: URL[]
  /** The access token that the server accepts. */
  valid: string
  metadata: Record<string, unknown>
  protection: Record<string, unknown>
  /** Parameters that come back from a login. `state` is the one from the address. */
  back: (state: string) => Record<string, string>
  refuseRefresh: boolean
  /** Status of the authorization server's answer to any token request. */
  tokenStatus?: number
  fetch?: ReturnType<typeof fetchOf>
  /** In place of the token endpoint's usual answers. Null: the usual one. */
  tokens?: (form: URLSearchParams) => object | null
  /** In place of the server's usual refusals. Null: it accepts the token. */
  refuse?: (token: string | null) => Response | null
}

function createWorld(): World {
  return {
    fetched: [],
    opened: [],
    valid: 'access-token-1',
    metadata: {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: `${ISSUER}/token`,
      registration_endpoint: `${ISSUER}/register`,
      code_challenge_methods_supported: ['S256'],
    },
    protection: { resource: `${SERVER}/mcp`, authorization_servers: [ISSUER] },
    back: (state) => ({ state, code: 'the-code' }),
    refuseRefresh: false,
  }
}

function storeIn(kept: Map<string, string>): McpKeyStore {
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => kept.set(key, value),
    removeItem: (key) => kept.delete(key),
  }
}

function fetchOf(world: World) {
  let [given, clients] = [0, 0]
  return async (url: URL, request: RequestInit): Promise<Response> => {
    const { authorization = null } = (request.headers ?? {}) as { authorization?: string }
    const body = String(request.body ?? '')
    world.fetched.push({ url: url.href, token: authorization, body })
    if (url.pathname.startsWith('/.well-known/oauth-protected-resource'))
      return Response.json(world.protection)
    if (url.href === `${ISSUER}/.well-known/oauth-authorization-server`)
      return Response.json(world.metadata)
    if (url.href === `${ISSUER}/register`)
      return Response.json({ client_id: `client-${++clients}` })
    if (url.href === `${ISSUER}/token`) {
      if (world.tokenStatus !== undefined) return Response.json({}, { status: world.tokenStatus })
      if (world.refuseRefresh && body.includes('refresh_token='))
        return Response.json({}, { status: 400 })
      const answer = world.tokens?.(new URLSearchParams(body))
      if (answer) return Response.json(answer, { status: 'error' in answer ? 400 : 200 })
      return Response.json({
        access_token: `access-token-${++given}`,
        refresh_token: 'refresh-token',
        token_type: 'Bearer',
      })
    }
    const refused = world.refuse
      ? world.refuse(authorization)
      : authorization !== `Bearer ${world.valid}`
        ? new Response('', {
            status: 401,
            headers: { 'www-authenticate': 'Bearer scope="read"' },
          })
        : null
    if (refused) return refused
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    const result =
      method === 'server/discover'
        ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
        : { tools: [] }
    return Response.json({ jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } })
  }
}

/** A window in which the person logs in at once. */
function openWindows(world: World): void {
  vi.stubGlobal('open', (address: string) => {
    const url = new URL(address)
    world.opened.push(url)
    const channel = new BroadcastChannel(CHANNEL)
    const answer = world.back(url.searchParams.get('state') ?? '')
    setTimeout(() => {
      channel.postMessage({ query: '?state=of-another-log-in&code=evil' })
      channel.postMessage({ query: `?${new URLSearchParams(answer)}` })
      setTimeout(() => channel.close(), 100)
    })
    return { closed: false, close: () => undefined }
  })
}

async function connect(world: World, auth: Partial<McpAuthOptions> = {}): Promise<McpServer> {
  openWindows(world)
  return connectMcp({
    url: `${SERVER}/mcp`,
    fetch: fetchOf(world),
    auth: { redirectUrl: REDIRECT, ...auth },
  })
}

afterEach(() => {
  vi.unstubAllGlobals()
})

it('logs in by the code flow, with PKCE, state and resource', async () => {
  const world = createWorld()
  const server = await connect(world)
  const [address] = world.opened
  expect(Object.fromEntries(address?.searchParams ?? [])).toMatchObject({
    response_type: 'code',
    client_id: 'client-1',
    redirect_uri: REDIRECT,
    code_challenge_method: 'S256',
    resource: `${SERVER}/mcp`,
    scope: 'read',
  })
  const exchange = world.fetched.find(({ url }) => url === `${ISSUER}/token`)
  const sent = new URLSearchParams(exchange?.body)
  expect(sent.get('code')).toBe('the-code')
  expect(sent.get('resource')).toBe(`${SERVER}/mcp`)
  const digest = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(sent.get('code_verifier') ?? ''),
  )
  expect(Buffer.from(digest).toString('base64url')).toBe(
    address?.searchParams.get('code_challenge'),
  )
  for (const { url, token } of world.fetched)
    if (!url.startsWith(`${SERVER}/mcp`)) expect(token).toBeNull()
  await server.close()
})

it.each([
  ['its clientName', { clientName: 'The boat shop' }, 'The boat shop'],
  ["the page's host without a clientName", {}, 'boats.example:8443'],
])('an app that registers itself is named %s', async (_, auth, name) => {
  vi.stubGlobal('location', new URL('https://boats.example:8443/cart'))
  const world = createWorld()
  const redirectUrl = 'https://boats.example:8443/mcp-auth'
  const server = await connect(world, { redirectUrl, ...auth })
  const registrations = world.fetched.filter(({ url }) => url === `${ISSUER}/register`)
  expect(registrations.map(({ body }) => JSON.parse(body))).toMatchObject([{ client_name: name }])
  await server.close()
})

it('refreshes a refused token, and logs in again when the refresh is refused', async () => {
  const world = createWorld()
  const server = await connect(world)
  world.valid = 'access-token-2'
  await Promise.all([server.refresh(), server.refresh(), server.refresh()])
  expect(world.opened).toHaveLength(1)
  expect(world.fetched.filter(({ body }) => body.includes('refresh_token'))).toHaveLength(
    // The registration names the grant type, too.
    2,
  )
  world.valid = 'access-token-3'
  world.refuseRefresh = true
  await server.refresh()
  expect(world.opened).toHaveLength(2)
  await server.close()
})

it.each([429, 500, 503])(
  'keeps a refresh token when the authorization server fails (%i), without a new log-in',
  async (status) => {
    const world = createWorld()
    const kept = new Map<string, string>()
    const store = storeIn(kept)
    const server = await connect(world, { store })
    world.valid = 'access-token-2'
    world.tokenStatus = status
    await expect(server.refresh()).rejects.toMatchObject({
      code: 'mcp-auth-failed',
      retryable: true,
      details: { status },
    })
    expect([...kept.values()].join()).toContain('"refresh":"refresh-token"')
    delete world.tokenStatus
    await server.refresh()
    expect(world.opened).toHaveLength(1)
    await server.close()
  },
)

it('keeps the tokens that another tab got with the same refresh token', async () => {
  const kept = new Map<string, string>()
  const world = createWorld()
  const server = await connect(world, { store: storeIn(kept) })
  world.valid = 'access-token-of-the-other-tab'
  world.tokens = () => {
    // The authorization server takes each refresh token once, and the other tab was first.
    const [key = ''] = [...kept.keys()].filter((each) => each.endsWith(':tokens'))
    const had = JSON.parse(kept.get(key) ?? '{}') as object
    kept.set(key, JSON.stringify({ ...had, access: world.valid, refresh: 'refresh-token-2' }))
    return { error: 'invalid_grant' }
  }
  await server.refresh()
  expect(world.opened).toHaveLength(1)
  expect([...kept.values()].join()).toContain('"refresh":"refresh-token-2"')
  await server.close()
})

const clientsOf = ({ opened }: World): unknown[] =>
  opened.map(({ searchParams }) => searchParams.get('client_id'))

it.each(['refresh_token', 'authorization_code'])(
  'registers again when the authorization server forgot the app (%s)',
  async (grant) => {
    const world = createWorld()
    const server = await connect(world)
    world.valid = 'access-token-2'
    // The log-in after that succeeds.
    world.tokens = (form) => {
      if (form.get('client_id') !== 'client-1') return null
      return { error: form.get('grant_type') === grant ? 'invalid_client' : 'invalid_grant' }
    }
    await server.refresh().catch(() => undefined)
    await server.refresh()
    expect(clientsOf(world).at(0)).toBe('client-1')
    expect(clientsOf(world).at(-1)).toBe('client-2')
    await server.close()
  },
)

it.each([
  ['registers again', 'closes the window', 'client-2'],
  ['registers again', 'stops waiting', 'client-2'],
  ['registers again', 'left this page and came back', 'client-2'],
  ['keeps its registration', 'saw no window, which was blocked', 'client-1'],
  ['keeps its registration', 'saw none, and left this page for another server', 'client-1'],
])('%s after a log-in without an answer: the person %s', async (_, what, then) => {
  const world = createWorld()
  const store = storeIn(new Map())
  const mode = what.startsWith('left') ? 'redirect' : 'popup'
  if (what.endsWith('another server'))
    await store.setItem('offstage-mcp:log-in', JSON.stringify({ url: 'https://other.example/' }))
  const controller = new AbortController()
  const leave = (address: string): object | null => {
    world.opened.push(new URL(address))
    let looks = 0
    vi.stubGlobal('document', { hasFocus: () => looks > 1 })
    const closing = Object.defineProperty({ close: () => undefined }, 'closed', {
      get: () => what.startsWith('closes') && ++looks > 1,
    })
    if (mode === 'redirect' || what.startsWith('stops')) controller.abort()
    return what.startsWith('saw') ? null : closing
  }
  vi.stubGlobal('location', { assign: leave, host: 'app.example' })
  vi.stubGlobal('open', leave)
  const fetch = fetchOf(world)
  const auth = { redirectUrl: REDIRECT, store, mode } as const
  await expect(
    connectMcp({ url: `${SERVER}/mcp`, fetch, auth, signal: controller.signal }),
  ).rejects.toThrow()
  openWindows(world)
  const assign = (address: string): void => void world.opened.push(new URL(address))
  vi.stubGlobal('location', { assign, host: 'app.example' })
  const ending = new AbortController()
  const again = connectMcp({ url: `${SERVER}/mcp`, fetch, auth, signal: ending.signal })
  await vi.waitFor(() => expect(clientsOf(world)).toEqual(['client-1', then]))
  ending.abort()
  await again.catch(() => undefined)
})

it('registers again when the app moved the page to which log-ins return', async () => {
  const store = storeIn(new Map())
  const world = createWorld()
  const answer = fetchOf(world)
  openWindows(world)
  for (const redirectUrl of [REDIRECT, `${REDIRECT}/moved`]) {
    const auth = { redirectUrl, store }
    await (await connectMcp({ url: `${SERVER}/mcp`, fetch: answer, auth })).close()
    // The token expires, and no other one comes without a log-in.
    world.valid = 'access-token-2'
    world.tokens = (form) => (form.has('refresh_token') ? { error: 'invalid_grant' } : null)
  }
  expect(clientsOf(world)).toEqual(['client-1', 'client-2'])
})

it('asks for a log-in when the server refuses refreshed tokens, too, and for one at most', async () => {
  const world = createWorld()
  const server = await connect(world)
  const refreshed = (form: URLSearchParams): object | null =>
    form.has('refresh_token') ? { access_token: 'refreshed', token_type: 'Bearer' } : null
  world.tokens = refreshed
  // The server ended its own session.
  world.valid = 'access-token-2'
  await server.refresh()
  expect(world.opened).toHaveLength(2)
  world.tokens = () => null
  world.refuse = () => new Response('', { status: 401 })
  await expect(server.refresh()).rejects.toMatchObject({ code: 'authentication' })
  expect(world.opened).toHaveLength(3)
  world.refuseRefresh = true
  await expect(server.refresh()).rejects.toMatchObject({ code: 'authentication' })
  expect(world.opened).toHaveLength(4)
  await server.close()
})

it.each([
  ['when an answer names no scopes', {}, 'read write'],
  ["although the app's scope is another", { scope: 'own' }, 'own write'],
])('a log-in for more keeps what was granted, %s', async (_, auth, scope) => {
  const world = createWorld()
  const server = await connect(world, auth)
  world.refuse = (token) =>
    token === 'Bearer access-token-1'
      ? new Response('', {
          status: 403,
          headers: { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' },
        })
      : null
  await server.refresh()
  expect(world.opened.at(-1)?.searchParams.get('scope')).toBe(scope)
  await server.close()
})

it('reports an aborted log-in as cancelled', async () => {
  const open = vi.fn<() => object>(() => ({ closed: false, close: () => undefined }))
  vi.stubGlobal('open', open)
  const controller = new AbortController()
  const connecting = connectMcp({
    url: `${SERVER}/mcp`,
    auth: { redirectUrl: REDIRECT },
    fetch: fetchOf(createWorld()),
    signal: controller.signal,
  })
  const failure = connecting.catch((thrown: unknown) => thrown)
  await vi.waitFor(() => expect(open).toHaveBeenCalled(), 10_000)
  controller.abort(new DOMException('The time is up.', 'TimeoutError'))
  expect(await failure).toMatchObject({
    code: 'aborted',
    message: 'The log-in was cancelled before it finished.',
  })
})

it('rejects a log-in configuration that no log-in could return to', async () => {
  vi.stubGlobal('origin', 'https://app.example')
  const world = createWorld()
  const REFUSED: readonly [auth: object, why: string][] = [
    [{}, 'redirectUrl'],
    [{ redirectUrl: 'http://' }, 'redirectUrl'],
    [{ redirectUrl: 'https://other.example/mcp-auth' }, 'other.example'],
    [{ redirectUrl: REDIRECT, mode: 'redirect' }, 'store'],
    [{ redirectUrl: REDIRECT, mode: 'window' }, 'mode'],
  ]
  for (const [auth, why] of REFUSED)
    await expect(
      connectMcp({ url: `${SERVER}/mcp`, fetch: fetchOf(world), auth: auth as McpAuthOptions }),
    ).rejects.toMatchObject({ code: 'invalid-config', message: expect.stringContaining(why) })
  expect(world.fetched).toEqual([])
})

it('reuses the stored tokens of an earlier page', async () => {
  const kept = new Map<string, string>()
  const store = storeIn(kept)
  const world = createWorld()
  await (await connect(world, { store })).close()
  await (await connect(world, { store })).close()
  expect(world.opened).toHaveLength(1)
})

it.each([
  [
    'another issuer',
    (world: World) => (world.back = (state) => ({ state, code: 'x', iss: 'https://evil.example' })),
  ],
  [
    'no issuer, where it is promised',
    (world: World) => (world.metadata.authorization_response_iss_parameter_supported = true),
  ],
  ['a refusal', (world: World) => (world.back = (state) => ({ state, error: 'access_denied' }))],
  [
    'metadata of another issuer',
    (world: World) => (world.metadata.issuer = 'https://evil.example'),
  ],
  ['no PKCE', (world: World) => (world.metadata.code_challenge_methods_supported = ['plain'])],
  [
    'an endpoint that is not encrypted',
    (world: World) => (world.metadata.token_endpoint = 'http://login.example/token'),
  ],
  ['another resource', (world: World) => (world.protection.resource = 'https://bank.example/mcp')],
  [
    'an authorization server by no address',
    (world: World) => (world.protection.authorization_servers = ['login']),
  ],
  [
    'an authorization server by a script',
    (world: World) => (world.protection.authorization_servers = ['javascript:alert(1)']),
  ],
  [
    'an issuer with a query',
    (world: World) => (world.protection.authorization_servers = [`${ISSUER}?tenant=a`]),
  ],
  [
    'a log-in at one origin whose code goes to another',
    (world: World) => (world.metadata.authorization_endpoint = 'https://bank.example/authorize'),
  ],
  ['no authorization server', (world: World) => (world.protection.authorization_servers = [])],
  [
    'an authorization server over http',
    (world: World) => (world.protection.authorization_servers = ['http://login.example']),
  ],
])('refuses %s, before a code or token is sent anywhere', async (_name, spoil) => {
  const world = createWorld()
  spoil(world)
  await expect(connect(world)).rejects.toMatchObject({ code: 'mcp-auth-failed' })
  expect(world.fetched.filter(({ url }) => url.endsWith('/token'))).toEqual([])
})

it('accepts only the authorization servers that the app lists', async () => {
  const world = createWorld()
  await expect(connect(world, { issuers: ['https://ours.example'] })).rejects.toMatchObject({
    code: 'mcp-auth-failed',
  })
})

it('refuses a shared client id unless the issuer is listed or identifies itself', async () => {
  const refused = createWorld()
  await expect(connect(refused, { clientId: 'ours' })).rejects.toThrow(`issuers: ['${ISSUER}']`)
  expect(refused.opened).toEqual([])

  const listed = createWorld()
  await (await connect(listed, { clientId: 'ours', issuers: [ISSUER] })).close()
  expect(listed.opened[0]?.searchParams.get('client_id')).toBe('ours')

  const saysSo = createWorld()
  saysSo.metadata.authorization_response_iss_parameter_supported = true
  saysSo.back = (state) => ({ state, code: 'the-code', iss: ISSUER })
  await (await connect(saysSo, { clientId: 'ours' })).close()
  expect(saysSo.opened).toHaveLength(1)
})

it('allows a log-in at another origin if the issuer is listed or identifies itself', async () => {
  const elsewhere = { authorization_endpoint: 'https://people.example/authorize' }
  const listed = createWorld()
  Object.assign(listed.metadata, elsewhere)
  await (await connect(listed, { issuers: [ISSUER] })).close()
  expect(listed.opened[0]?.origin).toBe('https://people.example')

  const saysSo = createWorld()
  const says = { authorization_response_iss_parameter_supported: true }
  Object.assign(saysSo.metadata, elsewhere, says)
  saysSo.back = (state) => ({ state, code: 'the-code', iss: ISSUER })
  await (await connect(saysSo)).close()
  expect(saysSo.opened).toHaveLength(1)
})

it('requests no invalid scopes', async () => {
  const world = createWorld()
  const answer = fetchOf(world)
  world.protection.scopes_supported = ['read', { toString: 0 }, 7, 'a b', 'write']
  openWindows(world)
  const server = await connectMcp({
    url: `${SERVER}/mcp`,
    auth: { redirectUrl: REDIRECT },
    fetch: async (url, request) => {
      const response = await answer(url, request)
      return response.status === 401 ? new Response('', { status: 401 }) : response
    },
  })
  expect(world.opened[0]?.searchParams.get('scope')).toBe('read write')
  await server.close()
})

it.each(['a\r\nx-evil: 1', '', 'a b'])('refuses an invalid token: %j', async (token) => {
  const world = createWorld()
  const answer = fetchOf(world)
  openWindows(world)
  const connecting = connectMcp({
    url: `${SERVER}/mcp`,
    auth: { redirectUrl: REDIRECT },
    fetch: async (url, request) =>
      url.pathname === '/token'
        ? Response.json({ access_token: token, token_type: 'Bearer' })
        : answer(url, request),
  })
  await expect(connecting).rejects.toMatchObject({ code: 'mcp-auth-failed' })
})

it('keeps separate tokens for two queries of one path', async () => {
  const kept = new Map<string, string>()
  const store = storeIn(kept)
  const world = createWorld()
  openWindows(world)
  for (const tenant of ['a', 'b', 'a']) {
    world.valid = `access-token-${tenant === 'a' ? 1 : 2}`
    const server = await connectMcp({
      url: `${SERVER}/mcp?tenant=${tenant}`,
      fetch: (world.fetch ??= fetchOf(world)),
      auth: { redirectUrl: REDIRECT, store },
    })
    await server.close()
  }
  expect(world.opened).toHaveLength(2)
})

it('times out when metadata never ends', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const world = createWorld()
  const answer = fetchOf(world)
  let isEndless = false
  const connecting = connectMcp({
    url: `${SERVER}/mcp`,
    auth: { redirectUrl: REDIRECT },
    fetch: async (url, request) => {
      if (!url.pathname.includes('oauth-protected-resource')) return answer(url, request)
      isEndless = true
      return new Response(
        new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) }),
      )
    },
  })
  const failed = expect(connecting).rejects.toMatchObject({ code: 'timeout' })
  await vi.waitFor(() => expect(isEndless).toBe(true))
  await vi.advanceTimersByTimeAsync(31_000)
  await failed
  vi.useRealTimers()
})

it('times out when the server never answers', async () => {
  vi.useFakeTimers()
  const connecting = connectMcp({
    url: `${SERVER}/mcp`,
    auth: { redirectUrl: REDIRECT },
    fetch: (_url, { signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  })
  const failed = expect(connecting).rejects.toMatchObject({ code: 'timeout' })
  await vi.advanceTimersByTimeAsync(40_000)
  await failed
  vi.useRealTimers()
})

it('waits minutes for a person to log in', async () => {
  const world = createWorld()
  let answer: ((words: object) => void) | undefined
  vi.stubGlobal('open', (address: string) => {
    const { searchParams } = new URL(address)
    const channel = new BroadcastChannel(CHANNEL)
    answer = (words) => {
      const state = searchParams.get('state') ?? ''
      channel.postMessage({ query: `?${new URLSearchParams({ state, ...words })}` })
      channel.close()
    }
    return { closed: false, close: () => undefined }
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  const connecting = connectMcp({
    url: `${SERVER}/mcp`,
    auth: { redirectUrl: REDIRECT },
    fetch: fetchOf(world),
  })
  await vi.waitFor(() => expect(answer).toBeDefined())
  await vi.advanceTimersByTimeAsync(5 * 60_000)
  answer?.({ code: 'the-code' })
  vi.useRealTimers()
  await (await connecting).close()
})

it('does not reveal what was sent when the token request fails', async () => {
  const world = createWorld()
  const answer = fetchOf(world)
  openWindows(world)
  const failure: unknown = await connectMcp({
    url: `${SERVER}/mcp`,
    auth: { redirectUrl: REDIRECT },
    fetch: async (url, request) => {
      if (url.pathname === '/token') throw new Error(`can't send ${String(request.body)}`)
      return answer(url, request)
    },
  }).catch((thrown: unknown) => thrown)
  expect(failure).toMatchObject({ code: 'mcp-auth-failed' })
  expect(failure).not.toHaveProperty('cause')
  expect(String(failure)).not.toContain('the-code')
})

it('reports a blocked log-in window', async () => {
  const world = createWorld()
  vi.stubGlobal('open', () => null)
  await expect(
    connectMcp({
      url: `${SERVER}/mcp`,
      fetch: fetchOf(world),
      auth: { redirectUrl: REDIRECT, clientId: 'ours', issuers: [ISSUER] },
    }),
  ).rejects.toThrow('blocked')
  expect(world.fetched.some(({ url }) => url.endsWith('/register'))).toBe(false)
})

it.each([
  'http://localhost:9000',
  'https://127.0.0.1',
  'https://[::1]',
  'https://10.1.2.3',
  'https://172.20.0.1',
  'https://192.168.1.1',
  'https://169.254.169.254',
  'https://0x7f.1',
  'https://[fd00::1]',
  'https://[::ffff:10.0.0.1]',
  'https://printer',
  'https://nas.local',
  'https://a.localhost.',
])(
  'when a remote server names the local-network address %s, no token is requested',
  async (origin) => {
    for (const name of ['authorization_endpoint', 'token_endpoint', 'registration_endpoint']) {
      const world = createWorld()
      world.metadata[name] = `${origin}/x`
      await expect(connect(world)).rejects.toMatchObject({ code: 'mcp-auth-failed' })
      expect(world.opened).toEqual([])
      expect(world.fetched.filter(({ url }) => url.startsWith(new URL(origin).origin))).toEqual([])
    }
    const world = createWorld()
    world.protection['authorization_servers'] = [origin]
    const message = expect.stringContaining('your own network') as string
    await expect(connect(world)).rejects.toMatchObject({ code: 'mcp-auth-failed', message })
    expect(world.fetched.filter(({ url }) => url.startsWith(new URL(origin).origin))).toEqual([])
  },
)

it('a local server may use an authorization server on the same machine', async () => {
  const local = 'http://localhost:9000'
  const world = createWorld()
  world.metadata = Object.fromEntries(
    Object.entries(world.metadata).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.replace(ISSUER, local) : value,
    ]),
  )
  world.protection = { resource: 'http://localhost:8000/mcp', authorization_servers: [local] }
  openWindows(world)
  const answer = fetchOf(world)
  const server = await connectMcp({
    url: 'http://localhost:8000/mcp',
    // The world's authorization server has another address.
    fetch: (url, request) => answer(new URL(url.href.replace(local, ISSUER)), request),
    auth: { redirectUrl: REDIRECT },
  })
  expect(world.opened.map(({ origin }) => origin)).toEqual([local])
  await server.close()
})

it("two underscores in a server name can't imitate the tools of another server", async () => {
  const named = async (server: string, tool: string, prefix?: string): Promise<string[]> => {
    const answers: Record<string, object> = {
      'server/discover': {
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: {} },
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: server, version: '1' } },
      },
      'tools/list': {
        tools: [{ name: tool, description: 'd', inputSchema: { type: 'object' } }],
      },
    }
    const connected = await connectMcp({
      url: `${SERVER}/mcp`,
      ...(prefix !== undefined && { prefix }),
      fetch: async (_, { body }) => {
        const { id, method } = JSON.parse(String(body)) as { id: number; method: string }
        const result = { resultType: 'complete', ...answers[method] }
        return Response.json({ jsonrpc: '2.0', id, result })
      },
    })
    await connected.close()
    return connected.tools.map(({ name }) => name)
  }
  expect(await named('a', 'b__c')).toEqual(['a__b__c'])
  expect(await named('a__b', 'c')).toEqual(['a_b__c'])
  expect(await named('other', 'c', 'a__b')).toEqual(['a_b__c'])
  expect(await named('a', '_c')).toEqual(['a___c'])
  expect(await named('a_', 'c')).toEqual(['a__c'])
})
