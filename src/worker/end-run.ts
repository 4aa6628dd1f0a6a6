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
  const isNew = await drive.conversation.append((run) => {
    if (run?.runId !== drive.runId || run.end !== null) return null
    settlements = end.outcome === 'waiting' ? [] : run.calls.flatMap(settlementAtEnd)
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
}

/** A call that the run's end finds open: it didn't run, or nobody knows whether it did. */
function settlementAtEnd(call: CallState): Settlement[] {
  if (isSettled(call)) return []
  const unknown = call.status === 'executing' || call.status === 'awaiting-decision'
  return unknown && !call.replayable
    ? [{ call, status: 'interrupted', output: INTERRUPTED }]
    : [{ call, status: 'aborted', output: ABORTED }]
}
