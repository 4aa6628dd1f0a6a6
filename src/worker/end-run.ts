import type { JournalBody, RunEnd } from '../protocol/journal.ts'
import { emitResult, type Drive, type Settlement } from './drive.ts'
import { isSettled, type CallState } from './state.ts'
import { ABORTED, INTERRUPTED } from './tool-errors.ts'

/**
 * Commits the run's end and the ends of its open calls, in one transaction. Writes nothing when the
 * run has ended already.
 */
export async function commitEnd(
  drive: Drive,
  { end, partial = '' }: { readonly end: RunEnd; readonly partial?: string },
): Promise<void> {
  let settlements: readonly Settlement[] = []
  let executionIds: readonly string[] = []
  const isNew = await drive.conversation.append((run) => {
    if (run?.runId !== drive.runId || run.end !== null) return null
    settlements = end.outcome === 'waiting' ? [] : run.calls.flatMap(settlementAtEnd)
    executionIds = settlements.flatMap(({ call }) => call.executionId ?? [])
    const settled = settlements.map(({ call, status, output }): JournalBody => ({
      type: 'call-settled',
      toolCallId: call.toolCallId,
      status,
      output,
    }))
    return [...settled, { type: 'run-ended', end, ...(partial !== '' && { partial }) }]
  })
  if (!isNew) return
  for (const settlement of settlements) emitResult(drive, settlement)
  // Whatever comes of them now is nobody's any more.
  if (executionIds.length > 0) drive.page.acknowledgeTools(executionIds).catch(() => undefined)
}

/** A call that the run's end finds open: it didn't run, or nobody knows whether it did. */
function settlementAtEnd(call: CallState): Settlement[] {
  if (isSettled(call)) return []
  const unknown = call.status === 'executing' || call.status === 'awaiting-decision'
  return unknown && !call.decidedBy?.replayable
    ? [{ call, status: 'interrupted', output: INTERRUPTED }]
    : [{ call, status: 'aborted', output: ABORTED }]
}
