import type { IncomingMessage, ServerResponse } from 'node:http'
import { sleepUnlessAborted } from '../../lib/sleep.ts'
import { randomId } from '../../lib/random-id.ts'
import { isAmount, listOf, optional, shape } from '../../lib/shape.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { StreamPart } from '../../protocol/message.ts'
import type { Script, ScriptStep } from '../../protocol/model.ts'
import { asRecord, parseJson } from '../../providers/core/read-json.ts'
import {
  cutText,
  findPosition,
  findStep,
  playScript,
  scriptFault,
} from '../../providers/scripted.ts'
import { readRequest, Refusal, type ParsedRequest, type WireFormat } from './read-request.ts'
import { type AnswerBlock, createAnswerWriter, type AnswerWriter } from './write-answer.ts'

export type { Script, ScriptScene, ScriptStep } from '../../protocol/model.ts'

/** A model turn. */
export interface MockStep extends ScriptStep {
  /** How the first requests for this turn fail, in order. The same request again gets the next failure, or the turn. */
  readonly failures?: readonly MockFailure[]
}

/** An answer with an error status, or a connection that breaks after some pieces, before the answer's end. */
export type MockFailure =
  | { readonly status: number; readonly retryAfterMs?: number; readonly piecesBeforeCut?: never }
  | { readonly piecesBeforeCut: number; readonly status?: never }

/** Options of `createMock`. */
export interface MockOptions {
  /** The model's answers, in the format of the provider `scripted`, with `failures`. */
  readonly script: Script<MockStep>
}

/** A request for an answer, as received. */
export interface MockRequest {
  /** Path with query, such as `/v1/chat/completions`. */
  readonly path: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The parsed body. Empty if the body isn't a JSON object. */
  readonly body: JsonObject
}

/** A listening mock. */
export interface MockServer {
  /** Address without a path, such as `http://127.0.0.1:40123`. */
  readonly url: string
  /** Stops listening and closes all connections. */
  close(): Promise<void>
}

/** A mock model server, from `createMock`. */
export interface Mock {
  /** All POST requests so far, in order, also refused ones. */
  readonly requests: readonly MockRequest[]
  /** Answers a request. Takes the arguments of `fetch`, so it can also replace a client's `fetch`. */
  fetch(request: Request | URL | string, init?: RequestInit): Promise<Response>
  /**
   * Starts a server on 127.0.0.1. `port`: default a free port. In Node, Bun and Deno only; elsewhere it throws
   * `invalid-config`. Pages of any origin may use the server.
   */
  listen(options?: { readonly port?: number }): Promise<MockServer>
}

/**
 * Creates a mock model server, which answers by a script. Supports OpenAI's Chat Completions and Responses, and
 * Anthropic's Messages, streamed or not. Refuses invalid requests. Each request contains its conversation, so the mock
 * keeps no state except `requests`. Throws `invalid-config`.
 *
 * @example
 * const mock = createMock({ script: { steps: [{ text: 'Hello.' }] } })
 * const { url, close } = await mock.listen()
 * const agent = createAgent({
 *   model: { provider: 'openai-compatible', baseURL: `${url}/v1`, model: 'mock' },
 * })
 */
export function createMock({ script }: MockOptions): Mock {
  const fault = scriptFault(script ?? {})
  if (fault) throw OffstageError.fromData(fault)
  if (!stepsOf(script).every(({ failures }) => areFailures(failures)))
    throw new OffstageError(
      'invalid-config',
      'failures of a step must be a list of { status } and { piecesBeforeCut }.',
    )
  const requests: MockRequest[] = []
  const handle = async (request: Request): Promise<Response> => {
    const response =
      request.method === 'OPTIONS'
        ? new Response(null, { status: 204 })
        : await answerRequest(request, script, requests)
    allowOrigin(response.headers, request.headers)
    return response
  }
  return {
    requests,
    fetch: (request, init) =>
      // Ignores a second argument after a `Request`: frameworks pass their environment there.
      handle(
        typeof request === 'string' || request instanceof URL
          ? new Request(request, init)
          : request,
      ),
    listen: ({ port = 0 } = {}) => listen(handle, port),
  }
}

