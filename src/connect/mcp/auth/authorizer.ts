import { createSerialQueue } from '../../../lib/serial-queue.ts'
import { sleepUnlessAborted } from '../../../lib/sleep.ts'
import { badConfig } from '../../../client/api/failures.ts'
import { OffstageError } from '../../../protocol/error.ts'
import { addressOf } from '../addresses.ts'
import { stopped } from '../failures.ts'
import type { McpFetch, McpAuthOptions, McpKeyStore } from '../options.ts'
import { withTimeLimit, authFailed, rejectOnAbort } from './read-document.ts'
import { type AuthServer, discoverAuth } from './discover.ts'
import {
  isRevoked,
  isTemporary,
  type Keys,
  keysOf,
  LOG_IN,
  tokenError,
  readTokens,
  register,
  requestTokens,
  type Tokens,
  type AuthMessage,
  beginLogIn,
  CHANNEL,
  type LogIn,
  type LogInStart,
  endLogIn,
  isUnknownClient,
} from './code-flow.ts'

/** A refused request and its token; null if it had none. `tries`: how often the request was refused before. */
export interface Refusal {
  readonly response: Response
  readonly bearer: string | null
  readonly tries: number
}

export interface Authorizer {
  /** Token to send; null if none is known. */
  getToken(): Promise<string | null>
  /**
   * Gets another token after a refusal: refreshes the token, or lets the person log in. Null if the server also refused
   * a token from a log-in for the same request.
   */
  renewToken(refusal: Refusal, signal: AbortSignal): Promise<string | null>
}

interface AuthorizerParts {
  readonly url: URL
  readonly options: McpAuthOptions
  readonly fetch: McpFetch
}

/** Throws `invalid-config` for wrong options. */
export function createAuthorizer(parts: AuthorizerParts): Authorizer {
  checkAuth(parts.options)
  return new OAuth(parts)
}

/** Throws `invalid-config` if no log-in could return to this page. The user would notice only after logging in. */
function checkAuth({ redirectUrl, mode = 'popup', store }: McpAuthOptions): void {
  const address = addressOf(redirectUrl)
  if (!address) throw badConfig('auth needs a redirectUrl: a page that calls finishMcpAuth().')
  const { origin } = globalThis
  if (typeof origin === 'string' && address.origin !== origin)
    throw badConfig(
      `auth.redirectUrl is on ${address.origin}, this page on ${origin}. Use a page of this page's origin.`,
    )
  if (mode !== 'popup' && mode !== 'redirect')
    throw badConfig("auth.mode must be 'popup' or 'redirect'.")
  if (mode === 'redirect' && !store)
    throw badConfig(
      "mode: 'redirect' of auth needs a store, such as sessionStorage: memory is lost with the page.",
    )
}

class OAuth implements Authorizer {
  readonly #parts: AuthorizerParts
  readonly #store: McpKeyStore
  readonly #keys: Keys
  readonly #queue = createSerialQueue()
  readonly #redirectUrl: string
  /** Newest token that came from a refresh, not from a log-in. */
  #refreshed: string | undefined
  /** True while a person is logging in. */
  #isLoggingIn = false

  constructor(parts: AuthorizerParts) {
    const { options, url } = parts
    this.#parts = parts
    this.#store = options.store ?? memoryStore()
    this.#redirectUrl = new URL(options.redirectUrl, globalThis.document?.baseURI).href
    this.#keys = keysOf(url, this.#redirectUrl)
  }

