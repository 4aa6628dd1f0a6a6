import type { JsonObject } from '../protocol/json.ts'

/** Where a GGUF model is: an address (of its first part, when it is split), or its file or files. */
export type WllamaSource = string | Blob | readonly Blob[]

/** What the page sends to the engine's worker. Plain data; addresses are absolute. */
export interface WllamaEngineOptions {
  readonly wasmUrl: string
  readonly models: { readonly [name: string]: WllamaSource }
  readonly load: JsonObject
}
