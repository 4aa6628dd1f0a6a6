import { textDigest } from '../../lib/text-digest.ts'
import type { CallState } from '../../protocol/state.ts'
import { isSeal } from '../../protocol/sealed.ts'

/**
 * Rounds in a row after which the model is warned (`warn`), and after which the run ends (`stop`).
 *
 * `steps`: most steps that may ask for a call with the same name and input. A time or counter in a result would
 * otherwise hide a repetition.
 */
export const REPETITION = { warn: 3, stop: 6, steps: 25 } as const

/** Longest repeated cycle to detect, in steps. */
const MAX_LENGTH = 4

/** Detects cycles of steps with equal calls and results. A small, pure fold over the steps. */
export interface Repetition {
  /** Signatures of the newest steps, the newest last. */
  readonly recent: readonly string[]
  /** For each cycle length from 1: the number of steps in a row that equal the step that many steps earlier. */
  readonly streaks: readonly number[]
  /** Length in steps of the most repeated cycle. `count`: its rounds in a row. */
  readonly length: number
  readonly count: number
}

export const NO_REPETITION: Repetition = { recent: [], streaks: [], length: 1, count: 0 }

/** Counts one more step's calls with their results. An equal call with another result is progress. */
export function countRepetition(before: Repetition, calls: readonly CallState[]): Repetition {
  const signature = digestOf(calls.map((call) => [call.toolName, call.modelInput, call.output]))
  const streaks = Array.from({ length: MAX_LENGTH }, (_, index) =>
    before.recent.at(-1 - index) === signature ? (before.streaks[index] ?? 0) + 1 : 0,
  )
  let best = { length: 1, count: 1 }
  for (const [index, streak] of streaks.entries()) {
    const length = index + 1
    const count = Math.floor(streak / length) + 1
    if (count > best.count) best = { length, count }
  }
  return { recent: [...before.recent, signature].slice(-MAX_LENGTH), streaks, ...best }
}

/** Counts the steps that asked for a call, by name and input. */
export type CallCounts = ReadonlyMap<string, number>

/** Counts the calls of one more step. */
export function countCalls(before: CallCounts, calls: readonly CallState[]): CallCounts {
  const counts = new Map(before)
  for (const call of new Set(calls.map((each) => digestOf([each.toolName, each.modelInput]))))
    counts.set(call, (counts.get(call) ?? 0) + 1)
  return counts
}

/** Digest without placeholders for secrets: their values can't be compared. */
function digestOf(value: unknown): string {
  return textDigest(JSON.stringify(value, (_name, each: unknown) => (isSeal(each) ? '' : each)))
}

/** For example `3 times in a row`, or `3 times in a row, in rounds of 2 steps`. */
export function repetitionWords({ count, length }: Repetition): string {
  return `${count} times in a row${length > 1 ? `, in rounds of ${length} steps` : ''}`
}
