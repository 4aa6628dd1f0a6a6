import { describeThrown, OffstageError, toErrorData } from '../../protocol/error.ts'

/** Converts any rejection to an `OffstageError`. */
export function toOffstageError(thrown: unknown): OffstageError {
  if (OffstageError.is(thrown)) return thrown
  const data = toErrorData(thrown)
  return data === thrown
    ? OffstageError.fromData(data)
    : new OffstageError('internal', data.message, { cause: thrown })
}

export function disposedError(): OffstageError {
  return new OffstageError('disposed', 'The agent was disposed.')
}

export function badConfig(message: string): OffstageError {
  return new OffstageError('invalid-config', message)
}

export function badInput(message: string): OffstageError {
  return new OffstageError('invalid-input', message)
}

/** Returns the abort reason as text for the worker. `reason` may be an event: pages pass abort methods as listeners. */
export function abortReasonText(reason: unknown): string {
  if (typeof reason === 'string') return reason
  return reason instanceof Error ? describeThrown(reason) : 'aborted'
}

/** Rethrows a listener's error in a microtask, so that the page's error handlers get it and the caller continues. */
export function reportThrown(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown
  })
}
