import { randomId } from '../lib/random-id.ts'
import { isRecord } from '../lib/shape.ts'
import { OffstageError } from '../protocol/error.ts'
import { badAnswer } from './failures.ts'
import type { HttpLine } from './http.ts'
import { keepListening } from './keep-listening.ts'
import { LegacyExchange, replyTo } from './legacy-exchange.ts'
import {
  initialize,
  isLostSession,
  postLegacy,
  type Session,
  sessionHeaders,
} from './legacy-session.ts'
import type {
  CallOptions,
  Listener,
  McpLine,
  RequestOptions,
  Round,
  ServerInfo,
  ToolRequest,
} from './line.ts'
import { listenable, type RevisionOptions, tellChange } from './modern.ts'
import { readMessages } from './read-messages.ts'
import { createReplies } from './replies.ts'
import type { Fields, Incoming } from './wire.ts'

/** Time for which a server's question stays open. Milliseconds. */
const QUESTION_MS = 30 * 60_000
/** Time limit for renewing a session. Milliseconds. */
const RENEW_MS = 30_000

/** A question that waits for its answer. The caller knows it by its `requestState`. */
interface Parked {
  readonly exchange: LegacyExchange
  readonly id: string | number
  readonly timer: ReturnType<typeof setTimeout>
}

/** Key of a server's question. Questions of revision 2026-07-28 have keys of their own. */
const QUESTION = 'question'

/** Begins a session. Rejects as `initialize` does. */
export async function openLegacy(
  http: HttpLine,
  options: RevisionOptions,
  signal: AbortSignal,
): Promise<McpLine> {
  return new LegacyLine(http, await initialize(http, options, signal), options)
}

/** A server of the revisions with a handshake, and its current session. */
class LegacyLine implements McpLine {
  readonly source: string
  readonly endpoint: string
  readonly #http: HttpLine
  readonly #options: RevisionOptions
  readonly #closed = new AbortController()
  /** Questions that wait for an answer, by `requestState`. */
  readonly #parked = new Map<string, Parked>()
  readonly #running = new Set<LegacyExchange>()
  readonly #reply = createReplies(async (reply: Fields) => {
    const { maxBytes } = this.#options
    const about = { session: this.#session, maxBytes, signal: this.#closed.signal }
    const { messages } = await postLegacy(this.#http, reply, about)
    await messages.return(undefined)
  })
  #session: Session
  #renewal: Promise<Session> | undefined

  constructor(http: HttpLine, session: Session, options: RevisionOptions) {
    this.source = http.source
    this.endpoint = http.endpoint
    this.#http = http
    this.#session = session
    this.#options = options
  }

  get info(): ServerInfo {
    return this.#session.info
  }

  async request(method: string, params: Fields, options: RequestOptions): Promise<Fields> {
    const signal = this.#within(options.signal)
    const exchange = await this.#begin(method, params, signal)
    for (;;) {
      const next = await exchange.next(signal)
      if (next.type === 'result') return next.result
      await exchange.answer(next.id, { action: 'cancel' })
    }
  }

