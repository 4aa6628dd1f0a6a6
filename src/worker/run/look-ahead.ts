import { fold } from '../../conversation/fold.ts'
import { FORMAT, type Row } from '../../protocol/fact.ts'
import { countRow, type CountedRun } from './counters.ts'
import type { Conversation } from '../conversation.ts'
import { decide } from './decide.ts'
import { limitOf } from './run-budget.ts'
import { placed, type FactDraft } from '../store/fact-draft.ts'

/** Computes the run's state after these facts, without committing them. Pure. */
export function lookAhead(
  { state, run: now }: Pick<Conversation, 'state' | 'run'>,
  drafts: readonly FactDraft[],
): CountedRun | null {
  const { conversationId, path } = state
  const place = { format: FORMAT, conversationId, seq: 0, at: 0, appendId: '' } as const
  const runId = now?.runId ?? null
  const rows = placed(drafts, path.at(-1)?.id ?? null).map((fact): Row => ({
    runId,
    ...fact,
    ...place,
  }))
  let run = now
  fold(state, rows, (row, next) => (run = countRow(run, next, row)))
  return run
}

/** The fact that starts the run's next step, which is the last one if a limit is reached. Pure. */
export function nextStep(run: CountedRun, { resumed }: { readonly resumed: boolean }): FactDraft {
  const limit = limitOf(run)
  return { type: 'step-started', step: run.steps + 1, resumed, ...(limit && { limit }) }
}

/** Adds the start of the next step if these facts complete the current one, so that one commit stores both. */
export function withNextStep(
  conversation: Pick<Conversation, 'state' | 'run'>,
  drafts: readonly FactDraft[],
): readonly FactDraft[] {
  const { run } = conversation
  if (run === null || run.end !== null) return drafts
  const next = lookAhead(conversation, drafts)
  if (next === null || next.stepOpen || decide(next) !== 'call-model') return drafts
  return [...drafts, nextStep(next, { resumed: false })]
}
