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
  /** Source of untrusted content in the output, if the tool itself isn't marked as untrusted. */
  readonly untrusted?: string
}

/**
 * Facts for the call's end and the taint of its output. Both are one commit, so that no request holds untrusted content
 * unmarked. `after` is the head.
 */
export function settledFacts(settlement: Settlement, after: string | null): FactDraft[] {
  return [...takenIn(settlement, after), settledFact(settlement)]
}

/** Marks a call's output as untrusted. A call that never started returns our own text, which is trusted. */
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

/** The end of a call that is still open when the run ends: it didn't run, or its outcome is unknown. */
export function settlementAtEnd(call: CallState): Settlement[] {
  if (isSettled(call)) return []
  if (call.status === 'suspended') return [{ call, status: 'aborted', output: WAITED }]
  const unknown = call.status === 'executing' || call.status === 'awaiting-decision'
  return unknown && !call.decidedBy?.replayable
    ? [{ call, status: 'interrupted', output: INTERRUPTED }]
    : [{ call, status: 'aborted', output: unknown ? CUT_OFF : ABORTED }]
}