function stepsOf({ steps = [], scenes = [], fallback = [] }: Script<MockStep>): MockStep[] {
  return [...steps, ...scenes.flatMap((scene) => scene.steps), ...fallback]
}

const isCut = shape({ piecesBeforeCut: isAmount })
const isRefused = shape({
  // Statuses without an error have no body, or aren't final.
  status: (status) => isAmount(status) && Number(status) >= 400 && Number(status) < 600,
  retryAfterMs: optional(isAmount),
})
const areFailures = optional(listOf((failure) => isCut(failure) || isRefused(failure)))

const PATH = /\/v1\/(chat\/completions|responses|messages|models)\/?$/

const FORMATS: Readonly<Record<string, WireFormat>> = {
  'chat/completions': 'chat',
  responses: 'responses',
  messages: 'messages',
}

async function answerRequest(
  request: Request,
  script: Script<MockStep>,
  requests: MockRequest[],
): Promise<Response> {
  const { method, headers } = request
  const { pathname, search } = new URL(request.url)
  const [, name = ''] = PATH.exec(pathname) ?? []
  const format = FORMATS[name]
  const isAnthropic = format === 'messages' || (!format && headers.has('anthropic-version'))
  try {
    if (method === 'GET' && name === 'models') return Response.json(modelList())
    const text = await request.text()
    const body = parseJson(text)
    const fields = (asRecord(body) ?? {}) as JsonObject
    if (method === 'POST')
      requests.push({
        path: pathname + search,
        headers: Object.fromEntries(headers),
        body: fields,
      })
    checkPath({ method, pathname, name, isAnthropic })
    if (body === undefined || !format) throw notJson(isAnthropic)
    const parsed = readRequest(format, fields)
    const same = requests.filter((each) => JSON.stringify(each.body) === JSON.stringify(fields))
    const failure = findStep(script, findPosition(parsed))?.failures?.[same.length - 1]
    return await answerByScript(request, { parsed, script, failure })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return refusalResponse(error, isAnthropic)
  }
}

interface RequestPath {
  readonly method: string
  readonly pathname: string
  readonly name: string
  readonly isAnthropic: boolean
}

function checkPath({ method, pathname, name, isAnthropic }: RequestPath): void {
  if (name === '') {
    const message = isAnthropic ? 'Not Found' : `Invalid URL (${method} ${pathname})`
    throw new Refusal(message, { status: 404 })
  }
  const allowed = name === 'models' ? 'GET' : 'POST'
  if (method !== allowed)
    throw new Refusal(
      isAnthropic ? 'Method Not Allowed' : `Only ${allowed} requests are accepted.`,
      {
        status: 405,
        code: 'method_not_supported',
      },
    )
}

function notJson(isAnthropic: boolean): Refusal {
  return new Refusal(
    isAnthropic
      ? 'The request body is not valid JSON.'
      : 'We could not parse the JSON body of your request. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.',
  )
}

/** List of models in OpenAI's and Anthropic's form combined. */
function modelList(): JsonObject {
  const openai = { id: 'mock', object: 'model', created: 0, owned_by: 'offstage' }
  const anthropic = { type: 'model', display_name: 'Mock', created_at: '1970-01-01T00:00:00Z' }
  return {
    object: 'list',
    data: [{ ...openai, ...anthropic }],
    has_more: false,
    first_id: 'mock',
    last_id: 'mock',
  }
}

function refusalResponse(refusal: Refusal, isAnthropic: boolean): Response {
  const { message, status, param, code, headers } = refusal
  const failed = status >= 500
  const init = { status, headers }
  const limited = status === 429 ? 'rate_limit_error' : 'invalid_request_error'
  if (!isAnthropic) {
    const type = failed ? 'server_error' : limited
    return Response.json({ error: { message, type, param, code } }, init)
  }
  const refused = status === 404 ? 'not_found_error' : limited
  const error = { type: failed ? 'api_error' : refused, message }
  return Response.json({ type: 'error', error, request_id: `req_${randomId()}` }, init)
}

