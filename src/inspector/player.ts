import type { Journal } from './parts/journal.ts'

/** Longer waits between two rows are cut to this. Milliseconds. */
const LONGEST_WAIT = 600

/** Moves through rows in the time in which they were written. Nothing of a run is done again. */
export class Player {
  readonly #moved: (position: number) => void
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(moved: (position: number) => void) {
    this.#moved = moved
  }

  get isPlaying(): boolean {
    return this.#timer !== undefined
  }

  /** From a position to the end of its run; from the end of one, or without a position, that run from its beginning. */
  play(journal: Journal, position: number | null): void {
    this.stop()
    const at = position ?? journal.rows.length
    const runId = journal.rows[at - 1]?.runId ?? journal.runIds().at(-1)
    const span = runId ? journal.spanOf(runId) : null
    const { from, to } = span ?? { from: 1, to: journal.rows.length }
    this.#go(journal, at >= to || at < from ? from : at, to)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #go(journal: Journal, position: number, to: number): void {
    const [here, next] = [journal.rows[position - 1], journal.rows[position]]
    const wait = here && next ? Math.min(next.at - here.at, LONGEST_WAIT) : 0
    this.#timer =
      position < to
        ? setTimeout(() => this.#go(journal, position + 1, to), Math.max(30, wait))
        : undefined
    this.#moved(position)
  }
}
