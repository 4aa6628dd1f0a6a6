import { nextTurn } from '../lib/next-turn.ts'

/** Milliseconds of work before the page gets a turn; small, as slow devices are four times slower. */
const SLICE_MS = 6

/**
 * Runs a generator to its end in slices, so that the page stays responsive. Each `yield` is a place
 * where it may pause. Rejects with the signal's reason when that is aborted.
 */
export async function runInSlices<Result>(
  work: Generator<undefined, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  let until = performance.now() + SLICE_MS
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
    if (performance.now() < until) continue
    await nextTurn()
    signal?.throwIfAborted()
    until = performance.now() + SLICE_MS
  }
}

/** The same for little work, which nobody will notice. */
export function runSync<Result>(work: Generator<undefined, Result>): Result {
  for (;;) {
    const step = work.next()
    if (step.done) return step.value
  }
}