interface Scripted {
  readonly parsed: ParsedRequest
  readonly script: Script
  readonly failure: MockFailure | undefined
}

/** Answers by the script. Throws a `Refusal` if the answer begins with an error. */
async function answerByScript(request: Request, scripted: Scripted): Promise<Response> {
  const { parsed, failure } = scripted
  request.signal.throwIfAborted()
  if (failure?.status) {
    const { status, retryAfterMs } = failure
    const headers = retryAfterMs === undefined ? {} : { 'retry-after': `${retryAfterMs / 1000}` }
    throw new Refusal(`The script answers this request with status ${status}.`, { status, headers })
  }
  const abort = new AbortController()
  // Refers to the request: in Node, its signal no longer aborts once the request is garbage-collected.
  const stop = (): void => abort.abort(request.signal.reason)
  request.signal.addEventListener('abort', stop, { once: true })
  const steps = readSteps(scripted, abort.signal)
  const { value: first } = await steps.next()
  if (first?.type === 'failed') throw first.refusal
  const allSteps = prepend(first, steps)
  const writer = createAnswerWriter(parsed)
  if (!parsed.isStreamed) return Response.json(writer.body(await blocksIn(allSteps)))
  return new Response(toByteStream(writeEvents(allSteps, writer, first?.block.type), stop), {
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
  })
}

/** A change of an answer's blocks, in order. */
type AnswerStep =
  | { readonly type: 'open' | 'close'; readonly block: AnswerBlock }
  | { readonly type: 'piece'; readonly block: AnswerBlock; readonly piece: string }
  | { readonly type: 'failed'; readonly refusal: Refusal }

const stepParts = /* @__PURE__ */ playScript(({ text = '' }) => text)

/** Runs the script with the scripted provider, which finds the position. Groups the parts of its answer into blocks. */
async function* readSteps(
  { parsed, script, failure }: Scripted,
  signal: AbortSignal,
): AsyncGenerator<AnswerStep, undefined> {
  let piecesLeft = failure?.piecesBeforeCut ?? Infinity
  let count = 0
  let openBlock: AnswerBlock | undefined
  const config = { provider: 'scripted', model: parsed.model, script }
  const request = { messages: parsed.messages, tools: [] }
  for await (const batch of stepParts(request, config, { signal })) {
    for (const part of [batch].flat()) {
      if (part.type === 'error') {
        // Throws after an abort, as `fetch` does.
        signal.throwIfAborted()
        const { code, message } = part.error
        const label = code === 'script-exhausted' ? { code } : {}
        yield { type: 'failed', refusal: new Refusal(message, { status: 500, ...label }) }
        return undefined
      }
      const newBlock = beginBlock(part, count, parsed.format)
      if (newBlock && (newBlock.type === 'call' || newBlock.type !== openBlock?.type)) {
        if (openBlock) yield { type: 'close', block: openBlock }
        openBlock = newBlock
        count += 1
        yield { type: 'open', block: openBlock }
      }
      if (!openBlock || !('delta' in part)) continue
      for (const [at, piece] of piecesOf(part, script).entries()) {
        if (at > 0 && script.paceMs) await sleepUnlessAborted(script.paceMs, signal)
        if (piecesLeft-- === 0) throw cutError()
        openBlock.content += piece
        yield { type: 'piece', block: openBlock, piece }
      }
    }
  }
  if (piecesLeft < Infinity) throw cutError()
  if (openBlock) yield { type: 'close', block: openBlock }
  return undefined
}

/** The error of `fetch` for a connection that breaks. */
function cutError(): TypeError {
  return new TypeError('The script breaks the connection.')
}

/** The block that a part belongs to or begins; undefined if there is none. */
function beginBlock(part: StreamPart, index: number, format: WireFormat): AnswerBlock | undefined {
  switch (part.type) {
    case 'reasoning-delta':
      return { index, type: 'reasoning', id: randomId(), name: '', content: '' }
    case 'text-delta':
      return { index, type: 'text', id: randomId(), name: '', content: '' }
    case 'tool-input-start': {
      const { toolCallId, toolName } = part
      const id = format === 'messages' ? toolCallId.replace(/^call/, 'toolu') : toolCallId
      return { index, type: 'call', id, name: toolName, content: '' }
    }
    default:
      return undefined
  }
}

