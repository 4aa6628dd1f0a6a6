import { monotonicMs } from '../lib/monotonic-ms.ts'
import { sleepUnlessAborted } from '../lib/sleep.ts'
import { toOffstageError } from '../client/failures.ts'
import { OffstageError } from '../protocol/error.ts'
import { afterSending, badAnswer, cutOff, refusedBy, stopped } from './failures.ts'
import type { HttpLine } from './http.ts'
import { createInbox } from './inbox.ts'
import {
  isLostSession,
  newId,
  postLegacy,
  type Posted,
  type Session,
  sessionHeaders,
} from './legacy-session.ts'
import type { ProgressNote } from './line.ts'
import type { RevisionOptions } from './modern.ts'
import { readMessages } from './read-messages.ts'
import { readProgress } from './read-progress.ts'
import { createReplies } from './replies.ts'
import { type Fields, type Incoming, RPC } from './wire.ts'

/** Number of times that a broken stream is resumed without getting anything new. */
const MOST_RESUMES = 3

/**
 * Shortest wait before a stream is resumed, whatever the server says. Grows up to the second value while streams end at
 * once. Milliseconds.
 */
const SHORTEST_WAIT = 250
const MOST_LEAST_WAIT = 4000
/** A stream that was open this long did not end at once. Milliseconds. */
const LONG_ENOUGH = 5000
/** Longest wait that a server may ask for. Milliseconds. */
const LONGEST_WAIT = 30_000

/** Most questions of one request. Further ones are cancelled without asking a person. */
const MOST_QUESTIONS = 20

/** Next event of an exchange: its result, or a question that must be answered first. */
export type Next =
  | { readonly type: 'result'; readonly result: Fields }
  | { readonly type: 'question'; readonly id: string | number; readonly params: Fields }

interface ExchangeOptions extends RevisionOptions {
  readonly http: HttpLine
  readonly session: Session
}

interface LegacyRequest {
  readonly method: string
  readonly params: Fields
}

/**
 * A request of a revision with sessions. The server may ask questions while it runs (2025-11-25, "Sending Messages to
 * the Server"). It can therefore outlive its caller: `next` returns its next event, and `answer` answers a question.
 */
export class LegacyExchange {
  readonly id: number = newId()
  readonly #options: ExchangeOptions
  readonly #stop = new AbortController()
  readonly #inbox = createInbox<Next>()
  #progress: (note: ProgressNote) => void = () => undefined
  readonly #reply = createReplies((reply: Fields) => this.#post(reply))
  #questions = 0
  #isCall = false
  #isDone = false

  constructor(options: ExchangeOptions) {
    this.#options = options
  }

