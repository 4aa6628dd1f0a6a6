// A server of the HTTP store in a process of its own, on the PostgreSQL at the port that it is given.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { createStoreHandler, postgresDatabase } from '../../dist/http-store-server.js'
import { poolOf } from '../../test/http-store/postgres.mjs'

const [port] = process.argv.slice(2)
const handler = createStoreHandler({
  database: postgresDatabase(poolOf(Number(port))),
  followDatabase: postgresDatabase(poolOf(Number(port), { max: 1 })),
  authorize: ({ headers }) => ({ tenant: headers.get('x-tenant') ?? 'team' }),
  onError: (error) => console.error(error),
})

const server = createServer((incoming, response) => void answer(incoming, response))

async function answer(incoming, response) {
  const clientAbort = new AbortController()
  response.on('close', () => clientAbort.abort())
  const { status, headers, body } = await handler(
    new Request(`http://localhost${incoming.url}`, {
      method: incoming.method,
      headers: incoming.headers,
      signal: clientAbort.signal,
      ...(incoming.method === 'POST' && { body: Readable.toWeb(incoming), duplex: 'half' }),
    }),
  )
  response.writeHead(status, Object.fromEntries(headers))
  response.flushHeaders()
  for await (const chunk of body ?? []) response.write(chunk)
  response.end()
}

server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('message', () => process.send({ cpu: process.cpuUsage() }))
// The benchmark that started it has ended.
process.on('disconnect', () => process.exit())