/** The scripted provider cuts text into pieces, but not the inputs of calls. */
function piecesOf(
  { type, delta }: Extract<StreamPart, { readonly delta: string }>,
  script: Script,
): string[] {
  return type === 'tool-input-delta' ? cutText(delta, script) : [delta]
}

async function* prepend(
  first: AnswerStep | undefined,
  rest: AsyncIterable<AnswerStep>,
): AsyncGenerator<AnswerStep> {
  if (!first) return
  yield first
  yield* rest
}

async function blocksIn(steps: AsyncIterable<AnswerStep>): Promise<AnswerBlock[]> {
  const blocks: AnswerBlock[] = []
  for await (const step of steps) {
    if (step.type === 'failed') throw step.refusal
    if (step.type === 'close') blocks.push(step.block)
  }
  return blocks
}

async function* writeEvents(
  steps: AsyncIterable<AnswerStep>,
  writer: AnswerWriter,
  firstType: AnswerBlock['type'] | undefined,
): AsyncGenerator<string> {
  const blocks: AnswerBlock[] = []
  yield* writer.begin(firstType)
  for await (const step of steps) {
    switch (step.type) {
      case 'open':
        yield* writer.open(step.block)
        break
      case 'piece':
        yield* writer.piece(step.block, step.piece)
        break
      case 'close':
        blocks.push(step.block)
        yield* writer.close(step.block)
        break
      case 'failed':
        yield* writer.fail(step.refusal.message)
        return
      default:
        step satisfies never
    }
  }
  yield* writer.end(blocks)
}

function toByteStream(
  events: AsyncGenerator<string>,
  stop: () => void,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const next = await events.next()
      if (next.done) controller.close()
      else controller.enqueue(encoder.encode(next.value))
    },
    cancel: stop,
  })
}

/** Lets pages of any origin read the response, even if the browser protects this machine from public pages. */
function allowOrigin(headers: Headers, requestHeaders: Headers): void {
  headers.set('access-control-allow-origin', requestHeaders.get('origin') ?? '*')
  headers.set('access-control-expose-headers', '*')
  headers.append('vary', 'origin')
  if (!requestHeaders.has('access-control-request-method')) return
  headers.set('access-control-allow-methods', 'GET, POST')
  headers.set(
    'access-control-allow-headers',
    requestHeaders.get('access-control-request-headers') ?? '',
  )
  if (requestHeaders.get('access-control-request-private-network') === 'true')
    headers.set('access-control-allow-private-network', 'true')
}

async function listen(
  handle: (request: Request) => Promise<Response>,
  requestedPort: number,
): Promise<MockServer> {
  // Avoids an import, because bundlers for browsers refuse `node:http` even in code that never runs.
  const http = globalThis.process?.getBuiltinModule?.('node:http')
  if (!http)
    throw new OffstageError(
      'invalid-config',
      'listen() needs a server runtime such as Node. Elsewhere, pass requests to fetch().',
    )
  const server = http.createServer((incoming, outgoing) => {
    serve(incoming, outgoing, handle).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(requestedPort, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const { method = 'GET', url = '/' } = incoming
  const clientAbort = new AbortController()
  outgoing.on('close', () => clientAbort.abort())
  let body = ''
  for await (const piece of incoming.setEncoding('utf8')) body += String(piece)
  const headers = Object.entries(incoming.headers).map(([name, value = '']): [string, string] => [
    name,
    [value].flat().join(', '),
  ])
  const init = {
    method,
    headers,
    signal: clientAbort.signal,
    ...(body !== '' && !/^(?:GET|HEAD)$/.test(method) && { body }),
  }
  const response = await handle(new Request(`http://127.0.0.1${url}`, init))
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  for await (const bytes of response.body ?? []) {
    if (outgoing.destroyed) return
    // Waits until the bytes are sent: a connection that breaks would drop them.
    await new Promise((resolve) => outgoing.write(bytes, resolve))
  }
  outgoing.end()
}
