/**
 * Milliseconds a server asks to wait: `retry-after-ms`, or `Retry-After` in seconds or as an HTTP date
 * (RFC 9110 §10.2.3). Undefined when it is absent or unreadable.
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
  const ms = Number(headers.get('retry-after-ms') ?? NaN)
  if (ms >= 0) return ms
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  const seconds = Number(value)
  if (seconds >= 0) return Math.round(seconds * 1000)
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
