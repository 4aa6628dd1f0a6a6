import { headId } from '../../conversation/tree.ts'
import { isSettled } from '../../conversation/pending.ts'
import type { CallState } from '../../protocol/state.ts'
import { withNextStep } from './look-ahead.ts'
import type { RunContext } from './run-context.ts'
import { settledFacts, settlementAtEnd, type Settlement } from './settlement.ts'

/** Commits the ends of calls in one transaction. Skips calls that have ended, and does nothing if the run has. */
export async function settle(
  { conversation, runId, page, agentId, family }: RunContext,
  settlements: readonly Settlement[],
): Promise<void> {
  if (settlements.length === 0) return
  let cutOff: readonly string[] = []
  const isNew = await conversation.append((run) => {
    if (run?.runId !== runId || run.end !== null) return null
    const open = new Map(
      run.calls.flatMap((call) => (isSettled(call) ? [] : [[call.toolCallId, call] as const])),
    )
    // Uses the stored call: the caller's copy may date from before the call started.
    const own = settlements.flatMap((settlement) => {
      const call = open.get(settlement.call.toolCallId)
      return call ? { ...settlement, call } : []
    })
    if (own.length === 0) return null
    const within = own.flatMap(({ call }) => endsWithin(call, run.calls))
    cutOff = within.flatMap(
      ({ call }) => (call.status === 'executing' ? call.executionId : null) ?? [],
    )
    const settled = [...within, ...own]
    const plan = settled.findLast((settlement) => settlement.plan)?.plan
    const after = headId(conversation.state)
    return [
      ...(plan ? [{ type: 'plan-changed', after, plan } as const] : []),
      ...settled.flatMap(({ call: { path }, skill }) =>
        skill ? [{ type: 'skill-activated', after, ...skill, path } as const] : [],
      ),
      ...family.usageOf(within.map(({ call }) => call)),
      ...withNextStep(
        conversation,
        settled.flatMap((settlement) => settledFacts(settlement, after)),
      ),
    ]
  })
  if (isNew && cutOff.length > 0)
    page.cancelTools({ agentId, executionIds: cutOff, reason: 'it ended' }).catch(() => undefined)
}

/** Ends of the open calls nested in a call, which end together with it. */
function endsWithin({ toolCallId }: CallState, calls: readonly CallState[]): Settlement[] {
  return calls.flatMap((call) =>
    call.path.slice(0, -1).includes(toolCallId) ? settlementAtEnd(call) : [],
  )
}
