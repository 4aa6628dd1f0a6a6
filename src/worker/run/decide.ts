import { waits } from '../../conversation/nested.ts'
import { isSettled, pendingCalls } from '../../conversation/pending.ts'
import type { RunEnd } from '../../protocol/fact.ts'
import type { CountedRun } from './counters.ts'
import { REPETITION, repetitionWords } from './repetition.ts'

/** Pauses of one turn, after which it is not continued any more: the run ends with what there is. */
const MAX_PAUSES = 10

/** The one thing that a run does next; of one that does nothing any more, how it ends. */
export type Decision = 'call-model' | 'run-tools' | 'wait' | RunEnd

/** What a run does next, by its state alone. Pure. */
export function decide(run: CountedRun): Decision {
  if (run.end !== null) return run.end
  if (run.parked !== null) return 'wait'
  if (run.limit !== null && run.isConcluded) return { outcome: 'limit', limit: run.limit }
  const isRepeating = run.repetition.count >= REPETITION.stop
  const next = run.calls.find((call) => !isSettled(call))
  if (next === undefined) {
    if (isRepeating) return repeated(run)
    return run.steps === 0 ? 'call-model' : afterStep(run)
  }
  const isWaiting = waits(next, run.calls)
  const isOneShot = run.limits.maxSteps === 0
  if (isOneShot && (isWaiting || isRepeating)) {
    const pending = pendingCalls(run)
    if (pending.length > 0) return { outcome: 'waiting', pending }
  }
  if (isRepeating) return repeated(run)
  return isWaiting ? 'wait' : 'run-tools'
}

/** Once all calls of a step are settled. */
function afterStep(run: CountedRun): 'call-model' | RunEnd {
  const finished = run.calls.some((call) => call.finishes && call.status === 'succeeded')
  if (finished && !run.isRejected) return { outcome: 'completed' }
  const isPaused = run.pauses > 0 && run.pauses <= MAX_PAUSES
  const isTold = run.feedback !== null || run.isAddressed || run.isRejected
  const asksOn = run.calls.length > 0 || isTold || isPaused
  if (!asksOn) return { outcome: 'completed' }
  if (run.invalidStreak > run.limits.retries) {
    return failed(
      'invalid-tool-calls',
      `The model's tool calls stayed invalid: ${run.lastInvalid?.message ?? 'no reason given'}`,
    )
  }
  const { maxSteps } = run.limits
  return maxSteps > 0 && run.steps >= maxSteps ? { outcome: 'max-steps' } : 'call-model'
}

function repeated({ repetition }: CountedRun): RunEnd {
  const times = repetitionWords(repetition)
  return failed('repeated-calls', `The model asked for the same calls ${times}.`)
}

function failed(code: 'repeated-calls' | 'invalid-tool-calls', message: string): RunEnd {
  return { outcome: 'failed', error: { code, message, retryable: false } }
}