  async call({ name, input }: ToolRequest, asked: CallOptions): Promise<Round> {
    const call = { ...asked, signal: this.#within(asked.signal) }
    const { answers, signal } = call
    if (answers?.requestState === undefined)
      return this.#next(await this.#begin('tools/call', { name, arguments: input }, signal), call)
    const open = this.#unpark(answers.requestState)
    if (!open)
      throw new OffstageError(
        'stream-incomplete',
        `The question of ${this.source} is lost. It may or may not have taken effect.`,
      )
    const answer = answers.inputResponses[QUESTION]
    await open.exchange.answer(open.id, isRecord(answer) ? answer : { action: 'cancel' })
    return this.#next(open.exchange, call)
  }

  listen(listener: Listener): void {
    const { elicits } = this.#options
    if (!elicits && Object.keys(listenable(this.info)).length === 0) return
    // Some servers send the questions of a call on this stream, so a hidden tab needs it, too.
    const needing = { ...listener, isNeeded: elicits }
    keepListening(this.#closed.signal, needing, (signal, opened) =>
      this.#follow({ signal, opened, listener }),
    )
  }

  async close(): Promise<void> {
    const reason = new OffstageError('disposed', `The connection to ${this.source} was closed.`)
    for (const state of this.#parked.keys()) this.#unpark(state)?.exchange.cancel(reason)
    this.#closed.abort(reason)
    if (this.#session.id === undefined) return
    const headers = sessionHeaders(this.#session)
    const signal = AbortSignal.timeout(5000)
    // A server may refuse to end the session.
    await this.#http.send({ method: 'DELETE', headers, signal }).then(
      (response) => response.body?.cancel(),
      () => undefined,
    )
  }

  #within(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#closed.signal])
  }

  async #begin(method: string, params: Fields, signal: AbortSignal): Promise<LegacyExchange> {
    const used = this.#session
    const begun = await this.#tryToBegin(used, { method, params }, signal)
    // The server ignored the request if its session is over, so the request is sent again in a new one.
    const exchange =
      begun ?? (await this.#tryToBegin(await this.#renew(used), { method, params }, signal))
    if (!exchange) throw badAnswer(this.source, 'ends each session.')
    return exchange
  }

  /** Begins a request. Null: the session is over. */
  async #tryToBegin(
    session: Session,
    request: { readonly method: string; readonly params: Fields },
    signal: AbortSignal,
  ): Promise<LegacyExchange | null> {
    const exchange = new LegacyExchange({ ...this.#options, http: this.#http, session })
    // Added before sending, because the server may ask before it answers.
    if (request.method === 'tools/call') this.#running.add(exchange)
    try {
      if (await exchange.begin(request, signal)) return exchange
    } catch (thrown) {
      this.#running.delete(exchange)
      throw thrown
    }
    this.#running.delete(exchange)
    return null
  }

  /** Renews a lost session. Requests that lose it at the same time share the renewal. */
  #renew(lost: Session): Promise<Session> {
    if (this.#session !== lost) return Promise.resolve(this.#session)
    const signal = this.#within(AbortSignal.timeout(RENEW_MS))
    this.#renewal ??= initialize(this.#http, this.#options, signal)
      .then((made) => (this.#session = made))
      .finally(() => (this.#renewal = undefined))
    return this.#renewal
  }

  async #next(exchange: LegacyExchange, call: CallOptions): Promise<Round> {
    this.#running.add(exchange)
    try {
      const next = await exchange.next(call.signal, call.progress)
      if (next.type === 'result') return { type: 'done', result: next.result }
      const requests = { [QUESTION]: { method: 'elicitation/create', params: next.params } }
      return { type: 'asks', requests, requestState: this.#park(exchange, next.id) }
    } finally {
      this.#running.delete(exchange)
    }
  }

  #park(exchange: LegacyExchange, id: string | number): string {
    const state = randomId()
    const timer = setTimeout(() => {
      this.#parked.delete(state)
      exchange.cancel(new OffstageError('timeout', 'Nobody answered what the server asked.'))
    }, QUESTION_MS)
    this.#parked.set(state, { exchange, id, timer })
    return state
  }

  #unpark(state: string): Parked | undefined {
    const parked = this.#parked.get(state)
    this.#parked.delete(state)
    clearTimeout(parked?.timer)
    return parked
  }

  /** Reads the stream that belongs to no request. False: the server has none (405). */
  async #follow(on: {
    readonly signal: AbortSignal
    readonly listener: Listener
    opened(): void
  }): Promise<boolean> {
    const session = this.#session
    const headers = { accept: 'text/event-stream', ...sessionHeaders(session) }
    const response = await this.#http.send({ method: 'GET', headers, signal: on.signal })
    if (!response.ok) {
      await response.body?.cancel()
      // 404: the session is over, and the next request begins another one.
      return isLostSession(response.status, session)
    }
    on.opened()
    const { secrets } = this.#http
    const { maxBytes } = this.#options
    for await (const message of readMessages(response, {
      source: this.source,
      maxBytes,
      secrets,
      signal: on.signal,
    })) {
      if (message.type === 'request') this.#asked(message)
      tellChange(message, on.listener)
    }
    return true
  }

  /** Answers a request from the stream that belongs to no request. */
  #asked({ id, method, params }: Extract<Incoming, { type: 'request' }>): void {
    const isQuestion = method === 'elicitation/create'
    const [only, ...others] = this.#running
    // Some servers send the questions of a call here. If exactly one call is running, the question belongs to it.
    if (isQuestion && this.#options.elicits && only && others.length === 0) {
      only.ask(id, params)
      return
    }
    const reply = isQuestion ? { id, result: { action: 'cancel' } } : replyTo(id, method)
    this.#reply(reply)
  }
}
