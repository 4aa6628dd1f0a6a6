import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createStoreHandler } from 'offstage/http-store/server'
import { openMemory, openPostgres } from './database.js'
import { createPages } from './pages.js'
import { endedSessionCookie, sessionCookie, userOf } from './session.js'
import { databaseUrl, port } from './settings.js'

const databases = databaseUrl ? await openPostgres(databaseUrl) : openMemory()

const history = createStoreHandler({
  ...databases,
  authorize: (request) => {
    const user = userOf(request)
    return user ? { tenant: user } : new Response('Log in.', { status: 401 })
  },
  onError: (error) => console.error(error),
})

const api = getRequestListener((request) => {
  const { pathname } = new URL(request.url)
  if (pathname === '/api/history') return history(request)
  if (pathname === '/api/session') return handleSession(request)
  return new Response('Not found', { status: 404 })
})

/** Returns the user, logs in, or logs out. Names have no passwords in this demo: put your own sign-in here. */
async function handleSession(request) {
  switch (request.method) {
    case 'GET':
      return Response.json({ user: userOf(request) })
    case 'POST':
      return logIn(request)
    case 'DELETE':
      return new Response(null, { status: 204, headers: { 'set-cookie': endedSessionCookie } })
    default:
      return new Response('Not allowed', { status: 405 })
  }
}

async function logIn(request) {
  const { name } = await request.json().catch(() => ({}))
  if (typeof name !== 'string' || !/^[\p{L}\p{N} ._-]{1,40}$/u.test(name))
    return new Response('A name has up to 40 letters and digits.', { status: 400 })
  return Response.json({ user: name }, { headers: { 'set-cookie': sessionCookie(name) } })
}

const server = createServer((request, response) =>
  request.url.startsWith('/api/') ? api(request, response) : pages(request, response),
)
const pages = await createPages(server)
server.listen(port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${port}`)
  console.log(
    databaseUrl
      ? 'Conversations are kept in PostgreSQL.'
      : 'DATABASE_URL is missing: conversations are kept in memory until the server stops.',
  )
})
