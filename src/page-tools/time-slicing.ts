import { openTurns, type Turns } from '../lib/next-turn.ts'

/** Milliseconds of work in a slice, before the page's own tasks run. Small, as slow devices take four times as long. */
const SLICE_MS = 6

/**
 * Runs a generator to its end in slices, so that the page stays responsive. It may pause at each `yield`.
 * Rejects with the signal's reason when that is aborted.
 */
export async function runInSlices<Result>(
  work: Generator<undefined, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  let turns: Turns | null = null
  let until = performance.now() + SLICE_MS
  try {
    for (;;) {
      const step = work.next()
      if (step.done) return step.value
      if (performance.now() < until) continue
      turns ??= openTurns()
      await turns.next()
      signal?.throwIfAborted()
      until = performance.now() + SLICE_MS
    }
  } finally {
    turns?.close()
  }
}

/** Runs a generator to its end without pauses, for small amounts of work. */
export function runSync<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
