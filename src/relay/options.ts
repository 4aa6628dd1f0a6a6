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

/** Id of the request's user. Null refuses the request with status 401. A response of your own replaces the relay's. */
export type RelayUser = string | null | Response

/** Options of `createRelay`. `baseURL`, `models` and `authorize` are required. */
export interface RelayOptions {
  /**
   * Address of the model's server, for example `https://api.openai.com/v1` or `https://api.anthropic.com`. Requests go
   * nowhere else.
   */
  readonly baseURL: string
  /**
   * Key for the model's server, hidden from pages. Sent as `x-api-key` to `/messages`, otherwise as `authorization:
   * Bearer …`. A function is called for each request.
   */
  readonly apiKey?: string | (() => string | Promise<string>)
  /** Headers for the model's server, in addition to the key or instead of it. */
  readonly headers?: { readonly [name: string]: string }
  /** The models that pages may use, by their exact names. */
  readonly models: readonly string[]
  /**
   * The app's own authentication, for each request. `'anyone'` lets everybody in who finds the address, at your cost;
   * all of them share one set of limits.
   */
  readonly authorize: 'anyone' | ((request: Request) => RelayUser | Promise<RelayUser>)
  /** Limits for each user. Default: 60 requests a minute. */
  readonly limits?: RelayLimits | ((user: string) => RelayLimits | Promise<RelayLimits>)
  /** Counts usage. Default: `memoryCounter()`, which counts only in this process. */
  readonly counter?: RelayCounter
  /** Maximum output tokens. Lowers a request's higher limit, and applies to a request without one. Default 16 384. */
  readonly maxOutputTokens?: number
  /** Maximum size of a body from a page, in bytes. Default 10 MiB. */
  readonly maxBodyBytes?: number
  /** Maximum time for one answer, in milliseconds. Default 600 000. */
  readonly timeoutMs?: number
  /**
   * Types of tools, besides functions, that pages may use, such as `['web_search_20250305']`. They run at the vendor,
   * at extra cost. Default: none.
   */
  readonly toolTypes?: readonly string[]
  /**
   * Additional fields that pages may set in a body. Some choose a price or reach stored data: `service_tier`, `store`.
   * Default: none.
   */
  readonly fields?: readonly string[]
  /**
   * Lets pages refer to files by URL or id, and to stored items. Default false: files are sent inline, as Offstage
   * does.
   */
  readonly references?: boolean
  /** Fields of your own, which replace the page's: `({ user }) => ({ safety_identifier: hash(user) })`. */
  extraBody?(call: RelayCall): { readonly [field: string]: unknown }
  /** Headers of the page that reach the model's server, for example `anthropic-beta`. Default: none. */
  readonly passHeaders?: readonly string[]
  /** Other origins whose pages may use the relay, with their cookies. Default: none. */
  readonly origins?: readonly string[]
  /** Called with the usage of each call. Not called for failed calls, which used nothing. */
  onUsage?(usage: RelayUsage & RelayCall): void | Promise<void>
  /** Called with errors that the page doesn't see: why the model's server, or one of your functions, failed. */
  onError?(error: unknown): void
  /** Default: the global `fetch`. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
}

/** Checked options, with their defaults. */
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

/** Headers never passed on: they belong to one connection, one body, or the user's session. */
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
    // Stays below 2 ** 31, with which a timer fires at once.
    timeoutMs: Math.min(timeoutMs, 2 ** 31 - 1),
    passHeaders,
    allowedOrigins: new Set(origins),
  }
}

function badConfig(message: string): OffstageError {
  return new OffstageError('invalid-config', message)
}
