/** Default time limit for one request to a server. Milliseconds. */
const REQUEST_MS = 60_000

/** Makes the signal of one request. The optional argument is the caller's own signal. */
export type Within = (signal?: AbortSignal) => AbortSignal

/** Makes signals that abort with `closed` or when the time is up, so that every request ends. */
export function withinTime(ms: number | undefined, closed: AbortSignal): Within {
  return (signal) =>
    AbortSignal.any([closed, AbortSignal.timeout(ms ?? REQUEST_MS), ...(signal ? [signal] : [])])
}
