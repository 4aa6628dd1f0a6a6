import type { Delta } from './delta.ts'
import type { ErrorData } from './error.ts'
import type { FORMAT, Row } from './fact.ts'
import type { Live } from './live.ts'
import type { ConversationState } from './state.ts'

/** A conversation and its store (`storageKey`). */
export interface StreamRef {
  readonly storage: string
  readonly conversationId: string
}

/** A row or delta of a stream. A row is published after its commit. */
export type StreamItem = Row | Delta

/** Part of a conversation's ordered stream. `batch` increases with every message of the worker. */
export interface StreamBatch extends StreamRef {
  readonly batch: number
  readonly items: readonly StreamItem[]
}

/**
 * State of a stream at one point: the newest messages, the run, and the pending deltas of its step. Later items follow
 * it.
 */
export interface Checkpoint {
  readonly format: typeof FORMAT
  /** A windowed state: the newest messages of the path. */
  readonly state: ConversationState
  readonly live: Live
  /** Why the rows could not be folded to the end. */
  readonly fault: ErrorData | null
}

/**
 * A checkpoint with its position in the stream. `joined`: the page requested it. `taken-up`: the open run was resumed
 * here, and views must start over from the checkpoint.
 */
export interface CheckpointNotice extends StreamRef, Checkpoint {
  readonly batch: number
  readonly reason: 'joined' | 'taken-up'
}

export function isRow(item: StreamItem): item is Row {
  return 'seq' in item
}
