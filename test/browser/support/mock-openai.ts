import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

/** A piece of a streamed answer. */
export type MockPiece =
  /** A server-sent event: `data: <JSON>` and a blank line. */
  | { readonly data: unknown }
  /** Bytes as they are: comments, broken JSON, half an event. */
  | { readonly raw: string }
  | { readonly waitMs: number }
  /** The test says when it goes on. */
  | { readonly until: Promise<unknown> }

export interface MockResponse {
  /** Default 200. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** Milliseconds until the response's head. */
  readonly delayMs?: number
  /** The whole answer as JSON, in place of a stream. */
  readonly body?: unknown
  readonly pieces?: readonly MockPiece[]
  /**
   * How the stream ends. `done`: `[DONE]` and a clean end (default); `close`: a clean end without
   * it; `cut`: the connection breaks; `hang`: it stays open and silent.
   */
  readonly end?: 'done' | 'close' | 'cut' | 'hang'
}

export interface MockRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: ChatRequest
  /** Milliseconds since 1970 when the client left before the answer's end. */
  abortedAt?: number
}

/** The parts of a Chat Completions request that tests look at. */
export interface ChatRequest {
  readonly model?: string
  readonly stream?: boolean
  readonly messages?: readonly { readonly role: string; readonly content?: unknown }[]
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly [name: string]: unknown
}

export interface MockOpenAI {
  /** For a model's `baseURL`; ends in `/v1`. */
  readonly baseURL: string
  /** All chat requests so far, in order. */
  readonly requests: readonly MockRequest[]
  /** While true, requests with `tools` get a 400 as servers without tool support answer it. */
  refuseTools: boolean
  /** Answers requests for which nothing was enqueued. Default: none. */
  respond: ((request: MockRequest) => MockResponse | Promise<MockResponse>) | null
  /** Answers for the next requests, one each. Beyond them, a 500 says that the script is over. */
  enqueue(...responses: readonly MockResponse[]): void
  close(): Promise<void>
}

/** An OpenAI-style chat server that answers from a script. CORS is open, preflight included. */
export async function startMockOpenAI(): Promise<MockOpenAI> {
  const requests: MockRequest[] = []
  const queue: MockResponse[] = []
  const server = createServer((request, response) => {
    void handle(request, response)
  })
  const { url, close } = await listen(server)
  const mock: MockOpenAI = {
    baseURL: `${url}/v1`,
    requests,
    refuseTools: false,
    respond: null,
    enqueue: (...responses) => void queue.push(...responses),
    close,
  }
  return mock

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    allowEveryOrigin(request, response)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (request.method !== 'POST') return sendJson(response, 200, { object: 'list', data: [] })
    const recorded: MockRequest = {
      path: request.url ?? '',
      headers: request.headers,
      body: JSON.parse(await textOf(request)) as ChatRequest,
    }
    requests.push(recorded)
    response.once('close', () => {
      if (!response.writableFinished) recorded.abortedAt = Date.now()
    })
    const reply =
      mock.refuseTools && recorded.body.tools
        ? NO_TOOLS
        : (queue.shift() ?? (await mock.respond?.(recorded)))
    await answer(response, reply)
  }
}

const NO_TOOLS: MockResponse = {
  status: 400,
  body: { error: { message: 'This model does not support tools', type: 'invalid_request_error' } },
}

const OVER: MockResponse = {
  status: 500,
  body: { error: { message: 'The mock server has no further response in its script' } },
}

async function answer(response: ServerResponse, reply: MockResponse = OVER): Promise<void> {
  if (reply.delayMs) await wait(reply.delayMs)
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value)
  if (reply.body !== undefined) return sendJson(response, reply.status ?? 200, reply.body)

  response.writeHead(reply.status ?? 200, { 'content-type': 'text/event-stream' })
  response.flushHeaders()
  for (const piece of reply.pieces ?? []) {
    if (response.destroyed) return
    if ('waitMs' in piece) await wait(piece.waitMs)
    else if ('until' in piece) await piece.until
    else response.write('raw' in piece ? piece.raw : `data: ${JSON.stringify(piece.data)}\n\n`)
  }
  const end = reply.end ?? 'done'
  if (end === 'done') response.end('data: [DONE]\n\n')
  else if (end === 'close') response.end()
  // Let what was written reach the client before the connection breaks.
  else if (end === 'cut') await wait(50).then(() => response.destroy())
}

function allowEveryOrigin(request: IncomingMessage, response: ServerResponse): void {
  const wanted = request.headers['access-control-request-headers']
  response.setHeader('access-control-allow-origin', '*')
  response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS')
  response.setHeader('access-control-expose-headers', '*')
  if (wanted) response.setHeader('access-control-allow-headers', wanted)
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk)
  return text
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
