import type { CheckRisk } from '../../protocol/notices.ts'
import { OffstageError } from '../../protocol/error.ts'

export function workerLostError(): OffstageError {
  return new OffstageError(
    'worker-lost',
    'The worker died or stopped answering. Call resume() to continue from the stored state.',
    { retryable: true },
  )
}

export function workerHungError({ toolName, patterns }: CheckRisk): OffstageError {
  return new OffstageError(
    'worker-hung',
    `Checking an input of ${toolName} never ended. Rewrite the pattern of its schema that takes forever (${patterns.join(' , ')}).`,
    { details: { toolName, patterns: [...patterns] } },
  )
}
