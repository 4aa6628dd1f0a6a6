import type { CheckRisk } from '../../protocol/notices.ts'
import { OffstageError } from '../../protocol/error.ts'

export function lost(): OffstageError {
  return new OffstageError(
    'worker-lost',
    'The worker died or stopped answering. What was stored is kept: resume() goes on from there.',
    { retryable: true },
  )
}

export function hung({ toolName, patterns }: CheckRisk): OffstageError {
  return new OffstageError(
    'worker-hung',
    `A check against the schema of ${toolName} never ended: a pattern takes forever on what the model wrote (${patterns.join(' , ')}).`,
    { details: { toolName, patterns: [...patterns] } },
  )
}
