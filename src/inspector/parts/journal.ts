import { emptyState, fold, type ConversationState, type Row } from '../../conversation/index.ts'

/** A state is kept of each so many rows: any other one is folded from the one before it. */
const KEPT_EVERY = 64

/** Rows of one conversation, and the state that they fold to at each of them. */
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

  /** Why there are no more rows than these; null: there may be. */
  get fault(): string | null {
    return this.#fault
  }

  /** False when it isn't the next row, or can't be folded, and was not taken. */
  add(row: Row): boolean {
    if (this.#fault !== null || row.seq !== this.rows.length + 1) return false
    try {
      this.#head = fold(this.#head, [row])
    } catch {
      // Of a file that anybody may have written.
      this.break(`Row ${row.seq} can't be read.`)
      return false
    }
    this.rows.push(row)
    if (this.rows.length % KEPT_EVERY === 0) this.#kept.push(this.#head)
    return true
  }

  /** No more rows are taken. */
  break(why: string): void {
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

  /** The first and the last row of a run, as counts of rows; null: it has none. */
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
