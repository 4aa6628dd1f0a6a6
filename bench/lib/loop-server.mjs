import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')

/**
 * Serves `dist/`, the bench's page, and a model that asks for `turns` calls (result size in the
 * prompt: `50 turns of 2000`) and then says that it is done.
 */
export async function startLoopServer() {
  const server = createServer((request, response) => {
    if (request.method === 'POST') void answer(request, response)
    else void sendFile(request.url ?? '/', response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() }
}

async function answer(request, response) {
  let body = ''
  for await (const chunk of request.setEncoding('utf8')) body += chunk
  const { messages } = JSON.parse(body)
  const prompt = JSON.stringify(messages.find((message) => message.role === 'user'))
  const [, turns, size] = /(\d+) turns of (\d+)/.exec(prompt)
  const n = messages.filter((message) => message.role === 'assistant').length
  const call = {
    index: 0,
    id: `call_${n}`,
    type: 'function',
    function: { name: 'step', arguments: JSON.stringify({ n, size: Number(size) }) },
  }
  const last = n >= Number(turns)
  const deltas = last ? [{ content: 'Done.' }] : [{ content: 'Next.' }, { tool_calls: [call] }]
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const chunks = [
    ...deltas.map((delta) => chunk(delta, null)),
    chunk({}, last ? 'stop' : 'tool_calls'),
  ]
  response.end(`${chunks.join('')}data: [DONE]\n\n`)
}

function chunk(delta, finish) {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

async function sendFile(url, response) {
  const file = url === '/bench.js' ? 'bench/lib/loop-page.js' : url.slice(1)
  if (url === '/')
    return void response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Bench</title>')
  try {
    const body = await readFile(path.join(root, file))
    response.writeHead(200, { 'content-type': 'text/javascript' }).end(body)
  } catch {
    response.writeHead(404).end()
  }
}
