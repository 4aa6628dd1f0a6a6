import type { JsonObject } from '../../protocol/json.ts'
import type { StartFailure } from '../worker-link/worker-start.ts'
import { sleep } from '../../lib/sleep.ts'
import { probeFile } from './probe-file.ts'

const PROBE_MS = 5000
/**
 * Further waits after the first ten seconds, because a busy machine is slow. A worker has 30 seconds in total for a
 * sign of life, and a minute for an answer.
 */
const SIGN_OF_LIFE_MS = 20_000
const ANSWER_MS = 30_000

/**
 * Waits for a worker that has neither failed nor answered within ten seconds. Resolves when the start should be given
 * up. Until then, the worker may still answer.
 */
export async function untilGivenUp(failure: StartFailure): Promise<void> {
  if (!failure.hasBegun && (await isNoOffstageWorker(failure, AbortSignal.timeout(PROBE_MS))))
    return
  await sleep(SIGN_OF_LIFE_MS)
  if (failure.hasBegun) await sleep(ANSWER_MS)
}

/** True if a file is clearly no Offstage worker, because it neither mentions Offstage nor imports anything. */
export async function isNoOffstageWorker(
  failure: StartFailure,
  signal: AbortSignal,
): Promise<boolean> {
  if (failure.isNoOffstageWorker === undefined) {
    const probe = await probeFile(addressOf(failure), signal)
    failure.isNoOffstageWorker =
      probe.type === 'answer' && probe.text !== '' && !/offstage|\bimport/i.test(probe.text)
  }
  return failure.isNoOffstageWorker
}

/**
 * Why a worker did not start: `details.reason` of an error with the code `worker-load-failed`.
 *
 * - `no-worker`: there are no Web Workers here (Node, server rendering).
 * - `unsupported`: the browser lacks something that the worker needs.
 * - `not-found`: the server answers with the status 404 or 410.
 * - `bad-status`: the server answers with another status that isn't 2xx.
 * - `wrong-type`: the `Content-Type` of the file isn't JavaScript.
 * - `offline`, `network`: there was no answer.
 * - `cross-origin`: the file is on another origin, or redirects to one.
 * - `opaque-origin`: the page has no origin (`file://`, a sandboxed frame) and may load no worker file.
 * - `csp`: the page's Content-Security-Policy refused the file.
 * - `trusted-types`: the page's CSP requires Trusted Types, and the address is a plain string or URL.
 * - `coep`: the page has a Cross-Origin-Embedder-Policy, but the worker's file has none.
 * - `syntax`: the file can't be parsed, or throws while it runs.
 * - `import`: a module that the file imports, or a part of Offstage, can't be loaded.
 * - `no-address`: the address of the file is unknown or invalid.
 * - `worker-option`: the `worker` function threw, or returned something that is no worker.
 * - `no-answer`: the worker neither failed nor answered in time.
 * - `unknown`: the cause could not be found.
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
  /** Explanation and advice, in whole sentences. */
  readonly message: string
  /** True if another try may succeed. */
  readonly retryable?: boolean
  /** Error that was thrown while the worker was created. */
  readonly thrown?: unknown
  /** Further `details` of the error. */
  readonly details?: JsonObject
}

/** `file`: the default worker; `function`: the `worker` option. */
export type StartKind = 'file' | 'url' | 'function' | 'inline'

/** A failed start, with everything known about it. */
export interface FailedStart {
  readonly kind: StartKind
  readonly failure: StartFailure
  /** Absolute address, if it is known and valid. */
  readonly url: URL | undefined
  readonly violations: readonly SecurityPolicyViolationEvent[]
  /** Aborted when the agent is disposed, or the time for the diagnosis is over. */
  readonly signal: AbortSignal
}

/** `failure.url` as the browser reads it. */
export function addressOf({ url }: StartFailure): URL | undefined {
  if (url === undefined) return undefined
  const base = globalThis.document?.baseURI ?? globalThis.location?.href
  return URL.canParse(String(url), base) ? new URL(url, base) : undefined
}

/** Formats an address for a message, without parts that may be long or secret. */
export function formatUrl(url: URL | undefined): string {
  if (!url) return 'its file'
  if (url.protocol === 'blob:' || url.protocol === 'data:') return `a ${url.protocol} address`
  const { origin, pathname, protocol } = url
  return protocol === 'file:' ? `file://${pathname}` : `${origin}${pathname}`
}

/** False in Node, for example. */
export function hasWorkers(): boolean {
  return typeof Reflect.get(globalThis, 'Worker') === 'function'
}
