import type { StorageState } from '../../protocol/conversation.ts'
import { isErrorData, OffstageError } from '../../protocol/error.ts'
import { FORMAT } from '../../protocol/fact.ts'
import { signalWithin, whenAborted } from '../../lib/abort.ts'
import { isText, isDefined, shape } from '../../lib/shape.ts'
import type { HttpAnswer, HttpCall, HttpCalls } from '../wire.ts'

/** Function that sends a request to the server. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ServerConnectionOptions {
  readonly url: string
  readonly headers: () => HeadersInit | Promise<HeadersInit>
  readonly fetch: Fetch
  /** Maximum time for an answer. Milliseconds. */
  readonly timeoutMs: number
  /** Called whenever the server becomes usable or unusable. */
  readonly report: (state: StorageState) => void
  /** Called when the server can be used again. */
  readonly onBack: () => void
  /** Called when an answer has another store id than before. */
  readonly onStore: (storeId: string) => void
  readonly closed: AbortSignal
}

interface ServerRequest extends Omit<RequestInit, 'headers'> {
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** Aborts when the answer is no longer needed. Such an abort says nothing about the server. */
  readonly unwanted?: AbortSignal
}

/** Error codes with which a store may reject. Any other code from a server is ignored. */
const CODES =
  /^(storage-(failed|full|newer)|ownership-lost|conversation-(broken|not-found)|invalid-input)$/

export interface StoreUser {
  /** Id that the server made for the tenant. */
  readonly storeId: string
  /** Aborts when an answer has another id, because another user has logged in. */
  readonly replaced: AbortController
}

/** Connection to the server. Never repeats a request that may have taken effect, and ends each request in time. */
export class ServerConnection {
  readonly #options: ServerConnectionOptions
  #user: StoreUser | null = null
  /** Newest change number in an answer to the current user. */
  #lastChange = 0
  #mode: StorageState['mode'] = 'durable'

  constructor(options: ServerConnectionOptions) {
    this.#options = options
  }

  async callServer<Call extends HttpCall>(
    call: Call,
    request: HttpCalls[Call]['asks'],
  ): Promise<HttpCalls[Call]['answers']> {
    const lastChange = this.#lastChange
    return this.#callOnce(call, request).catch((error: OffstageError) => {
      // The server wrote nothing, because the conversation has changed since this client's last answer.
      const change = Number(error.details?.['change'])
      // Asks again only if this client didn't know the change.
      if (!(change > lastChange)) throw error
      this.#lastChange = change
      return this.callServer(call, request)
    })
  }

  async #callOnce<Call extends HttpCall>(
    call: Call,
    request: HttpCalls[Call]['asks'],
  ): Promise<HttpCalls[Call]['answers']> {
    const body = JSON.stringify({ ...request, call, format: FORMAT, seen: this.#lastChange })
    const { timeoutMs, closed } = this.#options
    const signal = signalWithin(timeoutMs, closed)
    const response = await this.send({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal,
    })
    const answer = await response.json().catch((error: unknown) => {
      throw this.#noteFailure(offline(error))
    })
    // Something else has answered, such as the log-in page of a Wi-Fi network.
    if (!isAnswer(answer)) throw this.#noteFailure(offline(answer))
    const { storeId, change, value } = answer as unknown as HttpAnswer<HttpCalls[Call]['answers']>
    this.noteUser(storeId)
    this.#lastChange = change ?? 0
    return value
  }

  /** The user who is logged in, from the newest answer. */
  async user(): Promise<StoreUser> {
    if (this.#user === null) await this.callServer('list', { limit: 1 })
    return this.#user as StoreUser
  }

  noteUser(storeId: string): void {
    if (storeId === this.#user?.storeId) return
    this.#user?.replaced.abort()
    this.#user = { storeId, replaced: new AbortController() }
    this.#lastChange = 0
    this.#options.onStore(storeId)
  }

  /** Called when another tab of this browser has reached the server. */
  noteReached(): void {
    if (this.#mode === 'offline') this.#setState({ mode: 'durable' })
  }

  /**
   * Sends a request. Resolves to the store's response; rejects with a store error for any other response or failure.
   */
  async send({ headers: requestHeaders, unwanted, ...init }: ServerRequest): Promise<Response> {
    const { url, headers, fetch } = this.#options
    // `headers` may wait for a login that never happens, and a custom `fetch` may ignore the signal.
    const aborted = whenAborted(init.signal)
    let response: Response | void
    try {
      const allHeaders = new Headers((await Promise.race([headers(), aborted])) ?? [])
      for (const [name, value] of Object.entries(requestHeaders)) allHeaders.set(name, value)
      response = await Promise.race([
        fetch(url, { ...init, headers: allHeaders, redirect: 'manual', cache: 'no-store' }),
        aborted,
      ])
      if (!response) throw init.signal.reason
    } catch (error) {
      throw unwanted?.aborted ? error : this.#noteFailure(offline(error))
    }
    if (!response.ok) throw this.#noteFailure(await readRefusal(response))
    this.#setState({ mode: 'durable' })
    return response
  }

  #noteFailure(error: OffstageError): OffstageError {
    if (error.code === 'storage-offline')
      this.#setState({ mode: 'offline', reason: error.toData() })
    if (error.code === 'storage-blocked')
      this.#setState({ mode: 'blocked', reason: error.toData() })
    return error
  }

  #setState(state: StorageState): void {
    const { closed, report, onBack } = this.#options
    if (state.mode === this.#mode || closed.aborted) return
    this.#mode = state.mode
    report(state)
    if (state.mode === 'durable') onBack()
  }
}

/** Whether an answer is from a store server: these contain a random id of at least 8 characters. */
const isAnswer = shape({ storeId: (id) => isText(id) && String(id).length >= 8, value: isDefined })

function offline(cause: unknown): OffstageError {
  return new OffstageError('storage-offline', 'The store server is unreachable.', {
    retryable: true,
    cause,
  })
}

async function readRefusal(response: Response): Promise<OffstageError> {
  const { status } = response
  const answer = (await response.json().catch(() => null)) as { readonly error?: unknown } | null
  const error = answer?.error
  if (isErrorData(error) && CODES.test(error.code)) return OffstageError.fromData(error)
  // A redirect usually leads to a log-in page.
  if (status < 400 || status === 401 || status === 403)
    return new OffstageError(
      'storage-blocked',
      `The store server refused (status ${status}): log in again.`,
      { retryable: true, details: { status } },
    )
  if (status === 408 || status === 429 || status >= 502) return offline(status)
  return new OffstageError('storage-failed', `The store server answered ${status}.`, {
    retryable: true,
    details: { status },
  })
}
