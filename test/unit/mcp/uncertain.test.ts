import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import {
  connectMcp,
  fromMcpClient,
  type McpOptions,
  type McpServer,
} from '../../../src/connect/mcp/index.ts'
import { contextOf } from './support.ts'

const UNCERTAIN = /may or may not have taken effect\.$/

type Answer = (request: IncomingMessage, response: ServerResponse) => void

const cut: Answer = (request) => void request.socket.destroy()

const cutLater: Answer = (request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': begun\n\n', () => request.socket.destroy())
}

const badGateway: Answer = (_request, response) => {
  response.writeHead(502, { 'content-type': 'text/html' })
  response.end('<h1>Bad gateway</h1>')
}

const refusal: Answer = (_request, response) => void response.writeHead(401).end()

/** A server over TCP with one tool, whose calls are answered as the test says. */
async function serverOf(isModern: boolean, onCall: Answer) {
  let calls = 0
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (piece) => (body += String(piece)))
    request.on('end', () => {
      const { id, method } = JSON.parse(body || '{}') as { id?: number; method?: string }
      if (method === 'tools/call') {
        calls++
        return onCall(request, response)
      }
      const answer =
        method === 'server/discover' && isModern
          ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
          : method === 'initialize'
            ? {
                protocolVersion: '2025-11-25',
                capabilities: { tools: {} },
                serverInfo: { name: 'shop', version: '1' },
              }
            : method === 'tools/list'
              ? { tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }
              : null
      if (!answer) return void response.writeHead(id === undefined ? 202 : 404).end()
      response.setHeader('content-type', 'application/json')
      const result = { resultType: 'complete', ...answer }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
  const connect = (options: Partial<McpOptions> = {}): Promise<McpServer> =>
    connectMcp({ url, ...options })
  return { server, connect, calls: () => calls }
}

async function pay({ tools: [tool] }: Pick<McpServer, 'tools'>): Promise<unknown> {
  if (!tool || !('execute' in tool)) throw new Error('no tool')
  return tool.execute({} as never, contextOf())
}

it.each([
  ['2026-07-28', true],
  ['2025-11-25', false],
] as const)(
  'when the connection fails after sending, the error says the call may have happened (%s)',
  async (_, modern) => {
    for (const answer of [cut, cutLater, badGateway]) {
      const { connect, calls } = await serverOf(modern, answer)
      const server = await connect()
      const failure: unknown = await pay(server).catch((thrown: unknown) => thrown)
      expect(failure).toMatchObject({ message: expect.stringMatching(UNCERTAIN) })
      expect(String(failure)).not.toContain('could not be reached')
      expect(calls()).toBe(1)
      await server.close()
    }
  },
)

it.each([
  ['2026-07-28', true],
  ['2025-11-25', false],
] as const)(
  'closing the connection during a call reports that it may have happened (%s)',
  async (_, modern) => {
    let begun = (): void => undefined
    const isThere = new Promise<void>((resolve) => (begun = resolve))
    const { connect } = await serverOf(modern, () => begun())
    const server = await connect()
    const paying = pay(server).catch((thrown: unknown) => thrown)
    await isThere
    await server.close()
    expect(await paying).toMatchObject({
      code: 'disposed',
      message: expect.stringMatching(UNCERTAIN),
    })
  },
)

it('an unsent or refused call is not reported as possibly done', async () => {
  const refusing = await serverOf(true, refusal)
  const server = await refusing.connect()
  const refused: unknown = await pay(server).catch((thrown: unknown) => thrown)
  expect(refused).toMatchObject({ code: 'authentication' })
  expect(String(refused)).not.toMatch(UNCERTAIN)

  let token: unknown = 'a-token'
  const { connect, calls } = await serverOf(true, cut)
  const other = await connect({ token: () => token as string })
  for (const none of [undefined, '', 7]) {
    token = none
    await expect(pay(other)).rejects.toMatchObject({
      code: 'authentication',
      message: expect.stringMatching(/nothing was sent: token returned no string\.$/),
    })
  }
  token = 'a\nsecret'
  const unsendable: unknown = await pay(other).catch((thrown: unknown) => thrown)
  expect(unsendable).toMatchObject({ code: 'invalid-config' })
  expect(String(unsendable)).not.toContain('secret')
  expect(calls()).toBe(0)
})

it('an unreachable tool list is not reported as possibly done', async () => {
  const { server, connect } = await serverOf(true, cut)
  const connected = await connect()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await expect(connected.refresh()).rejects.toMatchObject({
    code: 'network',
    message: expect.stringContaining('could not be reached'),
  })
})

it.each([
  ['a lost connection', { code: -32_000 }, true],
  ['a time that is up', { code: -32_001 }, true],
  ['a status', { code: 502 }, true],
  ['what has no number', {}, true],
  ['a refusal of the server', { code: -32_602 }, false],
  ['a refused result', { code: -32_600, message: 'Tool pay has an output schema.' }, true],
  ['a wrong result', { code: -32_602, message: 'Structured content does not match.' }, true],
])("distinguishes %s of the app's own client from a refusal", async (_name, more, isUncertain) => {
  const server = await fromMcpClient(
    {
      callTool: async () => {
        throw Object.assign(new Error('It failed.'), more)
      },
      listTools: async () => ({ tools: [{ name: 'pay', inputSchema: { type: 'object' } }] }),
      getServerCapabilities: () => ({ tools: {} }),
      getServerVersion: () => ({ name: 'shop', version: '1' }),
      close: async () => undefined,
    },
    { source: 'The shop' },
  )
  const failure: unknown = await pay(server).catch((thrown: unknown) => thrown)
  expect(failure).toMatchObject({ code: 'mcp-error' })
  expect(UNCERTAIN.test(String(failure))).toBe(isUncertain)
})
