import { OffstageError } from '../protocol/error.ts'

export function lost(): OffstageError {
  return new OffstageError(
    'worker-lost',
    'The worker died or stopped answering. What was journaled is kept: resume() goes on from there.',
    { retryable: true },
  )
}
