import { createMailbox } from '../../lib/mailbox.ts'
import { signalWithin } from '../../lib/abort.ts'
import { randomId } from '../../lib/random-id.ts'
import { isRecord } from '../../lib/shape.ts'
import { OffstageError } from '../../protocol/error.ts'
import { afterSending, badAnswer, cutOff, refusedBy, stopped } from './failures.ts'
import type { HttpTransport, StreamPosition } from './http.ts'
import { hasStream, keepListening, listenable, reportChange } from './modern.ts'
import {
  initialize,
  isLostSession,
  newId,
  type Posted,
  postLegacy,
  type Session,
  sessionHeaders,
} from './legacy-session.ts'
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
import { type Fields, type Incoming, RPC } from './wire.ts'
import { monotonicMs } from '../../lib/monotonic-ms.ts'
import { sleepUnlessAborted } from '../../lib/sleep.ts'
import type { ToolStop } from '../../client/execution/execution.ts'
import { toOffstageError } from '../../client/api/failures.ts'

/** Time for which a server's question stays open. Milliseconds. */
const QUESTION_MS = 30 * 60_000
/** Time limit for renewing a session. Milliseconds. */
const RENEW_MS = 30_000

/** A question that waits for its answer, identified by its `requestState`. */
interface PendingQuestion {
  readonly exchange: LegacyExchange
  readonly id: string | number
  /** Releases the timer and the call's signal. */
  release(): void
}

/** Key of a server's question. In revision 2026-07-28, questions have their own keys. */
const QUESTION = 'question'

/** Begins a session. Rejects as `initialize` does. */
export async function openLegacy(
  http: HttpTransport,
  canElicit: boolean,
  signal: AbortSignal,
): Promise<McpConnection> {
  return new LegacyConnection(http, await initialize(http, canElicit, signal), canElicit)
}

/** A server of an older revision, with its current session. */
class LegacyConnection implements McpConnection {
  readonly source: string
  readonly endpoint: string
  readonly #http: HttpTransport
  readonly #canElicit: boolean
  readonly #closed = new AbortController()
  /** Questions that wait for an answer, by `requestState`. */
  readonly #pendingQuestions = new Map<string, PendingQuestion>()
  readonly #running = new Set<LegacyExchange>()
  readonly #reply = createReplies(async (reply: Fields) => {
    const postOptions = { session: this.#session, signal: this.#closed.signal }
    const { messages } = await postLegacy(this.#http, reply, postOptions)
    await messages.return(undefined)
  })
  #session: Session
  #renewal: Promise<Session> | undefined
  /** Newest session whose stream of changes opened. */
  #streamedSession: Session | undefined

  constructor(http: HttpTransport, session: Session, canElicit: boolean) {
    this.source = http.source
    this.endpoint = http.endpoint
    this.#http = http
    this.#session = session
    this.#canElicit = canElicit
  }

  get info(): ServerInfo {
    return this.#session.info
  }

  async request(method: string, params: Fields, options: RequestOptions): Promise<Fields> {
    const signal = this.#callSignal(options.signal)
    const exchange = await this.#beginExchange(method, params, signal)
    for (;;) {
      const next = await exchange.next(signal)
      if (next.type === 'result') return next.result
      await exchange.answer(next.id, { action: 'cancel' })
    }
  }

  async call({ name, input }: ToolRequest, options: CallOptions): Promise<Round> {
    const call = { ...options, signal: this.#callSignal(options.signal) }
    const { answers, signal } = call
    if (answers?.requestState === undefined)
      return this.#next(
        await this.#beginExchange('tools/call', { name, arguments: input }, signal),
        call,
      )
    const question = this.#takeQuestion(answers.requestState)
    if (!question)
      throw new OffstageError(
        'stream-incomplete',
        `The question of ${this.source} is lost. The call may or may not have taken effect.`,
      )
    const answer = answers.inputResponses[QUESTION]
    await question.exchange.answer(question.id, isRecord(answer) ? answer : { action: 'cancel' })
    return this.#next(question.exchange, call)
  }

  listen(listener: Listener): void {
    const canElicit = this.#canElicit
    if (!canElicit && Object.keys(listenable(this.info)).length === 0) return
    // Keeps the stream open in a hidden tab, because some servers send the questions of a call on it.
    const streamListener = { ...listener, isNeeded: canElicit }
    keepListening(this.#closed.signal, streamListener, (signal, opened) =>
      this.#readStream({ signal, opened, listener }),
    )
  }

