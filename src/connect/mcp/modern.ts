import { randomId } from '../../lib/random-id.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { isRecord } from '../../lib/shape.ts'
import { afterSending, badAnswer, cutOff, refusedBy } from './failures.ts'
import { parameterHeaders, standardHeaders } from './headers.ts'
import type { HttpTransport } from './http.ts'
import {
  type CallOptions,
  type Listener,
  type McpConnection,
  type ProgressNote,
  readProgress,
  type RequestOptions,
  type Round,
  type ServerInfo,
  type ToolRequest,
} from './connection.ts'
import { CLIENT_INFO, type Fields, type Incoming, MODERN, RPC } from './wire.ts'
import { monotonicMs } from '../../lib/monotonic-ms.ts'
import { sleepUnlessAborted } from '../../lib/sleep.ts'

/** A request's id, with the status and messages of its response. */
export interface ModernExchange {
  readonly id: string
  readonly status: number
  readonly messages: AsyncGenerator<Incoming>
}

interface ModernRequest {
  readonly method: string
  readonly params: Fields
  readonly headers?: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/**
 * Sends a request of revision 2026-07-28, with its version and the client's capabilities. `canElicit`: the server may
 * request input from the user.
 */
export async function sendModern(
  http: HttpTransport,
  canElicit: boolean,
  { method, params, headers, signal }: ModernRequest,
): Promise<ModernExchange> {
  // Browsers may send a request twice. The server has no sessions, so it detects the repetition only by a globally
  // unique id.
  const id = randomId()
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
    'io.modelcontextprotocol/clientCapabilities': canElicit ? { elicitation: { form: {} } } : {},
    ...(method === 'tools/call' && { progressToken: id }),
  }
  const response = await http.send({
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      ...standardHeaders(method, params),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
    signal,
    isCall: method === 'tools/call',
  })
  return { id, status: response.status, messages: http.read(response, signal) }
}

/** A server of revision 2026-07-28. It has no sessions: aborting the HTTP request cancels the call. */
export class ModernConnection implements McpConnection {
  readonly source: string
  readonly endpoint: string
  readonly info: ServerInfo
  readonly #http: HttpTransport
  readonly #canElicit: boolean
  readonly #closed = new AbortController()

  constructor(http: HttpTransport, info: ServerInfo, canElicit: boolean) {
    this.source = http.source
    this.endpoint = http.endpoint
    this.info = info
    this.#http = http
    this.#canElicit = canElicit
  }

  async request(method: string, params: Fields, options: RequestOptions): Promise<Fields> {
    const result = await this.#send({ method, params, signal: options.signal }, options)
    if (result.resultType !== undefined && result.resultType !== 'complete')
      throw badAnswer(this.source, `answered ${method} with a question.`)
    return result
  }

  async call({ name, input, headers }: ToolRequest, options: CallOptions): Promise<Round> {
    const request = {
      method: 'tools/call',
      params: { name, arguments: input, ...options.answers },
      headers: parameterHeaders(headers, input),
      signal: options.signal,
    }
    const result = await this.#send(request, options)
    try {
      return roundOf(result, this.source)
    } catch (thrown) {
      throw afterSending(thrown)
    }
  }

  listen(listener: Listener): void {
    const notifications = listenable(this.info)
    if (Object.keys(notifications).length === 0) return
    keepListening(this.#closed.signal, listener, async (signal, opened) => {
      const request = { method: 'subscriptions/listen', params: { notifications }, signal }
      const { id, status, messages } = await sendModern(this.#http, this.#canElicit, request)
      if (!hasStream(status, this.source)) return false
      for await (const message of messages) {
        opened()
        if (message.type === 'error') {
          if (message.error.code === RPC.methodNotFound) return false
          throw refusedBy(this.source, message.error)
        }
        if (message.type === 'result' && message.id === id) return true
        reportChange(message, listener)
      }
      return true
    })
  }

  async close(): Promise<void> {
    const message = `The connection to ${this.source} was closed.`
    this.#closed.abort(new OffstageError('disposed', message))
  }

