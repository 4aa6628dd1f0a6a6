import { OffstageError } from '../protocol/error.ts'
import type { BodyRules } from './check-body.ts'
import { memoryCounter, type RelayCounter, type RelayLimits } from './limits.ts'
import type { RelayUsage } from './meter.ts'
import { wireFormats, type RelayApi, type WireFormat } from './wire-format.ts'

/** A call of a model, as the app's own functions receive it. */
export interface RelayCall {
  /** The user's id, as `authorize` returned it. */
  readonly user: string
  readonly api: RelayApi
  readonly model: string
}

/** The id of the request's user, null to refuse the request with status 401, or a response of your own. */
export type RelayUser = string | null | Response

/** Options of `createRelay`. `baseURL`, `models` and `authorize` are required. */
export interface RelayOptions {
  /** The model's server, for example `https://api.openai.com/v1` or `https://api.anthropic.com`. Requests go nowhere else. */
  readonly baseURL: string
  /**
   * Never leaves the server: sent as `x-api-key` to `/messages`, and as `authorization: Bearer …` otherwise. A function is
   * called for each request.
   */
  readonly apiKey?: string | (() => string | Promise<string>)
  /** Headers for the model's server, in addition to the key or instead of it. */
  readonly headers?: { readonly [name: string]: string }
  /** The models that pages may use, by their exact names. */
  readonly models: readonly string[]
  /**
   * The app's own authentication, for each request. `'anyone'` lets everybody in who finds the address, at your cost; all of
   * them share one set of limits.
   */
  readonly authorize: 'anyone' | ((request: Request) => RelayUser | Promise<RelayUser>)
  /** Limits for each user. Default: 60 requests a minute. */
  readonly limits?: RelayLimits | ((user: string) => RelayLimits | Promise<RelayLimits>)
  /** Counts usage. Default `memoryCounter()`, which knows this process only. */
  readonly counter?: RelayCounter
  /** Higher limits of a request are lowered to this one, and a request without a limit gets it. Default 16 384. */
  readonly maxOutputTokens?: number
  /** Largest body that a page may send, in bytes. Default 10 MiB. */
  readonly maxBodyBytes?: number
  /** Longest time for one answer, in milliseconds. Default 600 000. */
  readonly timeoutMs?: number
  /**
   * Types of tools other than functions that pages may use, such as `['web_search_20250305']`. They run at the vendor,
   * at extra cost. Default: none.
   */
  readonly toolTypes?: readonly string[]
  /** Further fields of a body that pages may set. Some choose a price or reach stored data: `service_tier`, `store`. */
  readonly fields?: readonly string[]
  /** Lets pages name files by address or id, and stored items. Default false: files are sent inline, as Offstage does. */
  readonly references?: boolean
  /** Fields of your own, which replace the page's: `({ user }) => ({ safety_identifier: hash(user) })`. */
  extraBody?(call: RelayCall): { readonly [field: string]: unknown }
  /** Headers of the page that reach the model's server, for example `anthropic-beta`. Default: none. */
  readonly passHeaders?: readonly string[]
  /** Other origins whose pages may use the relay, with their cookies. Default: none. */
  readonly origins?: readonly string[]
  /** Receives what each call used. Failed calls used nothing. */
  onUsage?(usage: RelayUsage & RelayCall): void | Promise<void>
  /** Receives what the page is not told: why the model's server, or a function of yours, failed. */
  onError?(error: unknown): void
  /** Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** Options that were checked, with their defaults. */
export interface RelaySettings extends RelayOptions {
  readonly upstream: URL
  readonly formats: readonly WireFormat[]
  readonly rules: BodyRules
  readonly counter: RelayCounter
  readonly maxBodyBytes: number
  readonly timeoutMs: number
  readonly passHeaders: readonly string[]
  readonly allowedOrigins: ReadonlySet<string>
}

/** Headers that belong to one connection, to one body, or to the user's session. */
const NEVER_PASSED =
  /^(authorization|x-api-key|api-key|cookie|host|origin|referer|connection|keep-alive|te|trailer|upgrade|expect|(content|proxy|transfer|sec)-.*)$/i

/** Throws `invalid-config`: a mistake here costs money, so it must not wait for the first request. */
export function checkOptions(options: RelayOptions): RelaySettings {
  const { models, authorize, passHeaders = [], origins = [] } = options
  const { maxOutputTokens = 16_384, maxBodyBytes = 10 * 1024 * 1024, timeoutMs = 600_000 } = options
  if (!/^https?:/i.test(options.baseURL) || !URL.canParse(options.baseURL))
    throw badConfig('`baseURL` must be an absolute http or https URL.')
  if (authorize !== 'anyone' && typeof authorize !== 'function')
    throw badConfig("`authorize` must be a function or 'anyone'.")
  if (!Array.isArray(models) || models.length === 0)
    throw badConfig('`models` must list the models that pages may use.')
  for (const [name, value] of Object.entries({ maxOutputTokens, maxBodyBytes, timeoutMs }))
    if (!Number.isSafeInteger(value) || value < 1) throw badConfig(`\`${name}\` must be above 0.`)
  for (const name of passHeaders)
    if (NEVER_PASSED.test(name)) throw badConfig(`\`passHeaders\` can't hold ${name}.`)
  for (const origin of origins)
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      throw badConfig(`\`origins\` holds ${origin}. Write 'https://app.example'.`)
  const upstream = new URL(options.baseURL)
  return {
    ...options,
    upstream,
    formats: wireFormats(upstream),
    rules: {
      models: new Set(models),
      fields: new Set(options.fields),
      toolTypes: new Set(options.toolTypes),
      references: options.references ?? false,
      maxOutputTokens,
    },
    counter: options.counter ?? memoryCounter(),
    maxBodyBytes,
    // A timer that is given 2 ** 31 fires at once.
    timeoutMs: Math.min(timeoutMs, 2 ** 31 - 1),
    passHeaders,
    allowedOrigins: new Set(origins),
  }
}

function badConfig(message: string): OffstageError {
  return new OffstageError('invalid-config', message)
}