  async close(): Promise<void> {
    const reason = new OffstageError('disposed', `The connection to ${this.source} was closed.`)
    for (const state of this.#pendingQuestions.keys())
      this.#takeQuestion(state)?.exchange.cancel(reason)
    this.#closed.abort(reason)
    if (this.#session.id === undefined) return
    const headers = sessionHeaders(this.#session)
    const signal = AbortSignal.timeout(5000)
    // Ignores failures: a server may refuse to end the session.
    await this.#http.send({ method: 'DELETE', headers, signal }).then(
      (response) => response.body?.cancel(),
      () => undefined,
    )
  }

  #callSignal(signal: AbortSignal): AbortSignal {
    return AbortSignal.any([signal, this.#closed.signal])
  }

  async #beginExchange(
    method: string,
    params: Fields,
    signal: AbortSignal,
  ): Promise<LegacyExchange> {
    const session = this.#session
    const attempt = await this.#tryToBegin(session, { method, params }, signal)
    // The server ignored the request if its session is over, so the request is sent again in a new one.
    const exchange =
      attempt ?? (await this.#tryToBegin(await this.#renew(session), { method, params }, signal))
    if (!exchange) throw badAnswer(this.source, 'ends each session.')
    return exchange
  }

  /** Begins a request. Null: the session is over. */
  async #tryToBegin(
    session: Session,
    request: { readonly method: string; readonly params: Fields },
    signal: AbortSignal,
  ): Promise<LegacyExchange | null> {
    const exchange = new LegacyExchange({ canElicit: this.#canElicit, http: this.#http, session })
    // Added before sending, because the server may ask a question before it answers.
    if (request.method === 'tools/call') this.#running.add(exchange)
    try {
      if (await exchange.start(request, signal)) return exchange
    } catch (thrown) {
      this.#running.delete(exchange)
      throw thrown
    }
    this.#running.delete(exchange)
    return null
  }

  /** Renews a lost session. Concurrent requests share the renewal. */
  #renew(lost: Session): Promise<Session> {
    if (this.#session !== lost) return Promise.resolve(this.#session)
    const signal = signalWithin(RENEW_MS, this.#closed.signal)
    this.#renewal ??= initialize(this.#http, this.#canElicit, signal)
      .then((session) => (this.#session = session))
      .finally(() => (this.#renewal = undefined))
    return this.#renewal
  }

  async #next(exchange: LegacyExchange, call: CallOptions): Promise<Round> {
    this.#running.add(exchange)
    try {
      const next = await exchange.next(call.signal, call.progress)
      if (next.type === 'result') return { type: 'done', result: next.result }
      const requests = { [QUESTION]: { method: 'elicitation/create', params: next.params } }
      return { type: 'asks', requests, requestState: this.#addQuestion(exchange, next.id, call) }
    } finally {
      this.#running.delete(exchange)
    }
  }

  #addQuestion(exchange: LegacyExchange, id: string | number, { signal }: CallOptions): string {
    const state = randomId()
    const cancel = (reason: unknown): void => this.#takeQuestion(state)?.exchange.cancel(reason)
    const timer = setTimeout(
      () => cancel(new OffstageError('timeout', "Nobody answered the server's question.")),
      QUESTION_MS,
    )
    const onAbort = (): void => {
      const reason: unknown = signal.reason
      const toolStop: Partial<ToolStop> = OffstageError.is(reason) ? reason : { kind: 'cancelled' }
      // Keeps the question if the tool was suspended (no kind) or released: its next execution gets the answer.
      if ((toolStop.kind ?? 'released') !== 'released') cancel(reason)
    }
    signal.addEventListener('abort', onAbort)
    const release = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
    this.#pendingQuestions.set(state, { exchange, id, release })
    return state
  }

  #takeQuestion(state: string): PendingQuestion | undefined {
    const question = this.#pendingQuestions.get(state)
    this.#pendingQuestions.delete(state)
    question?.release()
    return question
  }

  /**
   * Reads the server's stream of messages that belong to no request. Returns false if the server has none. A 404 may
   * mean this, or that the session is lost. A ping decides, because each request renews a lost session.
   */
  async #readStream(options: {
    readonly signal: AbortSignal
    readonly listener: Listener
    opened(): void
  }): Promise<boolean> {
    const session = this.#session
    const headers = { accept: 'text/event-stream', ...sessionHeaders(session) }
    const response = await this.#http.send({ method: 'GET', headers, signal: options.signal })
    if (!response.ok) {
      await response.body?.cancel()
      if (!isLostSession(response.status, session)) return hasStream(response.status, this.source)
      await this.request('ping', {}, { signal: options.signal })
      return this.#session !== session || this.#streamedSession === session
    }
    this.#streamedSession = session
    options.opened()
    for await (const message of this.#http.read(response, options.signal)) {
      if (message.type === 'request') this.#onRequest(message)
      reportChange(message, options.listener)
    }
    return true
  }

  /** Answers a server's request that arrived on the stream without a call. */
  #onRequest({ id, method, params }: Extract<Incoming, { type: 'request' }>): void {
    const isQuestion = method === 'elicitation/create'
    const [exchange, ...otherExchanges] = this.#running
    // Some servers send a call's question on this stream. It is attributed to the call only if exactly one is running.
    if (isQuestion && this.#canElicit && exchange && otherExchanges.length === 0) {
      exchange.ask(id, params)
      return
    }
    const reply = isQuestion ? { id, result: { action: 'cancel' } } : replyTo(id, method)
    this.#reply(reply)
  }
}

/** Maximum times that a broken stream is resumed without receiving anything new. */
const MOST_RESUMES = 3

/**
 * Minimum wait before a stream is resumed, even if the server asks for less. Grows to the second value while streams
 * end at once. Milliseconds.
 */
const SHORTEST_WAIT = 250
const MOST_LEAST_WAIT = 4000
/** A stream that was open this long did not end at once. Milliseconds. */
const LONG_ENOUGH = 5000
/** Longest wait that a server may ask for. Milliseconds. */
const LONGEST_WAIT = 30_000

/** Maximum questions of one request. Further questions are cancelled without asking a person. */
const MOST_QUESTIONS = 20

/** Next event of an exchange: its result, or a question that must be answered first. */
type Next =
  | { readonly type: 'result'; readonly result: Fields }
  | { readonly type: 'question'; readonly id: string | number; readonly params: Fields }

interface ExchangeOptions {
  /** Allows the server to request input from the user. */
  readonly canElicit: boolean
  readonly http: HttpTransport
  readonly session: Session
}

interface LegacyRequest {
  readonly method: string
  readonly params: Fields
}

/**
 * A request of a revision with sessions. The server may ask questions during the request (2025-11-25, "Sending Messages
 * to the Server"), so the request can outlive its caller. `next` returns the next event, and `answer` answers a
 * question.
 */
class LegacyExchange {
  readonly id: number = newId()
  readonly #options: ExchangeOptions
  readonly #controller = new AbortController()
  readonly #inbox = createMailbox<Next>()
  #progress: (note: ProgressNote) => void = () => undefined
  readonly #reply = createReplies((reply: Fields) => this.#post(reply))
  #questionCount = 0
  #isCall = false
  #isDone = false

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  /** Sends the request. False: the session is over, and the server did nothing. */
  async start({ method, params }: LegacyRequest, signal: AbortSignal): Promise<boolean> {
    // Sends nothing if the request was stopped while the session was being renewed.
    if (signal.aborted) throw stopped(signal)
    this.#isCall = method === 'tools/call'
    const { http, session } = this.#options
    const message = {
      id: this.id,
      method,
      params: { ...params, ...(method === 'tools/call' && { _meta: { progressToken: this.id } }) },
    }
    const onAbort = (): void => this.cancel(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const postOptions = { session, signal: this.#controller.signal }
      const posted = await postLegacy(http, message, postOptions)
      if (isLostSession(posted.status, session)) {
        await posted.messages.return(undefined)
        return false
      }
      void this.#readPosted(posted)
      return true
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Resolves to the next event. An aborted signal cancels the request. */
  async next(signal: AbortSignal, progress?: (note: ProgressNote) => void): Promise<Next> {
    if (progress) this.#progress = progress
    const cancel = (): void => this.cancel(signal.reason)
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const next = await this.#inbox.next()
      if (next.type === 'result') this.#isDone = true
      return next
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }

  async answer(id: string | number, result: Fields): Promise<void> {
    try {
      await this.#post({ id, result })
    } catch (thrown) {
      throw this.#failure(thrown)
    }
  }

  /** Adds a question that arrived on another stream and is attributed to this request. */
  ask(id: string | number, params: Fields): void {
    if (++this.#questionCount > MOST_QUESTIONS)
      return this.#reply({ id, result: { action: 'cancel' } })
    this.#inbox.post({ type: 'question', id, params })
  }

  cancel(reason: unknown): void {
    if (this.#isDone || this.#controller.signal.aborted) return
    const error = stopped({ reason })
    this.#inbox.end(this.#failure(error))
    // Notifies the server, because closing the connection doesn't cancel a request.
    void this.#post({
      method: 'notifications/cancelled',
      params: { requestId: this.id, reason: 'Stopped by the client.' },
    }).catch(() => undefined)
    this.#controller.abort(error)
  }

  async #readPosted(posted: Posted): Promise<void> {
    const { source } = this.#options.http
    try {
      let { messages } = posted
      const { position, status } = posted
      let minWait = SHORTEST_WAIT
      for (let resumes = 0; ; resumes++) {
        const [previousEventId, openedAt] = [position.lastEventId, monotonicMs()]
        if (await this.#readMessages(messages, status)) return
        if (position.lastEventId !== previousEventId) resumes = 0
        if (monotonicMs() - openedAt >= LONG_ENOUGH) minWait = SHORTEST_WAIT
        if (status >= 400) throw badAnswer(source, `answered with status ${status}.`)
        if (position.lastEventId === undefined || resumes >= MOST_RESUMES) throw cutOff(source)
        const requestedWait = Math.min(position.retryMs ?? 1000, LONGEST_WAIT)
        await sleepUnlessAborted(Math.max(requestedWait, minWait), this.#controller.signal)
        // Stops here, because an app's own `fetch` may ignore the signal.
        if (this.#controller.signal.aborted) return
        minWait = Math.min(2 * minWait, MOST_LEAST_WAIT)
        messages = this.#resume(position)
      }
    } catch (thrown) {
      this.#inbox.end(this.#failure(thrown))
    }
  }

  /** Error of a request that may already have been sent. */
  #failure(thrown: unknown): OffstageError {
    return this.#isCall ? afterSending(thrown) : toOffstageError(thrown)
  }

  /** Reads messages until the stream ends. True: the result was among them. */
  async #readMessages(messages: AsyncGenerator<Incoming>, status: number): Promise<boolean> {
    const { source } = this.#options.http
    try {
      for await (const message of messages) {
        if (message.type === 'result' && message.id === this.id) {
          this.#inbox.post({ type: 'result', result: message.result })
          return true
        }
        if (message.type === 'error' && (message.id === this.id || status >= 400))
          throw refusedBy(source, message.error)
        const note = readProgress(message, this.id)
        if (note) this.#progress(note)
        if (message.type === 'request') this.#onRequest(message)
      }
    } catch (thrown) {
      // Resumes a broken connection like an ended one, repeatedly while the network is down.
      if (!OffstageError.is(thrown) || !thrown.retryable) throw thrown
    }
    return false
  }

  async *#resume(position: StreamPosition): AsyncGenerator<Incoming> {
    const { http, session } = this.#options
    const { signal } = this.#controller
    const response = await http.send({
      method: 'GET',
      headers: {
        accept: 'text/event-stream',
        ...sessionHeaders(session),
        'last-event-id': position.lastEventId ?? '',
      },
      signal,
    })
    if (!hasStream(response.status, http.source))
      throw badAnswer(http.source, `does not resume its stream (status ${response.status}).`)
    yield* http.read(response, signal, position)
  }

  #onRequest({ id, method, params }: Extract<Incoming, { type: 'request' }>): void {
    if (method === 'elicitation/create' && this.#options.canElicit) this.ask(id, params)
    else this.#reply(replyTo(id, method))
  }

  async #post(message: Fields): Promise<void> {
    const { http, session } = this.#options
    // Uses its own signal, because a cancellation is sent after the request's signal was aborted.
    const posted = await postLegacy(http, message, {
      session,
      signal: AbortSignal.timeout(30_000),
    })
    await posted.messages.return(undefined)
    if (posted.status >= 400)
      throw badAnswer(http.source, `refused a message (status ${posted.status}).`)
  }
}

/** Answers a request that a server may send to any client. */
function replyTo(id: string | number, method: string): Fields {
  return method === 'ping'
    ? { id, result: {} }
    : { id, error: { code: RPC.methodNotFound, message: `${method} is not supported.` } }
}

/**
 * Maximum replies that wait for earlier ones. Further replies are dropped: a server that causes more only keeps the
 * page busy.
 */
const MOST_WAITING = 16
/**
 * Number of replies that may be sent at once. Afterwards, one per gap may be sent, and others are dropped: a healthy
 * server rarely asks.
 */
const BURST = 32
const GAP_MS = 500

/** Posts replies one after the other. Drops surplus replies, and ignores failures. */
function createReplies<Reply>(post: (reply: Reply) => Promise<void>): (reply: Reply) => void {
  const queue: Reply[] = []
  let isPosting = false
  let [credit, countedAt] = [BURST, monotonicMs()]
  const postAll = async (): Promise<void> => {
    isPosting = true
    for (let reply = queue.shift(); reply !== undefined; reply = queue.shift())
      await post(reply).catch(() => undefined)
    isPosting = false
  }
  return (reply) => {
    const now = monotonicMs()
    credit = Math.min(credit + (now - countedAt) / GAP_MS, BURST)
    countedAt = now
    if (credit < 1 || queue.length >= MOST_WAITING) return
    credit -= 1
    queue.push(reply)
    if (!isPosting) void postAll()
  }
}
