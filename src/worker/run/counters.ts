import { ownCalls } from '../../conversation/nested.ts'
import { isSettled } from '../../conversation/pending.ts'
import type { ReflectMode, Row } from '../../protocol/fact.ts'
import type { CallError } from '../../protocol/message.ts'
import type { LimitName } from '../../protocol/run.ts'
import type { RunState } from '../../protocol/state.ts'
import { isBlank } from './blank-answer.ts'
import {
  countCalls,
  countRepetition,
  NO_REPETITION,
  type CallCounts,
  type Repetition,
} from './repetition.ts'
import { activeTime, type ActiveTime } from './run-budget.ts'

/** Counts that tell the loop when to stop a run. Nothing else needs them. */
export interface Counters extends ActiveTime {
  /** Steps in a row with an invalid call. */
  readonly invalidStreak: number
  /** The newest invalid call's error. */
  readonly lastInvalid: CallError | null
  /** Steps in a row that ended with the vendor pausing the turn. */
  readonly pauses: number
  /** Steps in a row that the output limit cut off. */
  readonly cuts: number
  /** Whether the newest output has no text and no file. */
  readonly isBlank: boolean
  /** Whether any call of the run has succeeded. */
  readonly hasSucceeded: boolean
  /** Whether a person's message or a reminder came after the newest output. */
  readonly isAddressed: boolean
  /** Whether the newest answer was rejected. */
  readonly isRejected: boolean
  /** Number of the run's rejected answers. */
  readonly rejections: number
  /** How the newest answer was reflected on. Null: not at all. */
  readonly reflected: ReflectMode | null
  /** Whether the model was reminded that it isn't done: its output was empty, or its plan has open items. */
  readonly wasReminded: boolean
  readonly repetition: Repetition
  readonly callCounts: CallCounts
  /** The limit reached when a step began. The model gets one last call, without tools. */
  readonly limit: LimitName | null
  /** Whether the last answer exists. */
  readonly isConcluded: boolean
}

/** The newest run with its counters. */
export type CountedRun = RunState & Counters

const NOTHING_COUNTED: Counters = {
  invalidStreak: 0,
  lastInvalid: null,
  pauses: 0,
  cuts: 0,
  isBlank: false,
  hasSucceeded: false,
  isAddressed: false,
  isRejected: false,
  rejections: 0,
  reflected: null,
  wasReminded: false,
  repetition: NO_REPETITION,
  callCounts: new Map(),
  limit: null,
  isConcluded: false,
  activeMs: 0,
  activeSince: null,
}

/** The run after a row, with updated counters. `before` is the counted run before the row. Pure. */
export function countRow(
  before: CountedRun | null,
  run: RunState | null,
  row: Row,
): CountedRun | null {
  if (run === null) return null
  if (row.type === 'run-started' || before === null)
    return { ...run, ...NOTHING_COUNTED, activeSince: row.at }
  const counted = { ...before, ...run }
  return row.runId === run.runId
    ? { ...counted, ...changeBy(counted, row), ...activeTime(before, run, row) }
    : counted
}

/** The counters that a row of the run changes. */
function changeBy(run: CountedRun, row: Row): Partial<Counters> {
  switch (row.type) {
    case 'step-started':
      return row.limit === undefined ? {} : { limit: row.limit }
    case 'model-output':
      return {
        isConcluded: run.limit !== null,
        ...streakAfter(run, row.feedback ? 'invalid' : run.calls.length > 0 ? 'open' : 'valid'),
        lastInvalid: row.feedback?.error ?? run.lastInvalid,
        pauses: row.finishReason === 'pause' ? run.pauses + 1 : 0,
        cuts: row.finishReason === 'length' ? run.cuts + 1 : 0,
        isBlank: isBlank(row),
        isAddressed: row.reminder !== undefined,
        isRejected: false,
        reflected: null,
        wasReminded: run.wasReminded || row.reminder !== undefined,
        ...(run.calls.length === 0 && { repetition: NO_REPETITION }),
        callCounts: countCalls(run.callCounts, run.calls),
      }
    case 'message-delivered':
      return { isAddressed: true }
    case 'answer-rejected':
      return { isRejected: true, rejections: run.rejections + 1 }
    case 'answer-reflected':
      return { reflected: row.mode }
    case 'call-settled': {
      const { status, output } = row
      // An invalid nested call is its tool's mistake, not the model's.
      const isInvalid = status === 'invalid' && output.type === 'error' && row.path.length === 1
      return {
        ...(run.calls.every(isSettled) && {
          ...streakAfter(run, judge(run)),
          repetition: countRepetition(run.repetition, ownCalls(run.calls)),
        }),
        ...(status === 'succeeded' && { hasSucceeded: true }),
        ...(isInvalid && { lastInvalid: { code: output.code, message: output.message } }),
      }
    }
    default:
      return {}
  }
}

/** `open`: undecided, or already counted. */
type Verdict = 'valid' | 'invalid' | 'open'

/** Judges a step whose calls are settled. The output already counted calls that could not be read. */
function judge({ calls, feedback }: RunState): Verdict {
  if (ownCalls(calls).some(({ status }) => status === 'invalid')) return 'invalid'
  return feedback ? 'open' : 'valid'
}

function streakAfter({ invalidStreak }: Counters, verdict: Verdict): Partial<Counters> {
  switch (verdict) {
    case 'valid':
      return { invalidStreak: 0 }
    case 'invalid':
      return { invalidStreak: invalidStreak + 1 }
    case 'open':
      return {}
    default:
      return verdict satisfies never
  }
}
