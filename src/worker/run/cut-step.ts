import { isSettled } from '../../conversation/pending.ts'
import type { CallState } from '../../protocol/state.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { deliveries } from './queued-messages.ts'
import type { RunContext } from './run-context.ts'
import { settledFact, settlementAtEnd, type Settlement } from './settlement.ts'

/**
 * Cuts the current step short because a person wrote a message. Commits the partial step (`cut`), the ends of its
 * calls, and the message.
 */
export async function commitCut(context: RunContext, cut: FactDraft | null): Promise<void> {
  const { conversation, runId, page } = context
  let executionIds: readonly string[] = []
  const isNew = await conversation.append((run) => {
    if (run?.runId !== runId || run.end !== null) return null
    const settlements = run.calls.flatMap(settlementAtCut)
    executionIds = settlements.flatMap(({ call }) => call.executionId ?? [])
    const facts = [
      ...(cut ? [cut] : []),
      ...context.family.usageOf(settlements.map(({ call }) => call)),
      ...settlements.map(settledFact),
      ...deliveries(conversation.state),
    ]
    return facts.length > 0 ? facts : null
  })
  if (isNew && executionIds.length > 0)
    page.acknowledgeTools({ executionIds }).catch(() => undefined)
}

const WROTE_INSTEAD = 'The person wrote a message instead.'

function settlementAtCut(call: CallState): Settlement[] {
  if (isSettled(call)) return []
  const isAsked = call.status === 'awaiting-approval' || call.status === 'awaiting-answer'
  return isAsked
    ? [{ call, status: 'denied', output: { type: 'denied', reason: WROTE_INSTEAD } }]
    : settlementAtEnd(call)
}
