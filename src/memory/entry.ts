import type { MemoryEntry } from '../client/features/memory.ts'

/** A stored entry. Plain data, except for the vector. */
export interface StoredEntry extends MemoryEntry {
  /** Entries of one space are stored and searched together. */
  readonly space: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly embedding?: {
    /** The embedding model's name: vectors of different models can't be compared. */
    readonly model: string
    readonly vector: Float32Array
  }
}

/** An entry in the form that users see. */
export interface RememberedEntry extends MemoryEntry {
  /** Milliseconds since 1970. */
  readonly at: number
}

export function toRememberedEntry({ id, text, at, untrusted }: StoredEntry): RememberedEntry {
  return { id, text, at, ...(untrusted && { untrusted }) }
}
