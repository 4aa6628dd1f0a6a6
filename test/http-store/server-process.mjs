import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createStoreHandler, postgresDatabase } from '../../dist/http-store-server.js'
import { applyAgain } from './planted-repeat.mjs'
import { poolOf } from './postgres.mjs'
import { shiftClock } from './shifted-clock.mjs'

// A server of the HTTP store, as docs/http-store.md shows it, in a process that can be killed.

const { port, databasePort, clockMs, plantsRepeats } = JSON.parse(process.argv[2])
shiftClock(clockMs)
const pool = poolOf(databasePort)
pool.on('error', () => undefined)
const handler = createStoreHandler({
  database: postgresDatabase(pool),
  authorize: ({ headers }) => ({ tenant: headers.get('x-tenant') }),
  pollMs: 500,
})

const server = createServer((incoming, response) => void answerTo(incoming, response))
server.listen(port, '127.0.0.1', () => process.send({ port: server.address().port }))
process.on('disconnect', () => process.exit())

async function answerTo(incoming, response) {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const request = new Request(`http://localhost${incoming.url}`, {
    method: incoming.method,
    headers: incoming.headers,
    signal: gone.signal,
    ...(incoming.method === 'POST' && { body: Readable.toWeb(incoming), duplex: 'half' }),
  })
  try {
    const copy = plantsRepeats && incoming.method === 'POST' ? request.clone() : null
    const answer = await handler(request)
    if (copy) await applyAgain(pool, copy)
    response.writeHead(answer.status, Object.fromEntries(answer.headers))
    response.flushHeaders()
    await pipeline(answer.body ? Readable.fromWeb(answer.body) : [], response)
  } catch {
    // The client is gone, or a stream of changes lost its database.
    response.destroy()
  }
}
