import { isSettled } from '../../conversation/pending.ts'
import type { RunEnd } from '../../protocol/fact.ts'
import type { CallState } from '../../protocol/state.ts'
import { settledFact, type Settlement } from './settle.ts'
import { type RunContext } from './run-context.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { returns } from './queued-messages.ts'
import { ABORTED, CUT_OFF, INTERRUPTED, WAITED } from './tool-errors.ts'

/**
 * Commits the run's end and the ends of its open calls, in one transaction. Writes nothing when the
 * run has ended already. `cut`: the step that is cut short by it.
 */
export async function commitEnd(
  context: RunContext,
  { end, cut = null }: { readonly end: RunEnd; readonly cut?: FactDraft | null },
): Promise<void> {
  let executionIds: readonly string[] = []
  const isNew = await context.conversation.append((run) => {
    if (run?.runId !== context.runId || run.end !== null) return null
    const settlements = end.outcome === 'waiting' ? [] : run.calls.flatMap(settlementAtEnd)
    executionIds = settlements.flatMap(({ call }) => call.executionId ?? [])
    return [
      ...(cut ? [cut] : []),
      ...settlements.map(settledFact),
      ...returns(context.conversation.state),
      { type: 'run-ended', end },
    ]
  })
  if (!isNew) return
  // Whatever comes of them now is nobody's any more.
  if (executionIds.length > 0)
    context.page.acknowledgeTools({ executionIds }).catch(() => undefined)
}

/** A call that the run's end finds open: it didn't run, or nobody knows whether it did. */
export function settlementAtEnd(call: CallState): Settlement[] {
  if (isSettled(call)) return []
  if (call.status === 'suspended') return [{ call, status: 'aborted', output: WAITED }]
  const unknown = call.status === 'executing' || call.status === 'awaiting-decision'
  return unknown && !call.decidedBy?.replayable
    ? [{ call, status: 'interrupted', output: INTERRUPTED }]
    : [{ call, status: 'aborted', output: unknown ? CUT_OFF : ABORTED }]
}
