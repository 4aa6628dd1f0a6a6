/** Milliseconds of one question to a server, where the app says nothing. */
const REQUEST_MS = 60_000

/** The signal of one request: whoever asked may stop it, too. */
export type Within = (signal?: AbortSignal) => AbortSignal

/** Its signals abort with `closed`, or when the time is up: what isn't answered has an end. */
export function withinTime(ms: number | undefined, closed: AbortSignal): Within {
  return (signal) =>
    AbortSignal.any([closed, AbortSignal.timeout(ms ?? REQUEST_MS), ...(signal ? [signal] : [])])
}
