import type { ErrorData } from '../../protocol/error.ts'
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
 * Milliseconds to wait before the next attempt, or null for no further attempt.
 * `retry` is the number of the coming retry, from 1. `random` returns 0 to 1.
 *
 * If the server sends no delay: exponential backoff with "equal jitter" (half fixed, half random).
 * The delay is never shorter than a server's `retryAfterMs`. If that exceeds the policy's longest delay, retries end.
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
  const asked = asCount(error.details?.['retryAfterMs'])
  if (asked === undefined) return Math.round(backoff / 2 + (backoff / 2) * random())
  if (asked > maxDelayMs) return null
  return Math.round(asked + Math.min(asked / 10, backoff) * random())
}
