import type { EngineProgress } from '../protocol/engine.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/stream-part.ts'
import type { ModelRequest } from '../providers/provider.ts'

/**
 * From the agent's worker to the engine. `id` names a task; the engine answers with the same. It may
 * send as many batches as it was given credit for, then it waits for more.
 */
export type ToEngine =
  | {
      readonly type: 'stream'
      readonly id: number
      readonly request: ModelRequest
      readonly config: ModelConfigData
      readonly credit: number
    }
  | { readonly type: 'credit'; readonly id: number; readonly credit: number }
  | { readonly type: 'prepare'; readonly id: number; readonly config: ModelConfigData }
  | { readonly type: 'abort'; readonly id: number }
  | { readonly type: 'ping' }

/** From the engine to the agent's worker. `end` is a task's last message. */
export type FromEngine =
  | { readonly type: 'parts'; readonly id: number; readonly parts: readonly StreamPart[] }
  | { readonly type: 'progress'; readonly id: number; readonly progress: EngineProgress }
  | { readonly type: 'end'; readonly id: number; readonly error?: ErrorData }
  | { readonly type: 'pong' }

/** From the page to the worker of an engine, on the worker's own port. */
export type EngineCommand =
  | {
      readonly type: 'offstage-engine-open'
      readonly opening: number
      /** The agent; a new line replaces its old one. */
      readonly client: string
      readonly instance: string
      readonly port: MessagePort
      /** What the engine's definition is made with. Plain data. */
      readonly options: unknown
    }
  | { readonly type: 'offstage-engine-release'; readonly client: string }
  | { readonly type: 'offstage-engine-dispose' }

/** The worker's answers. Nothing else of the engine passes the page. */
export type EngineReply =
  | {
      readonly type: 'offstage-engine-ready'
      readonly opening: number
      readonly holdsLock: boolean
    }
  | { readonly type: 'offstage-engine-disposed' }
