import type { JsonObject } from '../protocol/json.ts'

/** Location of a GGUF model: an address (of the first part, if split), or its file or files. */
export type WllamaSource = string | Blob | readonly Blob[]

/** Options for the engine's worker: plain data with absolute addresses. */
export interface WllamaEngineOptions {
  readonly wasmUrl: string
  readonly models: { readonly [name: string]: WllamaSource }
  readonly load: JsonObject
}
