import { isSettled, pendingCalls } from '../../conversation/pending.ts'
import type { RunEnd } from '../../protocol/fact.ts'
import type { CountedRun } from './counters.ts'
import { REPETITION, repetitionWords } from './repetition.ts'

/** Pauses of one turn, after which it is not continued any more: the run ends with what there is. */
const MAX_PAUSES = 10

export type Decision = 'call-model' | 'run-tools' | 'wait' | 'end'

/** What a run does next. Pure. */
export function decide(run: CountedRun): Decision {
  if (run.end !== null) return 'end'
  if (run.parked !== null) return 'wait'
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
export function conclusion(run: CountedRun): RunEnd | null {
  if (run.end !== null) return run.end
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

function concludeStep(run: CountedRun): RunEnd | null {
  const finished = run.calls.some((call) => call.finishes && call.status === 'succeeded')
  if (finished) return { outcome: 'completed' }
  const isPaused = run.pauses > 0 && run.pauses <= MAX_PAUSES
  const asksOn = run.calls.length > 0 || run.feedback !== null || isPaused || run.isAddressed
  if (!asksOn) return { outcome: 'completed' }
  if (run.invalidStreak > run.limits.retries) {
    return failed(
      'invalid-tool-calls',
      `The model's tool calls stayed invalid: ${run.lastInvalid?.message ?? 'no reason given'}`,
    )
  }
  const { maxSteps } = run.limits
  if (maxSteps > 0 && run.steps >= maxSteps) return { outcome: 'max-steps' }
  return null
}

/** Of a run that `decide` ends for no reason that `conclusion` knows: none should come here. */
export function noConclusion(): RunEnd {
  const message = 'The run came to an end without a reason.'
  return { outcome: 'failed', error: { code: 'internal', message, retryable: false } }
}

function failed(code: 'repeated-calls' | 'invalid-tool-calls', message: string): RunEnd {
  return { outcome: 'failed', error: { code, message, retryable: false } }
}
