import { windowed } from '../conversation/checkpoint.ts'
import { foldDelta, NOTHING_LIVE, settleLive } from '../conversation/live.ts'
import type { WorkerNotice } from '../protocol/notices.ts'
import type { Delta, Ownership } from '../protocol/delta.ts'
import type { ErrorData } from '../protocol/error.ts'
import { FORMAT, type Row } from '../protocol/fact.ts'
import type { Live } from '../protocol/live.ts'
import type { ConversationState } from '../protocol/state.ts'
import { isRow, type Checkpoint, type StreamItem, type StreamRef } from '../protocol/stream.ts'

/** Milliseconds between two batches: short for an eye, long for a message queue. */
const INTERVAL_MS = 40

type TextDelta = Extract<Delta, { delta: string }>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** The way to the page, shared by all conversations of the worker. */
export interface StreamOutput {
  readonly notify: (notice: WorkerNotice) => void
  readonly nextBatch: () => number
}

/** Where a conversation stands, apart from what is live. */
export interface Standing {
  readonly state: ConversationState
  readonly fault: ErrorData | null
}

/**
 * What happens in one conversation, on its way to the page: rows and deltas in one order. Adjacent deltas
 * of one part become one; the first item goes at once, later ones when the clock says so inside `push` (a
 * timer alone starves while data keeps arriving) or when the trailing timer fires.
 */
export class Stream {
  /** The page shows the conversation: it gets what others do in it, too. */
  isJoined = false
  /** Gets what is published, in the same order. */
  relay: ((items: readonly StreamItem[]) => void) | null = null
  readonly #ref: StreamRef
  readonly #output: StreamOutput
  #pending: StreamItem[] = []
  #openDelta: Mutable<TextDelta> | null = null
  #batch = 0
  #isHeld = false
  #flushedAt = Number.NEGATIVE_INFINITY
  #timer: ReturnType<typeof setTimeout> | undefined
  #live: Live = NOTHING_LIVE
  /** Published since `#live` was brought up to date: nobody may ever ask for it. */
  #unread: StreamItem[] = []

  constructor(ref: StreamRef, output: StreamOutput) {
    this.#ref = ref
    this.#output = output
  }

  /** What the deltas since the newest facts come to. */
  get live(): Live {
    for (const item of this.#unread)
      this.#live = isRow(item) ? settleLive(this.#live, item) : foldDelta(this.#live, item)
    this.#unread = []
    // What was read must not grow any more.
    this.#openDelta = null
    return this.#live
  }

  rows(rows: readonly Row[]): void {
    for (const row of rows) this.#push(row)
  }

  delta(delta: Delta): void {
    this.#push(delta)
  }

  /** Publishes in one batch what the work pushes. */
  async together(work: () => Promise<void>): Promise<void> {
    this.#isHeld = true
    try {
      await work()
    } finally {
      this.#isHeld = false
      this.flush()
    }
  }

  /** What the page has published by itself: for those who join later, and for other tabs. */
  published(delta: Delta): void {
    this.flush()
    this.#unread.push(delta)
    // A tool may report for long, and no row comes meanwhile.
    void this.live
    this.relay?.([delta])
  }

  /** Rows that nobody waits for: what they make durable isn't live any more. */
  settle(rows: readonly Row[]): void {
    this.#unread.push(...rows)
    void this.live
  }

  /** What is live elsewhere takes the place of what was live here. Not published by itself. */
  adopt(live: Live): void {
    this.flush()
    void this.live
    this.#live = live
  }

  /** Who drives the open run from now on. */
  own(ownership: Ownership): void {
    if (this.live.ownership !== ownership) this.#push({ type: 'ownership-changed', ownership })
  }

  /** Another device drives it, or does no more. */
  ownElsewhere(isElsewhere: boolean): void {
    if (isElsewhere) this.own('other-device')
    else if (this.live.ownership === 'other-device') this.own('none')
  }

  /** Sends what is pending; returns the number of the newest batch, 0 before the first. */
  flush(): number {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#pending.length > 0) {
      const items = this.#pending
      this.#pending = []
      this.#openDelta = null
      this.#flushedAt = performance.now()
      this.#batch = this.#output.nextBatch()
      this.#output.notify({ type: 'stream', ...this.#ref, batch: this.#batch, items })
      this.relay?.(items)
    }
    return this.#batch
  }

  /** Sends where the conversation stands, after all that was published before. */
  checkpoint(reason: 'joined' | 'taken-up', standing: Standing): void {
    this.flush()
    this.#batch = this.#output.nextBatch()
    const checkpoint = this.checkpointOf(standing)
    this.#output.notify({
      type: 'checkpoint',
      ...this.#ref,
      ...checkpoint,
      batch: this.#batch,
      reason,
    })
  }

  checkpointOf({ state, fault }: Standing): Checkpoint {
    return { format: FORMAT, state: windowed(state), live: this.live, fault }
  }

  #push(item: StreamItem): void {
    this.#add(item)
    if (this.#isHeld) return
    if (performance.now() - this.#flushedAt >= INTERVAL_MS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS)
  }

  #add(item: StreamItem): void {
    const open = this.#openDelta
    if (isText(item)) {
      if (open && isSamePart(open, item)) {
        open.delta += item.delta
        return
      }
      this.#openDelta = { ...item }
      this.#take(this.#openDelta)
    } else {
      this.#openDelta = null
      this.#take(item)
      // Rows are rare, and replace most of what came before them.
      if (isRow(item)) void this.live
    }
  }

  #take(item: StreamItem): void {
    this.#pending.push(item)
    this.#unread.push(item)
  }
}

function isText(item: StreamItem): item is TextDelta {
  return 'delta' in item
}

function isSamePart(open: TextDelta, next: TextDelta): boolean {
  return (
    open.type === next.type &&
    open.runId === next.runId &&
    open.attempt === next.attempt &&
    partOf(open) === partOf(next)
  )
}

function partOf(delta: TextDelta): string {
  return delta.type === 'tool-input-delta' ? delta.toolCallId : delta.partId
}