  async #send(
    request: ModernRequest,
    { repeatable = false, progress }: RequestOptions & Pick<Partial<CallOptions>, 'progress'>,
  ): Promise<Fields> {
    try {
      return await this.#sendOnce(request, progress)
    } catch (thrown) {
      const isLost = OffstageError.is(thrown) && thrown.retryable
      if (!repeatable || !isLost || request.signal.aborted) throw thrown
      return this.#sendOnce(request, progress)
    }
  }

  async #sendOnce(
    request: ModernRequest,
    progress?: (note: ProgressNote) => void,
  ): Promise<Fields> {
    const signal = AbortSignal.any([request.signal, this.#closed.signal])
    const exchange = await sendModern(this.#http, this.#canElicit, { ...request, signal })
    try {
      return await this.#resultOf(exchange, progress)
    } catch (thrown) {
      throw request.method === 'tools/call' ? afterSending(thrown) : thrown
    }
  }

  async #resultOf(
    { id, status, messages }: ModernExchange,
    progress?: (note: ProgressNote) => void,
  ): Promise<Fields> {
    for await (const message of messages) {
      if (message.type === 'error' && (message.id === id || status >= 400))
        throw refusedBy(this.source, message.error)
      if (message.type === 'result' && message.id === id) return message.result
      const note = readProgress(message, id)
      if (note) progress?.(note)
    }
    throw status >= 400
      ? badAnswer(this.source, `answered with status ${status}.`)
      : cutOff(this.source)
  }
}

function roundOf(result: Fields, source: string): Round {
  if (result.resultType === 'input_required') {
    const { inputRequests, requestState } = result
    return {
      type: 'asks',
      requests: isRecord(inputRequests) ? inputRequests : {},
      ...(typeof requestState === 'string' && { requestState }),
    }
  }
  if (result.resultType !== undefined && result.resultType !== 'complete')
    throw badAnswer(source, 'answered with an unknown kind of result.')
  return { type: 'done', result }
}

/** The change notifications that the server offers. */
export function listenable({ capabilities }: ServerInfo): Record<string, true> {
  const announcesChanges = (list: string): boolean => {
    const capability = capabilities[list]
    return isRecord(capability) && capability.listChanged === true
  }
  return {
    ...(announcesChanges('tools') && { toolsListChanged: true as const }),
    ...(announcesChanges('prompts') && { promptsListChanged: true as const }),
    ...(announcesChanges('resources') && { resourcesListChanged: true as const }),
  }
}

/**
 * Whether a server with this response status has the stream. Throws a retryable error if the server may have it later.
 */
export function hasStream(status: number, source: string): boolean {
  if (status >= 500 || [408, 409, 429].includes(status))
    throw badAnswer(source, `answered with status ${status}.`, { retryable: true })
  return status < 400
}

export function reportChange(message: Incoming, listener: Listener): void {
  if (message.type !== 'notification') return
  const list = /^notifications\/(tools|resources|prompts)\/list_changed$/.exec(message.method)?.[1]
  if (list) listener.changed(list as 'tools')
}

/** Shortest and longest pause between attempts. It grows with each failure. Milliseconds. */
const FIRST_WAIT = 1000
const LONGEST_WAIT = 60_000
/** A stream that ends after this time hasn't failed: servers and proxies close idle streams. Milliseconds. */
const LONG_ENOUGH = 10_000
const MOST_FAILURES = 8

/**
 * Keeps a stream of changes open until the signal aborts. On HTTP/1.1, all tabs of a browser share six connections to a
 * server, so only visible tabs keep it open. `isNeeded`: hidden tabs keep it open, too. `open` resolves when the stream
 * ends: true opens it again; false means that the server has no stream. Changes may be missed while no stream is open,
 * so each new stream counts as a change of the tools.
 */
export function keepListening(
  signal: AbortSignal,
  listener: Listener & { readonly isNeeded?: boolean },
  open: (signal: AbortSignal, opened: () => void) => Promise<boolean>,
): void {
  const page = listener.isNeeded ? undefined : globalThis.document
  let attempt = new AbortController()
  page?.addEventListener('visibilitychange', () => attempt.abort(), { signal })
  void (async () => {
    let failures = 0
    let reason = 'it ends'
    while (!signal.aborted && failures < MOST_FAILURES) {
      attempt = new AbortController()
      const attemptSignal = AbortSignal.any([signal, attempt.signal])
      if (page?.hidden) {
        await sleepUnlessAborted(LONGEST_WAIT, attemptSignal)
        continue
      }
      let openedAt: number | undefined
      try {
        const shouldReopen = await open(attemptSignal, () => {
          if (openedAt === undefined) listener.changed('tools')
          openedAt ??= monotonicMs()
        })
        if (!shouldReopen) return
      } catch (thrown) {
        reason = describeThrown(thrown)
      }
      if (attempt.signal.aborted) continue
      failures =
        openedAt !== undefined && monotonicMs() - openedAt >= LONG_ENOUGH ? 0 : failures + 1
      await sleepUnlessAborted(Math.min(FIRST_WAIT * 2 ** failures, LONGEST_WAIT), signal)
    }
    if (!signal.aborted) listener.lost(reason)
  })()
}
