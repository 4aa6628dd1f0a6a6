import { isRecord } from '../../../lib/shape.ts'
import { type ErrorOptions, OffstageError } from '../../../protocol/error.ts'
import { stopped } from '../failures.ts'
import { readText } from '../page-fetch.ts'

/** Maximum characters of an answer from an authorization server. */
const MAX_DOCUMENT = 100_000

/** The answer, if it is a JSON object within the limit; otherwise null. Reads no further than the limit. */
export async function readDocument(
  response: Response,
): Promise<Readonly<Record<string, unknown>> | null> {
  const { signal } = new AbortController()
  try {
    const text = await readText(response, { source: '', maxBytes: MAX_DOCUMENT, signal })
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

export function authFailed(message: string, options?: ErrorOptions): OffstageError {
  return new OffstageError('mcp-auth-failed', message, options)
}

/** Time limit for a server's complete answer. Excludes the time that a person takes to log in. Milliseconds. */
const ANSWER_MS = 30_000

/** Runs the work. Rejects as soon as the signal aborts, even if the work goes on. */
export function rejectOnAbort<Result>(
  signal: AbortSignal,
  operation: () => Promise<Result>,
  createError: () => OffstageError = () => stopped(signal),
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(createError())
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void operation()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}

/** Sends a request to a server. Rejects with `timeout` if the answer isn't complete within the time limit. */
export async function withTimeLimit<Result>(
  signal: AbortSignal,
  send: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController()
  const timer = setTimeout(() => {
    const message = 'The authorization server did not answer in time.'
    limit.abort(new OffstageError('timeout', message, { retryable: true }))
  }, ANSWER_MS)
  const limitedSignal = AbortSignal.any([signal, limit.signal])
  try {
    return await rejectOnAbort(limitedSignal, () => send(limitedSignal))
  } finally {
    clearTimeout(timer)
  }
}
