import type { EngineProgress } from '../protocol/engine.ts'
import type { ModelConfigData } from '../protocol/model.ts'
import type { StreamPart } from '../protocol/stream-part.ts'
import type { ModelRequest } from '../providers/provider.ts'

export interface EngineContext {
  /** Aborted when the outcome is no longer needed. */
  readonly signal: AbortSignal
  /** Becomes an `engine-progress` event. Call it while a model loads, not for tokens. */
  readonly progress: (progress: EngineProgress) => void
}

/** A model engine, as its author writes it. It runs where `serveEngine` or `pageEngine` is called. */
export interface EngineDefinition {
  /** The provider id. */
  readonly id: string
  /**
   * One model turn, in the order that `StreamPart` demands; loads the model when it isn't loaded. Not
   * iterated further than the other end reads. What it throws ends the turn with a typed error.
   */
  stream(
    request: ModelRequest,
    config: ModelConfigData,
    context: EngineContext,
  ): AsyncIterable<readonly StreamPart[]>
  /** Loads the model of `config`, downloads included. */
  prepare?(config: ModelConfigData, context: EngineContext): Promise<void>
  /** Frees what it holds. The last call. */
  dispose?(): void | Promise<void>
}