  async getToken(): Promise<string | null> {
    return (await this.#getTokens())?.access ?? null
  }

  #getTokens(): Promise<Tokens | null> {
    return readTokens(this.#store, this.#keys.tokens)
  }

  renewToken({ response, bearer, tries }: Refusal, signal: AbortSignal): Promise<string | null> {
    const { fetch: fetchFn } = this.#parts
    const renew = async (): Promise<string | null> => {
      // The request may have been stopped during the log-in of another request.
      if (signal.aborted) throw stopped(signal)
      const stored = await this.#getTokens()
      // Another request has renewed the token meanwhile.
      if (stored && bearer !== stored.access) return stored.access
      if (tries > 0 && bearer !== this.#refreshed) return null
      const needsLogIn = response.status === 403 || tries > 0
      if (stored?.refresh !== undefined && !needsLogIn) {
        const parameters = { grant_type: 'refresh_token', refresh_token: stored.refresh }
        const result = await withTimeLimit(signal, (requestSignal) =>
          requestTokens(parameters, stored, { fetch: fetchFn, signal: requestSignal }),
        )
        if ('access' in result) {
          await this.#store.setItem(this.#keys.tokens, JSON.stringify(result))
          return (this.#refreshed = result.access)
        }
        // Keeps the refresh token, which may still be valid, so that the person needn't log in again.
        if (isTemporary(result)) throw tokenError(stored.server, result)
        // Another tab may have used the refresh token first: many authorization servers accept each only once.
        const latest = await this.#getTokens()
        if (latest && latest.access !== stored.access) return latest.access
        if (isRevoked(result)) await this.#store.removeItem(this.#keys.tokens)
        if (isUnknownClient(result)) await this.#forgetClient(stored.server)
      }
      return this.#logIn(response, stored, signal)
    }
    const createError = (): OffstageError =>
      this.#isLoggingIn ? logInStopped(signal) : stopped(signal)
    return rejectOnAbort(signal, () => this.#queue(renew), createError)
  }

  async #getClientId(server: AuthServer, signal: AbortSignal): Promise<string> {
    const { options, fetch: fetchFn } = this.#parts
    const { clientId } = options
    const isDocument = clientId?.startsWith('https://') === true
    if (clientId !== undefined && (!isDocument || server.readsClientDocuments)) {
      this.#checkMixUp(server)
      return clientId
    }
    const key = this.#keys.client(server)
    const storedId = await this.#store.getItem(key)
    if (storedId !== null) return storedId
    const name = options.clientName ?? globalThis.location?.host ?? 'Offstage'
    const client = { name, redirectUrl: this.#redirectUrl }
    const registeredId = await withTimeLimit(signal, (requestSignal) =>
      register(server, client, { fetch: fetchFn, signal: requestSignal }),
    )
    await this.#store.setItem(key, registeredId)
    return registeredId
  }

  /**
   * Makes the next log-in register the app again. If the authorization server no longer knows the app, its log-in shows
   * an error page and never returns (RFC 6749, section 4.1.2.1).
   */
  async #forgetClient(server: AuthServer): Promise<void> {
    await this.#store.removeItem(this.#keys.client(server))
  }

  /**
   * Throws if a mix-up attack is possible (RFC 9700, section 4.4): a hostile server forwards a log-in to another server
   * that knows the same client id, and gets the code. Only answers that name their issuer reveal this.
   */
  #checkMixUp({ issuer, saysIssuer }: AuthServer): void {
    if (saysIssuer || this.#parts.options.issuers) return
    throw authFailed(
      `${issuer} doesn't name itself in its answers (RFC 9207), and clientId is the same for all issuers. If that is right, pass issuers: ['${issuer}'].`,
    )
  }

  async #logIn(refusal: Response, stored: Tokens | null, signal: AbortSignal): Promise<string> {
    const { url, options, fetch: fetchFn } = this.#parts
    const challenge = readChallenge(refusal.headers.get('www-authenticate'))
    const { issuers } = options
    const discovery = { url, fetch: fetchFn, ...(issuers && { issuers }) }
    const server = await withTimeLimit(signal, (requestSignal) =>
      discoverAuth(challenge.resource_metadata, { ...discovery, signal: requestSignal }),
    )
    // The person left this page for an earlier log-in at this server, which was never completed.
    if ((await this.#store.getItem(LOG_IN))?.includes(url.href)) await this.#forgetClient(server)
    const clientId = await this.#getClientId(server, signal)
    const redirectUrl = this.#redirectUrl
    const scope = joinScopes(
      stored?.scope,
      options.scope ?? challenge.scope ?? server.scopes,
      // Adds the scopes that a refused call needs, whatever the app asked for.
      refusal.status === 403 ? challenge.scope : undefined,
    )
    const start = await beginLogIn(server, { url: url.href, clientId, redirectUrl, scope })
    if (options.mode === 'redirect') {
      await this.#store.setItem(LOG_IN, JSON.stringify(start.logIn))
      return leavePage(start.address, signal)
    }
    const answer = await this.#waitForPerson(start, signal)
    return endLogIn(answer, start.logIn, { store: this.#store, fetch: fetchFn, signal })
  }

  async #waitForPerson({ address, logIn }: LogInStart, signal: AbortSignal): Promise<string> {
    const popup = openWindow(address)
    this.#isLoggingIn = true
    try {
      return await logInByWindow(popup, logIn, signal)
    } catch (thrown) {
      await this.#forgetClient(logIn.server)
      throw thrown
    } finally {
      this.#isLoggingIn = false
    }
  }
}

function logInStopped({ reason }: AbortSignal): OffstageError {
  const code = OffstageError.is(reason) ? reason.code : 'aborted'
  return new OffstageError(code, 'The log-in was cancelled before it finished.')
}

/** Joins scopes granted before and scopes requested now, so that a new token keeps all of them. */
function joinScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const all = new Set(scopes.join(' ').split(' ').filter(Boolean))
  return all.size > 0 ? [...all].join(' ') : undefined
}

function memoryStore(): McpKeyStore {
  const items = new Map<string, string>()
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
  }
}

/** Details that a server sends with a refusal (RFC 6750, section 3; RFC 9728, section 5.1). */
interface AuthChallenge {
  readonly resource_metadata?: string
  readonly scope?: string
}

const PARAMETER = /\b(resource_metadata|scope)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi

/** Reads `WWW-Authenticate`. Browsers show it only if the server exposes it. */
function readChallenge(header: string | null): AuthChallenge {
  const challenge: { [name: string]: string } = {}
  for (const [, name = '', quoted, plain = ''] of (header ?? '').matchAll(PARAMETER))
    challenge[name.toLowerCase()] ??= quoted?.replace(/\\(.)/g, '$1') ?? plain
  return challenge
}

/** Milliseconds until the navigation counts as cancelled: the user may stay on the page to keep unsaved input. */
const LEAVE_MS = 30_000

/** Navigates away. Never resolves; rejects if the page stays or the signal aborts. */
export async function leavePage(address: string, signal: AbortSignal): Promise<never> {
  globalThis.location.assign(address)
  return rejectOnAbort(signal, async () => {
    await sleepUnlessAborted(LEAVE_MS, signal)
    throw authFailed('The browser did not open the log-in page. Connect again.')
  })
}

/** How often the window is checked. Milliseconds. */
const CHECK_MS = 250
/** Time for which a closed window's message may still arrive. Milliseconds. */
const MESSAGE_MS = 1000

/** Opens a window in which the person logs in. */
export function openWindow(address: string): Window {
  const popup = globalThis.open?.(address, '_blank', 'popup,width=520,height=720')
  if (!popup) throw authFailed('The window for the log-in was blocked. Connect in a click handler.')
  // Cleared before another site loads in the window, so that the site can't navigate this page.
  popup.opener = null
  return popup
}

/** Waits until the person has logged in. Resolves to the query of the redirect. */
export async function logInByWindow(
  popup: Window,
  { state }: Pick<LogIn, 'state'>,
  signal: AbortSignal,
): Promise<string> {
  // Uses a channel, because pages of other origins can't post to it.
  const channel = new BroadcastChannel(CHANNEL)
  let watchTimer: ReturnType<typeof setInterval> | undefined
  try {
    return await rejectOnAbort(
      signal,
      () =>
        new Promise<string>((resolve, reject) => {
          channel.addEventListener('message', ({ data }: MessageEvent<AuthMessage>) => {
            const query = typeof data?.query === 'string' ? data.query : ''
            // Answers to other log-ins are ignored.
            if (new URLSearchParams(query).get('state') === state) resolve(query)
          })
          watchTimer = watchWindow(popup, () =>
            reject(authFailed('The window for the log-in was closed.')),
          )
        }),
    )
  } finally {
    clearInterval(watchTimer)
    channel.close()
    popup.close()
  }
}

/**
 * Calls back when the person has closed the window. A window with `Cross-Origin-Opener-Policy` always looks closed, so
 * this page must also have regained the focus.
 */
function watchWindow(popup: Window, onClosed: () => void): ReturnType<typeof setInterval> {
  let wasBehind = false
  let checksLeft = MESSAGE_MS / CHECK_MS
  const timer = setInterval(() => {
    const isBehind = globalThis.document?.hasFocus() !== true
    if (!popup.closed) {
      wasBehind = isBehind
      return
    }
    checksLeft -= 1
    if (checksLeft > 0) return
    clearInterval(timer)
    if (wasBehind && !isBehind) onClosed()
  }, CHECK_MS)
  return timer
}
