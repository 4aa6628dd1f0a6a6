import type { EngineProgress } from '../protocol/engine.ts'
import type { ErrorData } from '../protocol/error.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/stream-part.ts'
import type { ModelRequest } from '../providers/provider.ts'

/**
 * Messages from the agent's worker to the engine. `id` names a task, and the engine answers with the same id. The
 * engine may send one batch per credit, then waits for more credit.
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

/** Messages from the engine to the agent's worker. `end` is a task's last message. */
export type FromEngine =
  | { readonly type: 'parts'; readonly id: number; readonly parts: readonly StreamPart[] }
  | { readonly type: 'progress'; readonly id: number; readonly progress: EngineProgress }
  | { readonly type: 'end'; readonly id: number; readonly error?: ErrorData }
  | { readonly type: 'pong' }

/** Messages from the page to an engine's worker, on the worker's own port. */
export type EngineCommand =
  | {
      readonly type: 'offstage-engine-open'
      readonly opening: number
      /** The agent's id. A new connection replaces the agent's old one. */
      readonly client: string
      readonly instance: string
      readonly port: MessagePort
      /** Options for the engine's definition, as plain data. */
      readonly options: unknown
    }
  | { readonly type: 'offstage-engine-release'; readonly client: string }
  | { readonly type: 'offstage-engine-dispose' }

/** Answers of the engine's worker. All other messages of the engine bypass the page. */
export type EngineReply =
  | {
      readonly type: 'offstage-engine-ready'
      readonly opening: number
      readonly holdsLock: boolean
    }
  | { readonly type: 'offstage-engine-disposed' }
