import { stateOf } from './call-state.ts'
import type { ChatRow } from './rows.ts'

/** Rows that are drawn at once: they fill a screen. */
const FIRST = 14
/** So many are drawn even if nobody scrolls to them. */
const LEAST = 50
/** Of more, those at the other end are taken away. */
const MOST = 120

/** The rows of a long conversation that are drawn. */
export interface ShownRows {
  readonly rows: readonly ChatRow[]
  /** How many there are before and behind them. */
  readonly earlier: number
  readonly later: number
  /** Of the later ones, those that wait for the person: they are never out of reach. */
  readonly waiting: readonly ChatRow[]
}

/** Which rows are drawn: the newest ones, until somebody asks for others. Rows are known by their keys, as others come and go. */
export class RowWindow {
  #rows: readonly ChatRow[] = []
  /** The first one that is drawn; null: the newest are. */
  #from: string | null = null
  /** The last one; null: the newest. */
  #to: string | null = null
  /** How many were drawn last. */
  #drawn = FIRST

  /** Begins with the newest rows again. */
  reset(): void {
    this.#from = null
    this.#to = null
    this.#drawn = FIRST
  }

  /** @param showsNewest Whether the newest row is in view, so that those far above it are missed by nobody. */
  cut(rows: readonly ChatRow[], showsNewest: boolean): ShownRows {
    this.#rows = rows
    if (this.#from === null || this.#indexOf(this.#from) < 0) {
      // Its first row was a day, which has another key once older messages of it are there: as many as before are drawn.
      if (this.#to !== null) this.reset()
      this.#from = keyAt(rows, Math.max(0, rows.length - this.#drawn))
    }
    if (this.#to === null && showsNewest && this.#span.count > MOST)
      this.#from = keyAt(rows, rows.length - LEAST)
    const { start, end, count } = this.#span
    this.#drawn = Math.max(FIRST, count)
    const behind = rows.slice(end)
    return {
      rows: rows.slice(start, end),
      earlier: start,
      later: behind.length,
      waiting: behind.filter(isWaiting),
    }
  }

  /** Fewer are drawn than are to be, whether or not somebody scrolls to them. */
  get isShort(): boolean {
    const { start, count } = this.#span
    return start > 0 && count < LEAST
  }

  /** @param canDrop Whether so many at the other end are too far away to be missed. */
  showEarlier(more: number, canDrop: (count: number) => boolean): void {
    const { start, end, count } = this.#span
    this.#from = keyAt(this.#rows, Math.max(0, start - more))
    if (count > MOST && canDrop(more)) this.#to = keyAt(this.#rows, end - more - 1)
  }

  showLater(more: number, canDrop: (count: number) => boolean): void {
    const { start, end, count } = this.#span
    this.#to = end + more >= this.#rows.length ? null : keyAt(this.#rows, end + more - 1)
    if (count > MOST && canDrop(more)) this.#from = keyAt(this.#rows, start + more)
  }

  get #span(): { readonly start: number; readonly end: number; readonly count: number } {
    const start = Math.max(0, this.#indexOf(this.#from))
    const last = this.#to === null ? -1 : this.#indexOf(this.#to)
    const end = last < start ? this.#rows.length : last + 1
    return { start, end, count: end - start }
  }

  #indexOf(sought: string | null): number {
    return this.#rows.findLastIndex(({ key }) => key === sought)
  }
}

function keyAt(rows: readonly ChatRow[], at: number): string | null {
  return rows[at]?.key ?? null
}

function isWaiting(row: ChatRow): boolean {
  return row.type === 'approvals' || (row.type === 'call' && stateOf(row.call).kind === 'waiting')
}
