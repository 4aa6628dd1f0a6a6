import { windowed } from '../conversation/checkpoint.ts'
import { foldDelta, NOTHING_LIVE, settleLive } from '../conversation/live.ts'
import {
  type Checkpoint,
  isRow,
  type StreamItem,
  type StreamRef,
  type WorkerNotice,
} from '../protocol/notices.ts'
import type { Delta, Live, Ownership } from '../protocol/delta.ts'
import type { ErrorData } from '../protocol/error.ts'
import { FORMAT, type Row } from '../protocol/fact.ts'
import type { ConversationState } from '../protocol/state.ts'

/** Milliseconds between two batches: short for an eye, long for a message queue. */
const INTERVAL_MS = 40

type TextDelta = Extract<Delta, { delta: string }>
type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Output to the page, shared by all conversations of the worker. */
export interface StreamOutput {
  readonly notify: (notice: WorkerNotice) => void
  readonly nextBatch: () => number
}

/** State of a conversation, without its live deltas. */
export interface StreamState {
  readonly state: ConversationState
  readonly fault: ErrorData | null
}

/**
 * Sends rows and deltas of one conversation to the page, in order. Adjacent deltas of one part are merged. The first
 * item is sent at once, later ones when `push` finds the interval over or the trailing timer fires. A timer alone
 * starves while data keeps arriving.
 */
export class Stream {
  /** The page shows the conversation, so it also gets changes by others. */
  isJoined = false
  /** Receives the published items, in order. */
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
  /** Items published since `#live` was updated. Folded only on demand: nobody may ever read it. */
  #unfolded: StreamItem[] = []

  constructor(ref: StreamRef, output: StreamOutput) {
    this.#ref = ref
    this.#output = output
  }

  /** Result of the deltas since the newest facts. */
  get live(): Live {
    for (const item of this.#unfolded)
      this.#live = isRow(item) ? settleLive(this.#live, item) : foldDelta(this.#live, item)
    this.#unfolded = []
    // Closes the open delta: once read, it must not grow any more.
    this.#openDelta = null
    return this.#live
  }

  pushRows(rows: readonly Row[]): void {
    for (const row of rows) this.#push(row)
  }

  pushDelta(delta: Delta): void {
    this.#push(delta)
  }

  /** Publishes in one batch what the work pushes. */
  async publishTogether(work: () => Promise<void>): Promise<void> {
    this.#isHeld = true
    try {
      await work()
    } finally {
      this.#isHeld = false
      this.flush()
    }
  }

  /** Takes a delta that the page has shown already, for late listeners and other tabs. */
  addShown(delta: Delta): void {
    this.flush()
    this.#unfolded.push(delta)
    // Folds the delta now. Until the next row, which may be long in coming, a tool's progress would pile up.
    void this.live
    this.relay?.([delta])
  }

  /** Takes rows without sending them. They replace the live deltas that they make durable. */
  settleRows(rows: readonly Row[]): void {
    this.#unfolded.push(...rows)
    void this.live
  }

  /** Replaces the live deltas with those of another tab. Publishes nothing. */
  adopt(live: Live): void {
    this.flush()
    void this.live
    this.#live = live
  }

  /** Sets who drives the open run, and publishes a change. */
  setOwnership(ownership: Ownership): void {
    if (this.live.ownership !== ownership) this.#push({ type: 'ownership-changed', ownership })
  }

  /** Sets whether another device drives the open run. */
  setOnOtherDevice(isElsewhere: boolean): void {
    if (isElsewhere) this.setOwnership('other-device')
    else if (this.live.ownership === 'other-device') this.setOwnership('none')
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

  /** Sends the current state, after everything published before. */
  checkpoint(reason: 'joined' | 'resumed', current: StreamState): void {
    this.flush()
    this.#batch = this.#output.nextBatch()
    const checkpoint = this.checkpointOf(current)
    this.#output.notify({
      type: 'checkpoint',
      ...this.#ref,
      ...checkpoint,
      batch: this.#batch,
      reason,
    })
  }

  checkpointOf({ state, fault }: StreamState): Checkpoint {
    return { format: FORMAT, state: windowed(state), live: this.live, fault }
  }

  #push(item: StreamItem): void {
    this.#enqueue(item)
    if (this.#isHeld) return
    if (performance.now() - this.#flushedAt >= INTERVAL_MS) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS)
  }

  #enqueue(item: StreamItem): void {
    const open = this.#openDelta
    if (isText(item)) {
      if (open && isSamePart(open, item)) {
        open.delta += item.delta
        return
      }
      this.#openDelta = { ...item }
      this.#append(this.#openDelta)
    } else {
      this.#openDelta = null
      this.#append(item)
      // Folds the row now: rows are rare, and replace most of the earlier deltas.
      if (isRow(item)) void this.live
    }
  }

  #append(item: StreamItem): void {
    this.#pending.push(item)
    this.#unfolded.push(item)
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
