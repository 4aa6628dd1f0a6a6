import type { JsonObject } from '../protocol/json.ts'

/** What the page sends to the engine's worker. Plain data. */
export interface WebLLMEngineOptions {
  readonly appConfig?: JsonObject
  readonly chatOptions?: JsonObject
}
