import type { MemoryEntry } from '../client/memory.ts'

/** An entry as it is kept. Plain data, but for the vector. */
export interface StoredEntry extends MemoryEntry {
  /** Which entries are kept and found together. */
  readonly space: string
  /** Milliseconds since 1970. */
  readonly at: number
  readonly embedding?: {
    /** Names what made it: vectors of two models can't be compared. */
    readonly model: string
    readonly vector: Float32Array
  }
}

/** An entry as a person is shown it. */
export interface RememberedEntry extends MemoryEntry {
  /** Milliseconds since 1970. */
  readonly at: number
}

export function shown({ id, text, at, untrusted }: StoredEntry): RememberedEntry {
  return { id, text, at, ...(untrusted && { untrusted }) }
}
