import type { Delta } from './delta.ts'
import type { ErrorData } from './error.ts'
import type { FORMAT, Row } from './fact.ts'
import type { Live } from './live.ts'
import type { ConversationState } from './state.ts'

/** Which conversation, of which store (`storageKey`). */
export interface StreamRef {
  readonly storage: string
  readonly conversationId: string
}

/** What a stream carries. A row is published after its commit. */
export type StreamItem = Row | Delta

/** Part of the one ordered stream of a conversation. `batch` grows with every message of the worker. */
export interface StreamBatch extends StreamRef {
  readonly batch: number
  readonly items: readonly StreamItem[]
}

/**
 * Where a stream stands: the newest messages, the run, and what is open of its step. What is published
 * after it follows it.
 */
export interface Checkpoint {
  readonly format: typeof FORMAT
  /** A windowed state: the newest messages of the path. */
  readonly state: ConversationState
  readonly live: Live
  /** Why the rows can't be folded to their end. */
  readonly fault: ErrorData | null
}

/**
 * A checkpoint in its place in the stream. `joined`: the page asked for one; `taken-up`: the open run goes
 * on here from now on, and whoever shows it begins anew.
 */
export interface CheckpointNotice extends StreamRef, Checkpoint {
  readonly batch: number
  readonly reason: 'joined' | 'taken-up'
}

export function isRow(item: StreamItem): item is Row {
  return 'seq' in item
}
