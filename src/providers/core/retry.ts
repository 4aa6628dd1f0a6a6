import type { ErrorCode, ErrorData } from '../../protocol/error.ts'
import type { RetryPolicy } from '../../protocol/model.ts'
import { asCount } from './read-json.ts'

const MAX_RETRIES = 3
const BASE_DELAY_MS = 500
const MAX_DELAY_MS = 30_000

export interface RetryDelayOptions {
  readonly policy?: RetryPolicy | undefined
  /** Default: `Math.random`. */
  readonly random?: () => number
}

/**
 * Milliseconds to wait before the next attempt; null if there is no further attempt. `retry` is the number of the next
 * retry, from 1. `random` returns 0 to 1.
 *
 * If the server sends no delay: exponential backoff with "equal jitter" (half fixed, half random). Otherwise waits for
 * the server's `retryAfterMs`, plus a random time within the policy's longest delay. If `retryAfterMs` exceeds the
 * longest delay, there is no further attempt.
 */
export function retryDelay(
  error: ErrorData,
  retry: number,
  options: RetryDelayOptions = {},
): number | null {
  const { policy = {}, random = Math.random } = options
  const { maxRetries = MAX_RETRIES, baseDelayMs = BASE_DELAY_MS } = policy
  const maxDelayMs = policy.maxDelayMs ?? MAX_DELAY_MS
  if (!error.retryable || retry > maxRetries) return null
  const backoff = Math.min(baseDelayMs * 2 ** (retry - 1), maxDelayMs)
  const retryAfterMs = asCount(error.details?.['retryAfterMs'])
  if (retryAfterMs === undefined) return Math.round(backoff / 2 + (backoff / 2) * random())
  if (retryAfterMs > maxDelayMs) return null
  return Math.round(
    retryAfterMs + Math.min(retryAfterMs / 10, backoff, maxDelayMs - retryAfterMs) * random(),
  )
}

/**
 * Milliseconds a server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date
 * (RFC 9110 §10.2.3). Undefined when it is absent or unreadable.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = asCount(headers.get('retry-after-ms'))
  if (ms !== undefined) return ms
  const value = headers.get('retry-after') ?? ''
  const seconds = asCount(value)
  if (seconds !== undefined) return asCount(Math.round(seconds * 1000))
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

const retryableCodes: ReadonlySet<ErrorCode> = new Set([
  'rate-limited',
  'overloaded',
  'server-error',
  'timeout',
  'network',
  'stream-incomplete',
])

/** Whether the same request may succeed a little later. */
export function isRetryable(code: ErrorCode): boolean {
  return retryableCodes.has(code)
}
