import type { ConversationScope, StorageReport } from './conversation.ts'
import type { EngineProgress } from './engine.ts'
import type { CallPath, FORMAT, Row } from './fact.ts'
import type { Delta, Live } from './delta.ts'
import type { ErrorData } from './error.ts'
import type { ConversationState } from './state.ts'

/**
 * Messages from the page that get no answer. An answer that arrives while the page is in the back/forward cache would
 * evict the page.
 */
export type PageNotice =
  | { readonly type: 'release-lock'; readonly name: string }
  /** The page was shown, hidden, frozen or left. This may be the last message of a page. */
  | { readonly type: 'visibility'; readonly isVisible: boolean }
  /** Progress that a tool reports, for other tabs. This page has published it already. */
  | (ConversationScope & {
      readonly type: 'tool-progress'
      readonly runId: string
      readonly path: CallPath
      readonly progress: unknown
    })

/** A check against a schema with regular expressions, which may take forever on some inputs. */
export interface CheckRisk {
  readonly toolName: string
  readonly patterns: readonly string[]
}

/** Messages from the worker that the page didn't request. Each bundles several events. */
export type WorkerNotice =
  | ({ readonly type: 'stream' } & StreamBatch)
  | ({ readonly type: 'checkpoint' } & CheckpointNotice)
  /** Conversations of the store were created, changed or deleted, in this tab or another. */
  | { readonly type: 'conversations-changed'; readonly storage: string }
  /**
   * The worker resumed an open run without a command of the page. The tab that drove it is gone, or a person answered
   * one of its calls.
   */
  | { readonly type: 'run-inherited'; readonly agentId: string; readonly conversationId: string }
  /** State of a store. `storage`: its `storageKey`. */
  | ({ readonly type: 'storage'; readonly storage: string } & StorageReport)
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** Sent before and after (`risk: null`) a check that may never end, since a hung worker can't report its cause. */
  | {
      readonly type: 'risk'
      readonly agentId: string
      /** Empty for an extraction. */
      readonly runId: string
      readonly extractId?: string
      readonly risk: CheckRisk | null
    }
  | ({
      readonly type: 'engine-progress'
      readonly agentId: string
      readonly provider: string
      readonly model: string
    } & EngineProgress)

/** Identifies a conversation. `storage`: the `storageKey` of the store that contains it. */
export interface StreamRef {
  readonly storage: string
  readonly conversationId: string
}

/** A row or delta of a stream. A row is published after its commit. */
export type StreamItem = Row | Delta

/** Part of a conversation's ordered stream. `batch` increases with every message of the worker. */
interface StreamBatch extends StreamRef {
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
 * A checkpoint with its position in the stream. `joined`: the page requested it. `resumed`: the open run was resumed
 * here, and views must start over from the checkpoint.
 */
export interface CheckpointNotice extends StreamRef, Checkpoint {
  readonly batch: number
  readonly reason: 'joined' | 'resumed'
}

export function isRow(item: StreamItem): item is Row {
  return 'seq' in item
}
