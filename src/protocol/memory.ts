import type { JsonValue } from './json.ts'

/** Source of a memory entry, as shown to people. */
export type MemorySource = {
  readonly title: string
  readonly url?: string
}

/** A memory entry found for a request, as stored with the conversation and sent to the model. */
export interface RetrievedMemory {
  /** Id by which the model and the person can refer to the entry. */
  readonly id: string
  readonly text: string
  readonly [more: string]: JsonValue
}
