import { isSettled } from '../../conversation/pending.ts'
import type { Row } from '../../protocol/fact.ts'
import type { CallError } from '../../protocol/message.ts'
import type { RunState } from '../../protocol/state.ts'
import { countRepetition, NO_REPETITION, type Repetition } from './repetition.ts'

/** What the loop counts of a run, to know when to stop. Only the loop needs it. */
export interface Counters {
  /** Steps in a row with an invalid call. */
  readonly invalidStreak: number
  /** The newest invalid call's error. */
  readonly lastInvalid: CallError | null
  /** Steps in a row at whose end the vendor paused the turn. */
  readonly pauses: number
  /** A person's message came since the newest output. */
  readonly isAddressed: boolean
  /** Steps that ask for the same over and over. */
  readonly repetition: Repetition
}

/** The newest run, and what is counted of it. */
export type CountedRun = RunState & Counters

const NOTHING_COUNTED: Counters = {
  invalidStreak: 0,
  lastInvalid: null,
  pauses: 0,
  isAddressed: false,
  repetition: NO_REPETITION,
}

/** The run after a row, with its counters. `before`: with those before the row. Pure. */
export function countRow(
  before: CountedRun | null,
  run: RunState | null,
  row: Row,
): CountedRun | null {
  if (run === null) return null
  if (row.type === 'run-started' || before === null) return { ...run, ...NOTHING_COUNTED }
  const counted = { ...before, ...run }
  if (row.runId !== run.runId) return counted
  if (row.type === 'message-delivered') return { ...counted, isAddressed: true }
  if (row.type === 'model-output') {
    const { feedback } = row
    const { calls } = run
    return {
      ...counted,
      // A step with calls is judged when they settle; only a step without any is judged here.
      invalidStreak: feedback
        ? before.invalidStreak + 1
        : calls.length === 0
          ? 0
          : before.invalidStreak,
      lastInvalid: feedback?.error ?? before.lastInvalid,
      pauses: row.finishReason === 'pause' ? before.pauses + 1 : 0,
      isAddressed: false,
      repetition: countRepetition(before.repetition, calls),
    }
  }
  if (row.type !== 'call-settled') return counted
  const { status, output } = row
  const isInvalid = status === 'invalid' && output.type === 'error'
  const settled = isInvalid
    ? { ...counted, lastInvalid: { code: output.code, message: output.message } }
    : counted
  if (!run.calls.every(isSettled)) return settled
  const anyInvalid = run.calls.some((call) => call.status === 'invalid')
  const { invalidStreak } = before
  return {
    ...settled,
    invalidStreak: anyInvalid ? invalidStreak + 1 : run.feedback ? invalidStreak : 0,
  }
}
