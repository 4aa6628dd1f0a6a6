import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from '../browser/support/listen.ts'
import type { Kind } from './plan.ts'

interface Message {
  readonly role: string
  readonly content?: unknown
}

const LONG = 'a word and another one '

/** A model that reads in the person's words which fault is wanted; each fault comes once a run. */
export async function startSoakModel(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const faulted = new Set<string>()
  const server = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    response.setHeader('access-control-max-age', '7200')
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    void textOf(request).then((text) => {
      const { messages } = JSON.parse(text) as { readonly messages: readonly Message[] }
      answer(response, messages, faulted)
    })
  })
  server.keepAliveTimeout = 60_000
  return listen(server)
}

/** Steps are counted from the person's newest words that name a run. */
function answer(
  response: ServerResponse,
  messages: readonly Message[],
  faulted: Set<string>,
): void {
  const words = messages.map(({ content }) =>
    typeof content === 'string' ? content : JSON.stringify(content ?? ''),
  )
  const at = words.findLastIndex(
    (text, index) => messages[index]?.role === 'user' && /#\d+:/.test(text),
  )
  // Messages without an answer between them are sent as one.
  const [, name = '0', kind = 'text'] =
    [...(words[at] ?? '').matchAll(/#(\d+): ([\w -]+)/g)].at(-1) ?? []
  const step = messages.slice(at).filter(({ role }) => role === 'assistant').length
  const isFirst = step === 0 && !faulted.has(name)
  if (isFirst) faulted.add(name)
  const calls = step === 0 ? callsOf(kind as Kind) : []
  const reply = new Reply(response)
  if (kind === 'refused') return reply.refuse(400)
  if (kind === 'server busy once' && isFirst) return reply.refuse(503)
  reply.begin()
  if (kind === 'stream breaks once' && isFirst) return reply.breakOff()
  if (kind === 'stream stalls once' && isFirst) return reply.write({ content: LONG })
  if (kind === 'aborted while it writes' || (kind === 'worker dies while it writes' && isFirst))
    return reply.writeOn()
  reply.write({ content: `${LONG.repeat(6)}${kind}` })
  for (const [index, call] of calls.entries()) reply.call(index, `call_${name}_${index}`, call)
  reply.end(calls.length > 0 ? 'tool_calls' : 'stop')
}

function callsOf(kind: Kind): readonly string[] {
  switch (kind) {
    case 'tool':
    case 'worker dies while a tool runs':
    case 'steered':
    case 'left by its reader':
      return ['work']
    case 'tools side by side':
      return ['look', 'look', 'work']
    case 'tool throws':
      return ['fail']
    case 'tool times out':
      return ['hang']
    case 'aborted while a tool runs':
      return ['wait']
    case 'composite':
      return ['arrange']
    case 'sub-agent':
      return ['ask_helper']
    case 'approved':
    case 'denied':
    case 'aborted while a person is asked':
      return ['pay']
    case 'text':
    case 'stream breaks once':
    case 'server busy once':
    case 'stream stalls once':
    case 'refused':
    case 'aborted while it writes':
    case 'worker dies while it writes':
      return []
    default:
      return kind satisfies never
  }
}

class Reply {
  readonly #response: ServerResponse

  constructor(response: ServerResponse) {
    this.#response = response
  }

  refuse(status: number): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
    this.#response.end(JSON.stringify({ error: { message: 'Not now.' } }))
  }

  begin(): void {
    this.#response.writeHead(200, { 'content-type': 'text/event-stream' })
    this.write({ role: 'assistant', content: 'I see. ' })
  }

  write(delta: object, finish: string | null = null): void {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    this.#response.write(`data: ${JSON.stringify({ choices })}\n\n`)
  }

  call(index: number, id: string, name: string): void {
    const input = JSON.stringify(name === 'ask_helper' ? { prompt: 'Help.' } : { n: index })
    this.write({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: input } }],
    })
  }

  end(finish: string): void {
    this.write({}, finish)
    this.#response.end('data: [DONE]\n\n')
  }

  breakOff(): void {
    this.write({ content: LONG })
    setTimeout(() => this.#response.destroy(), 10)
  }

  /** Until whoever reads it goes. */
  writeOn(): void {
    const timer = setInterval(() => this.write({ content: LONG }), 20)
    this.#response.on('close', () => clearInterval(timer))
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const part of request.setEncoding('utf8')) text += String(part)
  return text
}
