import { describeThrown, OffstageError } from '../protocol/error.ts'

/** Any rejection as an `OffstageError`. */
export function toOffstageError(thrown: unknown): OffstageError {
  return OffstageError.is(thrown)
    ? thrown
    : new OffstageError('internal', describeThrown(thrown), { cause: thrown })
}

export function disposed(): OffstageError {
  return new OffstageError('disposed', 'The agent was disposed.')
}

export function lost(): OffstageError {
  return new OffstageError(
    'worker-lost',
    'The worker died or stopped answering. What was journaled is kept: resume() goes on from there.',
    { retryable: true },
  )
}

export function badConfig(message: string): OffstageError {
  return new OffstageError('invalid-config', message)
}

/** Throws what a listener threw where the page's own error handling sees it, and nothing else stops. */
export function reportThrown(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown
  })
}
