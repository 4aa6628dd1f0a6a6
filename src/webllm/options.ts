import type { JsonObject } from '../protocol/json.ts'

/** Options for the engine's worker, as plain data. */
export interface WebLLMEngineOptions {
  readonly appConfig?: JsonObject
  readonly chatOptions?: JsonObject
}
