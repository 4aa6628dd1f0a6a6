import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { createMock } from 'offstage/mock'
import { createRelay } from 'offstage/relay'
import { createPages } from './pages.js'
import { script } from './script.js'
import { newSessionCookie, visitorOf } from './session.js'
import { apiKey, baseURL, model, port } from './settings.js'

const isMock = apiKey === ''

const relay = createRelay({
  baseURL,
  apiKey,
  models: [model],
  // Replace this by your own sign-in. Here, anybody who opens the page is a visitor.
  authorize: visitorOf,
  limits: { perMinute: { requests: 20 }, perDay: { tokens: 200_000 } },
  maxOutputTokens: 4096,
  onUsage: ({ user, inputTokens, outputTokens }) =>
    console.log(`${user.slice(0, 8)}: ${inputTokens} + ${outputTokens} tokens`),
  onError: (error) => console.error(error),
  ...(isMock && { fetch: createMock({ script }).fetch }),
})

const api = getRequestListener((request) => {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/ai/')) return relay(request)
  if (pathname === '/api/session' && request.method === 'POST') return openSession(request)
  return new Response('Not found', { status: 404 })
})

function openSession(request) {
  const headers = visitorOf(request) ? {} : { 'set-cookie': newSessionCookie() }
  return Response.json({ model, isMock }, { headers })
}

const server = createServer((request, response) =>
  /^\/(ai|api)\//.test(request.url) ? api(request, response) : pages(request, response),
)
const pages = await createPages(server)
server.listen(port, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${port}`)
  console.log(isMock ? 'OPENAI_API_KEY is missing: a script plays the model.' : `Model: ${model}`)
})
