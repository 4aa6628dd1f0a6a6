import type { JsonObject } from '../../protocol/json.ts'
import type { StartFailure } from '../start-failure.ts'

/**
 * Why a worker did not start: `details.reason` of an error with the code `worker-load-failed`.
 *
 * - `no-worker`: there are no Web Workers here (Node, server rendering).
 * - `unsupported`: the browser lacks something that the worker needs.
 * - `not-found`: the server answers with the status 404 or 410.
 * - `bad-status`: it answers with another status than 2xx.
 * - `wrong-type`: the answer isn't JavaScript by its `Content-Type`.
 * - `offline`, `network`: there was no answer.
 * - `cross-origin`: the file is on another origin, or redirects to one.
 * - `opaque-origin`: the page has no origin (`file://`, a sandboxed frame) and may load no worker file.
 * - `csp`: the page's Content-Security-Policy refused it.
 * - `trusted-types`: the page's CSP asks for Trusted Types, and the address is none.
 * - `coep`: the page has a Cross-Origin-Embedder-Policy, the worker's file has none.
 * - `syntax`: the file can't be parsed, or throws while it runs.
 * - `import`: a module that it imports, or a part of Offstage, can't be loaded.
 * - `no-address`: its address isn't known, or isn't one.
 * - `worker-option`: the `worker` function threw, or returned something else.
 * - `no-answer`: it neither failed nor answered in time.
 * - `unknown`: none of these could be made out.
 */
export type WorkerFailureReason =
  | 'no-worker'
  | 'unsupported'
  | 'not-found'
  | 'bad-status'
  | 'wrong-type'
  | 'offline'
  | 'network'
  | 'cross-origin'
  | 'opaque-origin'
  | 'csp'
  | 'trusted-types'
  | 'coep'
  | 'syntax'
  | 'import'
  | 'no-address'
  | 'worker-option'
  | 'no-answer'
  | 'unknown'

export interface Cause {
  readonly reason: WorkerFailureReason
  /** What happened and what to do. Sentences. */
  readonly message: string
  /** Another try may do. */
  readonly retryable?: boolean
  /** What making the worker threw. */
  readonly thrown?: unknown
  /** More of `details`. */
  readonly details?: JsonObject
}

/** `file`: the default worker; `function`: the `worker` option. */
export type StartKind = 'file' | 'url' | 'function' | 'inline'

/** A start that failed, and what is known of it. */
export interface FailedStart {
  readonly kind: StartKind
  readonly failure: StartFailure
  /** Absolute, where it is known and is one. */
  readonly url: URL | undefined
  readonly violations: readonly SecurityPolicyViolationEvent[]
  /** Aborted when the time for looking is over. */
  readonly signal: AbortSignal
}

/** `failure.url` as the browser reads it. */
export function addressOf({ url }: StartFailure): URL | undefined {
  if (url === undefined) return undefined
  const base = globalThis.document?.baseURI ?? globalThis.location?.href
  return URL.canParse(String(url), base) ? new URL(url, base) : undefined
}

/** An address in a message: without what may be long or secret. */
export function shown(url: URL | undefined): string {
  if (!url) return 'its file'
  if (url.protocol === 'blob:' || url.protocol === 'data:') return `a ${url.protocol} address`
  const { origin, pathname, protocol } = url
  return protocol === 'file:' ? `file://${pathname}` : `${origin}${pathname}`
}

/** False in Node, for example. */
export function hasWorkers(): boolean {
  return typeof Reflect.get(globalThis, 'Worker') === 'function'
}
