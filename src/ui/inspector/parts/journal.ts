import { emptyState, fold, type ConversationState, type Row } from '../../../conversation/index.ts'

/** Rows between two kept states; the others are folded from the kept one before. */
const KEPT_EVERY = 64

/** Rows of one conversation, with the state after each of them. */
export class Journal {
  readonly conversationId: string
  readonly rows: Row[] = []
  readonly #kept: ConversationState[]
  #head: ConversationState
  #fault: string | null = null

  constructor(conversationId: string) {
    this.conversationId = conversationId
    this.#head = emptyState(conversationId)
    this.#kept = [this.#head]
  }

  /** Why no further rows are accepted; null: they are. */
  get fault(): string | null {
    return this.#fault
  }

  /** Adds the next row. False, without adding it, if it isn't the next one or can't be folded. */
  add(row: Row): boolean {
    if (this.#fault !== null || row.seq !== this.rows.length + 1) return false
    try {
      this.#head = fold(this.#head, [row])
    } catch {
      // Rows of a file may hold anything.
      this.markBroken(`Row ${row.seq} can't be read.`)
      return false
    }
    this.rows.push(row)
    if (this.rows.length % KEPT_EVERY === 0) this.#kept.push(this.#head)
    return true
  }

  /** Rejects all further rows. */
  markBroken(why: string): void {
    this.#fault ??= why
  }

  /** The state after the first `count` rows. */
  stateAt(count: number): ConversationState {
    const upTo = Math.max(0, Math.min(count, this.rows.length))
    if (upTo === this.rows.length) return this.#head
    const from = Math.floor(upTo / KEPT_EVERY)
    const state = this.#kept[from] ?? emptyState(this.conversationId)
    return fold(state, this.rows.slice(from * KEPT_EVERY, upTo))
  }

  /** Returns the numbers of a run's first and last row, from 1; null if it has none. */
  spanOf(runId: string): { readonly from: number; readonly to: number } | null {
    const from = this.rows.findIndex((row) => row.runId === runId)
    if (from < 0) return null
    return { from: from + 1, to: this.rows.findLastIndex((row) => row.runId === runId) + 1 }
  }

  runIds(): string[] {
    return [
      ...new Set(
        this.rows.flatMap(({ type, runId }) => (type === 'run-started' && runId ? [runId] : [])),
      ),
    ]
  }
}
