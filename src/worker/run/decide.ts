import { isCallWaiting } from '../../conversation/nested.ts'
import { isSettled, pendingCalls } from '../../conversation/pending.ts'
import type { ErrorCode } from '../../protocol/error.ts'
import { FORMAT, type Row, type RunEnd } from '../../protocol/fact.ts'
import { type CountedRun, countRow, limitOf, REPETITION, repetitionWords } from './counters.ts'
import { fold } from '../../conversation/fold.ts'
import type { Conversation } from '../conversation.ts'
import { type FactDraft, withParents } from '../store/fact-draft.ts'

/** Computes the run's state after these facts, without committing them. Pure. */
export function lookAhead(
  { state, run: currentRun }: Pick<Conversation, 'state' | 'run'>,
  drafts: readonly FactDraft[],
): CountedRun | null {
  const { conversationId, path } = state
  const rowFields = { format: FORMAT, conversationId, seq: 0, at: 0, appendId: '' } as const
  const runId = currentRun?.runId ?? null
  const rows = withParents(drafts, path.at(-1)?.id ?? null).map((fact): Row => ({
    runId,
    ...fact,
    ...rowFields,
  }))
  let run = currentRun
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

/** Maximum of pauses in one turn. After more, the run ends with the answer so far. */
const MAX_PAUSES = 10

/** A run's next action, or the end of a run that has nothing more to do. */
export type Decision = 'call-model' | 'run-tools' | 'wait' | RunEnd

/** Decides a run's next action from its state alone. Pure. */
export function decide(run: CountedRun): Decision {
  if (run.end !== null) return run.end
  if (run.damage !== undefined) return failedEnd('conversation-broken', run.damage)
  if (run.paused !== null) return 'wait'
  if (run.limit !== null && run.isConcluded) return { outcome: 'limit', limit: run.limit }
  const next = run.calls.find((call) => !isSettled(call))
  if (next === undefined) {
    if (run.repetition.count >= REPETITION.stop)
      return repeatedCallsEnd(repetitionWords(run.repetition))
    return run.steps === 0 ? 'call-model' : afterStep(run)
  }
  if (Math.max(...run.callCounts.values()) > REPETITION.steps)
    return repeatedCallsEnd(`in more than ${REPETITION.steps} steps`)
  if (!isCallWaiting(next, run.calls)) return 'run-tools'
  const pending = run.limits.maxSteps === 0 ? pendingCalls(run) : []
  return pending.length > 0 ? { outcome: 'waiting', pending } : 'wait'
}

/** The next action once all calls of a step are settled. */
function afterStep(run: CountedRun): 'call-model' | RunEnd {
  const { calls, finishReason, isRejected, limits } = run
  const hasFinished = calls.some((call) => call.finishes && call.status === 'succeeded')
  if (hasFinished && !isRejected) return { outcome: 'completed' }
  const isPaused = run.pauses > 0 && run.pauses <= MAX_PAUSES
  // A content filter or refusal invalidates the output's calls, so their results need no further step.
  const hasCalled = finishReason !== 'content-filter' && (calls.length > 0 || run.feedback !== null)
  if (!hasCalled && !run.isAddressed && !isRejected && !isPaused) return answerEnd(run)
  // If the output limit has cut off two calls in a row, it would cut off a third one, too.
  if (run.invalidStreak > (run.cuts > 1 ? 1 : limits.retries)) {
    return failedEnd(
      'invalid-tool-calls',
      `The model's tool calls stayed invalid: ${run.lastInvalid?.message ?? 'no reason given'}`,
    )
  }
  const { maxSteps } = limits
  return maxSteps > 0 && run.steps >= maxSteps ? { outcome: 'max-steps' } : 'call-model'
}

/** Finish reasons of an incomplete answer. */
const INCOMPLETE_REASONS = ['length', 'content-filter', 'pause']

/** The end of a run whose newest output is its answer. `completed` requires text, a file, or a call that succeeded. */
function answerEnd({ finishReason, isBlank, hasSucceeded }: CountedRun): RunEnd {
  if (!isBlank)
    return {
      outcome: 'completed',
      ...(INCOMPLETE_REASONS.includes(finishReason) && { finishReason }),
    }
  if (finishReason === 'content-filter')
    return failedEnd('content-filtered', 'The model or its provider refused to answer.')
  if (hasSucceeded) return { outcome: 'completed', finishReason: 'empty' }
  return failedEnd('empty-answer', 'The model gave no answer.')
}

function repeatedCallsEnd(times: string): RunEnd {
  return failedEnd('repeated-calls', `The model asked for the same calls ${times}.`)
}

function failedEnd(code: ErrorCode, message: string): RunEnd {
  return { outcome: 'failed', error: { code, message, retryable: code === 'empty-answer' } }
}
