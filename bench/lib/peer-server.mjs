import { createServer } from 'node:http'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { inProject } from '../../scripts/lib/project.mjs'
import { TOOL } from './peer-tool.js'

const BLOCK_BYTES = 16_384
const PATH = /^\/v1\/(?<kind>deltas|input|turns)-(?<count>\d+)\/chat\/completions$/
const TOKENS = [' the', ' lon', 'ger ', 'text', ' is ', 'made', ' of ', 'toke', 'n"\\ ', '\n- a']

/**
 * Serves `dist/`, the folder `bundles`, and an OpenAI-compatible model. The path of its base URL says what it writes:
 * `/v1/deltas-N` a text of N deltas of 4 characters, `/v1/input-N` one call whose input has N kB, in deltas of 8
 * characters, `/v1/turns-N` N calls one after the other.
 *
 * @param {{ bundles: string }} options
 */
export async function startPeerServer({ bundles }) {
  let scripts = new Map()
  const server = createServer((request, response) => {
    if (request.method === 'POST') void answer(request, response)
    else void sendFile(request.url, response)
  })

  async function sendFile(url, response) {
    if (url === '/')
      return response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Bench</title>')
    try {
      const isBuilt = url.startsWith('/dist/')
      const body = await readFile(isBuilt ? inProject(url.slice(1)) : path.join(bundles, url))
      scripts.set(url, gzipSync(body).length)
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(body)
    } catch {
      return response.writeHead(404).end()
    }
  }

  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Bytes of the scripts that pages have requested since the last call, each compressed with gzip. */
    takeScriptBytes() {
      const bytes = [...scripts.values()].reduce((sum, size) => sum + size, 0)
      scripts = new Map()
      return bytes
    },
    close: () => server.close(),
  }
}

async function answer(request, response) {
  let body = ''
  for await (const part of request.setEncoding('utf8')) body += part
  const { kind, count } = PATH.exec(request.url).groups
  const turn = JSON.parse(body).messages.filter(({ role }) => role === 'assistant').length
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const block of blocksOf(kind, Number(count), turn)) {
    if (!response.write(block)) await new Promise((resolve) => response.once('drain', resolve))
  }
  response.end()
}

const blocks = new Map()
/** Blocks are kept, so that making them costs the machine nothing while a page is measured. */
function blocksOf(kind, count, turn) {
  const key = `${kind} ${count} ${turn}`
  if (!blocks.has(key)) {
    const bytes = Buffer.from(eventsOf(kind, count, turn).join(''))
    const starts = Array.from(
      { length: Math.ceil(bytes.length / BLOCK_BYTES) },
      (_, at) => at * BLOCK_BYTES,
    )
    blocks.set(
      key,
      starts.map((start) => bytes.subarray(start, start + BLOCK_BYTES)),
    )
  }
  return blocks.get(key)
}

function eventsOf(kind, count, turn) {
  if (kind === 'deltas') return textEvents(count)
  if (kind === 'input' && turn === 0)
    return callEvents(turn, JSON.stringify({ text: textOf(count * 256) }))
  if (kind === 'turns' && turn < count)
    return callEvents(turn, JSON.stringify({ text: `Turn ${turn}` }))
  return textEvents(1)
}

function textOf(tokens) {
  return Array.from({ length: tokens }, (_, at) => TOKENS[at % TOKENS.length]).join('')
}

function textEvents(tokens) {
  return [
    ...Array.from({ length: tokens }, (_, at) => event({ content: TOKENS[at % TOKENS.length] })),
    event({}, 'stop'),
    'data: [DONE]\n\n',
  ]
}

function callEvents(turn, input) {
  const pieces = input.match(/.{1,8}/gs)
  return [
    event({
      role: 'assistant',
      tool_calls: [
        {
          index: 0,
          id: `call_${turn}`,
          type: 'function',
          function: { name: TOOL.name, arguments: '' },
        },
      ],
    }),
    ...pieces.map((piece) => event({ tool_calls: [{ index: 0, function: { arguments: piece } }] })),
    event({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ]
}

/** Includes the fields that hosted models send beside the delta. */
function event(delta, finish_reason = null) {
  return `data: ${JSON.stringify({
    id: 'chatcmpl-AbCdEfGhIjKlMnOpQrStUvWxYz012',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'bench',
    system_fingerprint: 'fp_44709d6fcb',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })}\n\n`
}
