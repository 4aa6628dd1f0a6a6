import { isSettled } from '../../conversation/pending.ts'
import type { PlanItem } from '../../protocol/fact.ts'
import type { ToolOutput } from '../../protocol/message.ts'
import type { SkillText } from '../../protocol/questions.ts'
import type { CallState } from '../../protocol/state.ts'
import type { SettledStatus } from '../../protocol/tool.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { withNextStep } from './look-ahead.ts'
import type { RunContext } from './run-context.ts'

export interface Settlement {
  readonly call: CallState
  readonly status: SettledStatus
  readonly output: ToolOutput
  readonly note?: string
  /** The plan that the call makes. */
  readonly plan?: readonly PlanItem[]
  /** The skill that the call activates. */
  readonly skill?: SkillText
}

/** Commits the ends of calls in one transaction, as far as the run is open and they have none yet. */
export async function settle(
  { conversation, runId }: RunContext,
  settlements: readonly Settlement[],
): Promise<void> {
  if (settlements.length === 0) return
  await conversation.append((run) => {
    if (run?.runId !== runId || run.end !== null) return null
    const open = new Set(run.calls.flatMap((call) => (isSettled(call) ? [] : call.toolCallId)))
    const settled = settlements.filter(({ call }) => open.has(call.toolCallId))
    if (settled.length === 0) return null
    const plan = settled.findLast((settlement) => settlement.plan)?.plan
    const after = conversation.state.path.at(-1)?.id ?? null
    return [
      ...(plan ? [{ type: 'plan-changed', after, plan } as const] : []),
      ...settled.flatMap(({ call: { path }, skill }) =>
        skill ? [{ type: 'skill-activated', after, ...skill, path } as const] : [],
      ),
      ...withNextStep(conversation, settled.map(settledFact)),
    ]
  })
}

export function settledFact({ call, status, output, note }: Settlement): FactDraft {
  const { path } = call
  return { type: 'call-settled', path, status, output, ...(note !== undefined && { note }) }
}
