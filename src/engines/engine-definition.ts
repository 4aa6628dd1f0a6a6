import type { EngineProgress } from '../protocol/engine.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/message.ts'
import type { ModelRequest } from '../providers/provider.ts'

/** Last argument of an engine's `stream` and `prepare`: signals when to stop, and reports progress. */
export interface EngineContext {
  /** Aborted when the outcome is no longer needed. */
  readonly signal: AbortSignal
  /** Emits an `engine-progress` event. Call it while a model loads, not for tokens. */
  readonly progress: (progress: EngineProgress) => void
}

/** A model engine, as written by its author. Runs where `serveEngine` or `pageEngine` is called. */
export interface EngineDefinition {
  /** The provider id. */
  readonly id: string
  /**
   * Runs one model turn. Yields parts in the order of `StreamPart`. Loads the model if necessary. Iterated only as fast
   * as the reader consumes. A thrown error ends the turn with a typed error.
   */
  stream(
    request: ModelRequest,
    config: ModelConfigData,
    context: EngineContext,
  ): AsyncIterable<readonly StreamPart[]>
  /** Loads the model of `config`. Downloads it if necessary. */
  prepare?(config: ModelConfigData, context: EngineContext): Promise<void>
  /** Frees the engine's resources. Called last. */
  dispose?(): void | Promise<void>
}