  /** Sends the request. False: the session is over, and the server did nothing. */
  async begin({ method, params }: LegacyRequest, signal: AbortSignal): Promise<boolean> {
    // If the request was stopped while the session was renewed, nothing that could take effect is sent.
    if (signal.aborted) throw stopped(signal)
    this.#isCall = method === 'tools/call'
    const { http, session, maxBytes } = this.#options
    const message = {
      id: this.id,
      method,
      params: { ...params, ...(method === 'tools/call' && { _meta: { progressToken: this.id } }) },
    }
    const relay = (): void => this.cancel(signal.reason)
    signal.addEventListener('abort', relay, { once: true })
    try {
      const about = { session, maxBytes, signal: this.#stop.signal }
      const posted = await postLegacy(http, message, about)
      if (isLostSession(posted.status, session)) {
        await posted.messages.return(undefined)
        return false
      }
      void this.#read(posted)
      return true
    } finally {
      signal.removeEventListener('abort', relay)
    }
  }

  /** Resolves to the next event. An aborted signal cancels the request. */
  async next(signal: AbortSignal, progress?: (note: ProgressNote) => void): Promise<Next> {
    if (progress) this.#progress = progress
    const cancel = (): void => this.cancel(signal.reason)
    if (signal.aborted) cancel()
    signal.addEventListener('abort', cancel, { once: true })
    try {
      const next = await this.#inbox.take()
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
    if (++this.#questions > MOST_QUESTIONS) return this.#reply({ id, result: { action: 'cancel' } })
    this.#inbox.put({ type: 'question', id, params })
  }

  cancel(reason: unknown): void {
    if (this.#isDone || this.#stop.signal.aborted) return
    const why = stopped({ reason })
    this.#inbox.end(this.#failure(why))
    // Closing the connection doesn't cancel a request, so the server must be notified.
    void this.#post({
      method: 'notifications/cancelled',
      params: { requestId: this.id, reason: 'Stopped by the client.' },
    }).catch(() => undefined)
    this.#stop.abort(why)
  }

  async #read(posted: Posted): Promise<void> {
    const { source } = this.#options.http
    try {
      let { messages } = posted
      const { place, status } = posted
      let least = SHORTEST_WAIT
      for (let resumes = 0; ; resumes++) {
        const [before, openedAt] = [place.lastEventId, monotonicMs()]
        if (await this.#take(messages, status)) return
        if (place.lastEventId !== before) resumes = 0
        if (monotonicMs() - openedAt >= LONG_ENOUGH) least = SHORTEST_WAIT
        if (status >= 400) throw badAnswer(source, `answered with status ${status}.`)
        if (place.lastEventId === undefined || resumes >= MOST_RESUMES) throw cutOff(source)
        const asked = Math.min(place.retryMs ?? 1000, LONGEST_WAIT)
        await sleepUnlessAborted(Math.max(asked, least), this.#stop.signal)
        // Without this check, an app's own `fetch` could continue after the stop.
        if (this.#stop.signal.aborted) return
        least = Math.min(2 * least, MOST_LEAST_WAIT)
        messages = await this.#resume(place)
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
  async #take(messages: AsyncGenerator<Incoming>, status: number): Promise<boolean> {
    const { source } = this.#options.http
    try {
      for await (const message of messages) {
        if (message.type === 'result' && message.id === this.id) {
          this.#inbox.put({ type: 'result', result: message.result })
          return true
        }
        if (message.type === 'error' && (message.id === this.id || status >= 400))
          throw refusedBy(source, message.error)
        const note = readProgress(message, this.id)
        if (note) this.#progress(note)
        if (message.type === 'request') this.#asked(message)
      }
    } catch (thrown) {
      // A broken connection is resumed like an ended one.
      if (!OffstageError.is(thrown) || thrown.code !== 'stream-incomplete') throw thrown
    }
    return false
  }

  async #resume(place: {
    lastEventId?: string
    retryMs?: number
  }): Promise<AsyncGenerator<Incoming>> {
    const { http, session, maxBytes } = this.#options
    const { signal } = this.#stop
    const response = await http.send({
      method: 'GET',
      headers: {
        accept: 'text/event-stream',
        ...sessionHeaders(session),
        'last-event-id': place.lastEventId ?? '',
      },
      signal,
    })
    if (!response.ok) throw cutOff(http.source)
    const { source, secrets } = http
    return readMessages(response, { source, maxBytes, secrets, signal }, place)
  }

  #asked({ id, method, params }: Extract<Incoming, { type: 'request' }>): void {
    if (method === 'elicitation/create' && this.#options.elicits) this.ask(id, params)
    else this.#reply(replyTo(id, method))
  }

  async #post(message: Fields): Promise<void> {
    const { http, session, maxBytes } = this.#options
    // Doesn't use the request's own signal: a cancellation is sent after that was aborted.
    const posted = await postLegacy(http, message, {
      session,
      maxBytes,
      signal: AbortSignal.timeout(30_000),
    })
    await posted.messages.return(undefined)
    if (posted.status >= 400)
      throw badAnswer(http.source, `took no message (status ${posted.status}).`)
  }
}

/** Answers a request that a server may send to any client. */
export function replyTo(id: string | number, method: string): Fields {
  return method === 'ping'
    ? { id, result: {} }
    : { id, error: { code: RPC.methodNotFound, message: `${method} is not supported.` } }
}
