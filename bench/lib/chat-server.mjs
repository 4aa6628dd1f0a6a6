import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { tokensOf } from './chat-text.mjs'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * Serves the package, and a model that answers `A then B at R` with A tokens at once, and with B more at R a second
 * as soon as somebody asks for `/go`. It ends its answer when that is asked for again.
 */
export async function startChatServer() {
  let resolveGo = () => {}
  const waitForGo = () =>
    new Promise((resolve) => {
      resolveGo = resolve
    })
  const server = createServer((request, response) => {
    if (request.url === '/go') {
      resolveGo()
      response.writeHead(204).end()
    } else if (request.method === 'POST') void answer(request, response, waitForGo)
    else void sendFile(request.url ?? '/', response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

async function answer(request, response, waitForGo) {
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  const [, before, paced, rate] = /(\d+) then (\d+) at (\d+)/.exec(body).map(Number)
  const tokens = tokensOf(before + paced)
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const token of tokens.slice(0, before)) response.write(chunk({ content: token }, null))
  await waitForGo()
  await pace(response, tokens.slice(before), rate)
  await waitForGo()
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`)
}

/** Each token is written when it is due, as a chunk of its own. */
async function pace(response, tokens, rate) {
  const startedAt = performance.now()
  for (let sent = 0; sent < tokens.length;) {
    const dueCount = Math.min(tokens.length, 1 + ((performance.now() - startedAt) * rate) / 1000)
    for (; sent < dueCount; sent += 1) response.write(chunk({ content: tokens[sent] }, null))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

function chunk(delta, finishReason) {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`
}

const TYPES = { '.js': 'text/javascript', '.html': 'text/html' }

async function sendFile(url, response) {
  const file = url === '/' ? 'bench/lib/chat-page.html' : url.slice(1)
  try {
    const body = await readFile(path.join(root, file))
    response.writeHead(200, { 'content-type': TYPES[path.extname(file)] ?? 'text/plain' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
}
