import { stateOf } from './call-state.ts'
import type { ChatRow } from './rows.ts'

/** Number of rows drawn at first: they fill a screen. */
const FIRST = 14
/** Number of rows drawn even if nobody scrolls to them. */
const LEAST = 50
/** Maximum number of drawn rows. Beyond it, rows at the other end are removed. */
const MOST = 120

/** The rows of a long conversation that are drawn. */
export interface ShownRows {
  readonly rows: readonly ChatRow[]
  /** Numbers of rows before and after them. */
  readonly earlier: number
  readonly later: number
  /** Later rows that wait for the person: they always stay in reach. */
  readonly waiting: readonly ChatRow[]
}

/**
 * Decides which rows are drawn: the newest ones, until others are asked for. Identifies rows by key, as others come
 * and go.
 */
export class RowWindow {
  #rows: readonly ChatRow[] = []
  /** Key of the first drawn row; null: the newest rows are drawn. */
  #from: string | null = null
  /** Key of the last drawn row; null: the newest. */
  #to: string | null = null
  /** Number of rows drawn last. */
  #drawn = FIRST

  /** Starts again with the newest rows. */
  reset(): void {
    this.#from = null
    this.#to = null
    this.#drawn = FIRST
  }

  /** @param showsNewest Whether the newest row is in view, so that rows far above it can be removed. */
  cut(rows: readonly ChatRow[], showsNewest: boolean): ShownRows {
    this.#rows = rows
    if (this.#from === null || this.#indexOf(this.#from) < 0) {
      // The first row was a day, whose key changes once older messages of it are loaded. Draws as many rows as
      // before.
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

  /** Whether fewer rows are drawn than should be without any scrolling. */
  get isShort(): boolean {
    const { start, count } = this.#span
    return start > 0 && count < LEAST
  }

  /** @param canDrop Whether so many rows at the other end are far enough away to be removed. */
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
