import type { StorageReport } from './conversation.ts'
import type { EngineProgress } from './engine.ts'
import type { CallPath } from './fact.ts'
import type { ConversationScope } from './scope.ts'
import type { CheckpointNotice, StreamBatch } from './stream.ts'

/**
 * What the page says without an answer: one that comes while the page is kept for going back throws it
 * out of the browser's cache.
 */
export type PageNotice =
  | { readonly type: 'release-lock'; readonly name: string }
  /** The page is shown, hidden, frozen or left: it may never say anything again. */
  | { readonly type: 'visibility'; readonly isVisible: boolean }
  /** A tool's own word on how far it is, for other tabs; this page has published it already. */
  | (ConversationScope & {
      readonly type: 'tool-progress'
      readonly runId: string
      readonly path: CallPath
      readonly progress: unknown
    })

/** A check against a schema with regular expressions: on some inputs these take forever. */
export interface CheckRisk {
  readonly toolName: string
  readonly patterns: readonly string[]
}

/** What the worker says without being asked. One message, never one an event. */
export type WorkerNotice =
  | ({ readonly type: 'stream' } & StreamBatch)
  | ({ readonly type: 'checkpoint' } & CheckpointNotice)
  /** Conversations of the store began, changed their record or went, in this tab or another. */
  | { readonly type: 'conversations-changed'; readonly storage: string }
  /**
   * The worker goes on with an open run though the page didn't ask for it: the tab that drove it is gone, or a person
   * answered one of its calls.
   */
  | { readonly type: 'run-inherited'; readonly agentId: string; readonly conversationId: string }
  /** `storage`: of which store, by `storageKey`. */
  | ({ readonly type: 'storage'; readonly storage: string } & StorageReport)
  | { readonly type: 'warning'; readonly code: string; readonly message: string }
  /** Before and after (`risk: null`) a check that may never end: a worker that hangs can't say in what. */
  | {
      readonly type: 'risk'
      readonly agentId: string
      /** Empty: of an extraction. */
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
