import type { JsonValue } from './json.ts'

/** What a memory found for a request, as it is stored with the conversation and sent to the model. */
export interface RetrievedMemory {
  /** By which the model, and the person, can name it. */
  readonly id: string
  readonly text: string
  readonly [more: string]: JsonValue
}
