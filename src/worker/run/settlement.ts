import { isSettled } from '../../conversation/pending.ts'
import type { PlanItem } from '../../protocol/fact.ts'
import type { ToolOutput } from '../../protocol/message.ts'
import type { SkillText } from '../../protocol/questions.ts'
import type { CallState } from '../../protocol/state.ts'
import type { SettledStatus } from '../../protocol/tool.ts'
import type { FactDraft } from '../store/fact-draft.ts'
import { ABORTED, CUT_OFF, INTERRUPTED, WAITED } from './tool-errors.ts'

export interface Settlement {
  readonly call: CallState
  readonly status: SettledStatus
  readonly output: ToolOutput
  readonly note?: string
  /** The plan that the call makes. */
  readonly plan?: readonly PlanItem[]
  /** The skill that the call activates. */
  readonly skill?: SkillText
  /** Whose words the output holds, beside what is known of the tool. */
  readonly untrusted?: string
}

/**
 * The call's end, and that others' words came with it: in one commit, so that no request holds them unmarked. `after`:
 * the head.
 */
export function settledFacts(settlement: Settlement, after: string | null): FactDraft[] {
  return [...takenIn(settlement, after), settledFact(settlement)]
}

/** That others' words come with the end of a call. Of one that did not begin, what is returned is the loop's own. */
export function takenIn(
  { call, status, output, untrusted }: Settlement,
  after: string | null,
): FactDraft[] {
  const origin = call.decidedBy?.untrusted ?? call.untrusted ?? untrusted
  const isReturned = (status === 'succeeded' || status === 'failed') && output.type !== 'denied'
  const hasBegun = call.executionId !== null || call.untrusted !== undefined
  if (origin === undefined || !isReturned || !hasBegun) return []
  const { path, title } = call
  return [{ type: 'untrusted-taken-in', after, origin, path, ...(title !== null && { title }) }]
}

export function settledFact({ call, status, output, note }: Settlement): FactDraft {
  const { path } = call
  return { type: 'call-settled', path, status, output, ...(note !== undefined && { note }) }
}

/** A call that the run's end finds open: it didn't run, or it isn't known whether it did. */
export function settlementAtEnd(call: CallState): Settlement[] {
  if (isSettled(call)) return []
  if (call.status === 'suspended') return [{ call, status: 'aborted', output: WAITED }]
  const unknown = call.status === 'executing' || call.status === 'awaiting-decision'
  return unknown && !call.decidedBy?.replayable
    ? [{ call, status: 'interrupted', output: INTERRUPTED }]
    : [{ call, status: 'aborted', output: unknown ? CUT_OFF : ABORTED }]
}
