import { beforeAll, expect, it } from 'vitest'
import { diagnoseMcp } from '../../../src/connect/mcp/index.ts'
import { type OfficialServers, officialServers } from '../../mcp/prepare-servers.ts'

let official: OfficialServers
beforeAll(async () => {
  official = await officialServers()
}, 300_000)

it('finds nothing wrong with servers that a page can connect to', async () => {
  const [modern, legacy] = [await official.startModern(), await official.startLegacy()]
  expect(await diagnoseMcp(modern.url)).toEqual({ protocolVersion: '2026-07-28', problems: [] })
  expect(await diagnoseMcp(legacy.url)).toEqual({ protocolVersion: '2025-11-25', problems: [] })
  await modern.close()
  await legacy.close()
  const { problems } = await diagnoseMcp(modern.url)
  expect(problems).toMatchObject([{ code: 'unreachable' }])
})

it('reports that a token is required and that no metadata says where to get one', async () => {
  const server = await official.startModern({ token: 'the-token' })
  const { problems } = await diagnoseMcp(server.url)
  expect(problems.map(({ code }) => code)).toEqual(['token-needed', 'no-metadata'])
  for (const token of ['the-token', () => 'the-token'])
    expect(await diagnoseMcp(server.url, { token })).toMatchObject({ problems: [] })
  await server.close()
})

it.each([
  ['wrong-path', () => new Response('not here', { status: 404 })],
  ['server-error', () => new Response('broken', { status: 500 })],
  [
    'old-transport',
    (method: string) =>
      method === 'GET'
        ? new Response('event: endpoint\ndata: /messages\n\n', {
            headers: { 'content-type': 'text/event-stream' },
          })
        : new Response('', { status: 405 }),
  ],
] as const)('recognises %s', async (code, answer) => {
  const fetch = async (_url: URL, { method }: RequestInit): Promise<Response> =>
    answer(method ?? '')
  expect(await diagnoseMcp('https://mcp.example/sse', { fetch })).toMatchObject({
    problems: [{ code }],
  })
})

it.each([
  ['mcp-method', /^mcp-method$/],
  ['mcp-session-id', /^mcp-session-id$/],
])('reports the header %s only for the revision that needs it', async (header, refused) => {
  const fetch = async (_url: URL, { headers }: RequestInit): Promise<Response> => {
    if (headers && Object.keys(headers).some((name) => refused.test(name)))
      throw new TypeError('Failed to fetch')
    return new Response('{}', { status: 400, headers: { 'content-type': 'application/json' } })
  }
  const { problems } = await diagnoseMcp('https://mcp.example/mcp', { fetch })
  expect(problems).toMatchObject([
    { code: 'cors-header', message: expect.stringContaining(header) },
  ])
})

it('names each header that CORS does not allow', async () => {
  // Fails requests with such a header, as browsers do.
  const fetch = async (_url: URL, { headers }: RequestInit): Promise<Response> => {
    if (headers && Object.keys(headers).some((name) => /^mcp-(method|session-id)$/.test(name)))
      throw new TypeError('Failed to fetch')
    return new Response('', { status: 405 })
  }
  const { problems } = await diagnoseMcp('https://mcp.example/mcp', { fetch })
  expect(problems.map(({ message }) => message)).toEqual([
    'Access-Control-Allow-Headers lacks mcp-method.',
  ])
})
