import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach } from 'vitest'
import { createRelay, type Relay, type RelayOptions } from '../../../src/relay/index.ts'
import { listen } from '../../browser/support/listen.ts'
import { nodeListener } from '../../http-store/node-listener.ts'

export const KEY = 'sk-server-side-only'
export const MODEL = 'small-1'

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Answers as a vendor would. */
export type Vendor = (received: Received, response: ServerResponse) => void | Promise<void>

export interface PostInit extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>
}

export interface Served {
  /** Base URL of the relay for a page. */
  readonly url: string
  /** The relay as a function. */
  readonly relay: Relay
  /** Requests that the model's server got. */
  readonly received: readonly Received[]
  /** Errors that `onError` got. */
  readonly errors: readonly unknown[]
  post(path: string, body: unknown, init?: PostInit): Promise<Response>
}

const closing: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** A relay before a model's server, both over real HTTP. Stopped after the test. */
export async function serveRelay(
  vendor: Vendor = (_, response) => void response.end('{}'),
  options: Partial<RelayOptions> = {},
): Promise<Served> {
  const received: Received[] = []
  const errors: unknown[] = []
  const upstream = await listen(
    createServer((request, response) => {
      void readRequest(request).then((one) => {
        received.push(one)
        return vendor(one, response)
      })
    }),
  )
  const relay = createRelay({
    baseURL: `${upstream.url}/v1`,
    apiKey: KEY,
    models: [MODEL],
    authorize: (request) => request.headers.get('x-user'),
    onError: (error) => void errors.push(error),
    ...options,
  })
  const listener = nodeListener(relay)
  const front = await listen(
    createServer((request, response) => void listener(request, response).catch(() => undefined)),
  )
  closing.push(front.close, upstream.close)
  const url = `${front.url}/ai/v1`
  return {
    url,
    relay,
    received,
    errors,
    post: (path, body, init) =>
      fetch(url + path, {
        method: 'POST',
        body: typeof body === 'string' ? body : JSON.stringify(body),
        ...init,
        headers: { 'content-type': 'application/json', 'x-user': 'ann', ...init?.headers },
      }),
  }
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  let text = ''
  for await (const piece of request.setEncoding('utf8')) text += String(piece)
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, text, body: JSON.parse(text || '{}') as Received['body'] }
}

/** The status and the error of a response that the relay made itself. */
export async function refusalOf(response: Response): Promise<{ status: number; type: string }> {
  const { error } = (await response.json()) as { error: { type: string } }
  return { status: response.status, type: error.type }
}

export const chat = { model: MODEL, messages: [{ role: 'user', content: 'Hi' }], stream: true }

export function sse(...events: readonly object[]): string {
  return events
    .map((event) => {
      const name = 'type' in event ? `event: ${String(event.type)}\n` : ''
      return `${name}data: ${JSON.stringify(event)}\n\n`
    })
    .join('')
}

export function chatDelta(content: string, finish: string | null = null): object {
  return { choices: [{ index: 0, delta: { content }, finish_reason: finish }] }
}

export function chatUsage(prompt: number, completion: number): object {
  return { choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion } }
}

/** A whole answer as a stream. */
export function streams(text: string): Vendor {
  return (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(text)
  }
}
