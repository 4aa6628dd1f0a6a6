import { OffstageError } from '../../protocol/error.ts'
import { DELETED, LEFT_OPEN } from '../../protocol/run.ts'
import type { RunContext, Stop } from './run-context.ts'

/** Why the run ends for this driver only, and stays open in the store; null when it doesn't. */
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
    // A parked run went on in another tab.
    case 'conversation-busy':
      return LEFT_OPEN.takenOver
    default:
      return null
  }
}

/** Somebody else decides now what becomes of the calls that run here. */
export function stopExecuting({ dispatched, page, agentId }: RunContext, reason: string): void {
  // Not by the rows, which may be about the other owner's executions by now.
  const executionIds = [...dispatched]
  if (executionIds.length === 0) return
  page.cancelTools({ agentId, executionIds, reason }).catch(() => undefined)
}
