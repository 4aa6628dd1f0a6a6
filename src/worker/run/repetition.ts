import { textDigest } from '../../lib/text-digest.ts'
import type { CallState } from '../../protocol/state.ts'
import { isSeal } from '../../protocol/sealed.ts'

/**
 * Rounds in a row after which the model is warned that it repeats itself, and after which the run stops. `steps`: a
 * run may ask for one name and input in so many, since times and counters make equal results differ.
 */
export const REPETITION = { warn: 3, stop: 6, steps: 25 } as const

/** Steps that a repeated cycle has at most. */
const MAX_LENGTH = 4

/** Whether a run's steps get the same results for the same calls in a cycle. Small, and a pure fold over the steps. */
export interface Repetition {
  /** Signatures of the newest steps, the newest last. */
  readonly recent: readonly string[]
  /** By length of cycle, from 1: how many steps in a row were equal to the one that many steps before. */
  readonly streaks: readonly number[]
  /** The cycle that was gone through most often: its steps, and how often in a row. */
  readonly length: number
  readonly count: number
}

export const NO_REPETITION: Repetition = { recent: [], streaks: [], length: 1, count: 0 }

/** Takes one more step's calls, with their results: the same call is progress where its result differs. */
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

/** Takes the calls of one more step. */
export function countCalls(before: CallCounts, calls: readonly CallState[]): CallCounts {
  const counts = new Map(before)
  for (const call of new Set(calls.map((each) => digestOf([each.toolName, each.modelInput]))))
    counts.set(call, (counts.get(call) ?? 0) + 1)
  return counts
}

/** Sealed values can't be compared. */
function digestOf(value: unknown): string {
  return textDigest(JSON.stringify(value, (_name, each: unknown) => (isSeal(each) ? '' : each)))
}

/** `3 times in a row`, and of how many steps a round is, where it is more than one. */
export function repetitionWords({ count, length }: Repetition): string {
  return `${count} times in a row${length > 1 ? `, in rounds of ${length} steps` : ''}`
}
