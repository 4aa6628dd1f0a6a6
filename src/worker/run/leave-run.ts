import { OffstageError } from '../../protocol/error.ts'
import { DELETED, LEFT_OPEN } from '../../protocol/run.ts'
import type { RunContext, Stop } from './run-context.ts'

/** Why this driver leaves the run unfinished in the store. Null: it doesn't. */
export function leftOpenBy(stop: Stop | null, error?: unknown): string | null {
  if (stop?.type === 'release') return LEFT_OPEN.disposed
  if (stop?.type === 'taken-over') return LEFT_OPEN.takenOver
  if (stop?.type === 'deleted') return DELETED
  if (!OffstageError.is(error)) return null
  switch (error.code) {
    case 'disposed':
      return LEFT_OPEN.disposed
    case 'conversation-not-found':
      return DELETED
    case 'ownership-lost':
      return error.details?.['deleted'] ? DELETED : LEFT_OPEN.takenOver
    // A waiting run was resumed in another tab.
    case 'conversation-busy':
      return LEFT_OPEN.takenOver
    default:
      return null
  }
}

/** Cancels the calls that run here: the run's new owner decides about them. */
export function stopExecuting({ dispatched, page, agentId }: RunContext, reason: string): void {
  // The rows don't help: they may already describe the new owner's executions.
  const executionIds = [...dispatched]
  if (executionIds.length === 0) return
  page.cancelTools({ agentId, executionIds, reason }).catch(() => undefined)
}
