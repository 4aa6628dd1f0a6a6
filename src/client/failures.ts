import { describeThrown, OffstageError, toErrorData } from '../protocol/error.ts'

/** Any rejection as an `OffstageError`. */
export function toOffstageError(thrown: unknown): OffstageError {
  if (OffstageError.is(thrown)) return thrown
  const data = toErrorData(thrown)
  return data === thrown
    ? OffstageError.fromData(data)
    : new OffstageError('internal', data.message, { cause: thrown })
}

export function disposed(): OffstageError {
  return new OffstageError('disposed', 'The agent was disposed.')
}

/** A file of the package that is loaded in need. */
export function partMissing(cause: unknown, reason = 'import'): OffstageError {
  return new OffstageError(
    'worker-load-failed',
    `A part of offstage could not be loaded: ${describeThrown(cause)}`,
    { retryable: true, details: { reason }, cause },
  )
}

export function badConfig(message: string): OffstageError {
  return new OffstageError('invalid-config', message)
}

export function badInput(message: string): OffstageError {
  return new OffstageError('invalid-input', message)
}

/** Why something was stopped, in words that cross: an abort may be an event's listener, or a signal's. */
export function stopReason(reason: unknown): string {
  if (typeof reason === 'string') return reason
  return reason instanceof Error ? describeThrown(reason) : 'aborted'
}

/** Throws what a listener threw where the page's own error handling sees it, and nothing else stops. */
export function reportThrown(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown
  })
}
