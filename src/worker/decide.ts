import type { RunEnd } from '../protocol/journal.ts'
import { REPETITION, repetitionWords } from './repetition.ts'
import { isSettled, pendingCalls, type RunState } from './state.ts'

/** Resumes of one step, or of one call, without an outcome, before it counts as a crash loop. */
export const MAX_RESUMES = 2

export type Decision = 'call-model' | 'run-tools' | 'wait' | 'end'

/** What a run does next. Pure. */
export function decide(run: RunState): Decision {
  if (run.end !== null || run.stepResumes > MAX_RESUMES) return 'end'
  const next = run.calls.find((call) => !isSettled(call))
  if (next === undefined) return conclusion(run) === null ? 'call-model' : 'end'
  if (run.repetition.count >= REPETITION.stop) return 'end'
  switch (next.status) {
    case 'awaiting-approval':
    case 'awaiting-answer':
    case 'awaiting-output':
    case 'awaiting-decision':
      return run.limits.maxSteps === 0 ? 'end' : 'wait'
    default:
      return 'run-tools'
  }
}

/** How the run ends, by its state alone; null when it goes on. */
export function conclusion(run: RunState): RunEnd | null {
  if (run.end !== null) return run.end
  if (run.stepResumes > MAX_RESUMES) {
    return failed(
      'crash-loop',
      'The same step was resumed twice without an outcome; it was given up.',
    )
  }
  const pending = pendingCalls(run)
  if (pending.length > 0 && run.limits.maxSteps === 0) return { outcome: 'waiting', pending }
  if (run.repetition.count >= REPETITION.stop) {
    return failed(
      'repeated-calls',
      `The model asked for the same calls ${repetitionWords(run.repetition)}.`,
    )
  }
  if (run.steps === 0 || run.calls.some((call) => !isSettled(call))) return null
  return concludeStep(run)
}

function concludeStep(run: RunState): RunEnd | null {
  const finished = run.calls.some((call) => call.finishes && call.status === 'succeeded')
  if (finished) return { outcome: 'completed' }
  const asksOn = run.calls.length > 0 || run.feedback !== null
  if (!asksOn) return { outcome: 'completed' }
  const allowed = run.limits.maxSteps === 0 ? 0 : run.limits.retries
  if (run.invalidStreak > allowed) {
    return failed(
      'invalid-tool-calls',
      `The model's tool calls stayed invalid: ${run.lastInvalid?.message ?? 'no reason given'}`,
    )
  }
  const { maxSteps } = run.limits
  if (maxSteps > 0 && run.steps >= maxSteps) return { outcome: 'max-steps' }
  return null
}

function failed(
  code: 'crash-loop' | 'repeated-calls' | 'invalid-tool-calls',
  message: string,
): RunEnd {
  return { outcome: 'failed', error: { code, message, retryable: false } }
}
