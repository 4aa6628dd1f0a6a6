import type { JsonValue } from './json.ts'

/** Where an entry of a memory is from, as people are shown it. */
export type MemorySource = {
  readonly title: string
  readonly url?: string
}

/** What a memory found for a request, as it is stored with the conversation and sent to the model. */
export interface RetrievedMemory {
  /** By which the model, and the person, can name it. */
  readonly id: string
  readonly text: string
  readonly [more: string]: JsonValue
}
