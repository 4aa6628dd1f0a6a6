import type { Store } from '../../worker/store/store.ts'

/** One store, opened by two who know nothing of each other: two tabs, or two devices. */
export interface StorePair {
  readonly store: Store
  /** Another object for the same conversations. */
  readonly other: Store
}

export interface StoreUnderTest {
  /** Opens an empty store, twice. */
  open(): Promise<StorePair>
  /**
   * Has the next `append` of a store reach it and loses its answer, which rejects with a `storage-…` code. Absent: answers are
   * lost on the way back from the store itself, which finds less.
   */
  loseNextAnswer?(store: Store): void
  /**
   * Keeps a copy of the next request of a store, and returns what delivers that copy, as a proxy may after minutes. Absent:
   * nothing lies between the store and its data.
   */
  copyNextRequest?(store: Store): () => Promise<void>
  /** Fills the store, so that the next `append` is refused with `storage-full`; returns what makes room. */
  fill?(store: Store): Promise<() => Promise<void>>
}

/** One requirement. `run` rejects with an error that says what was found. */
export interface ContractCase {
  readonly group: string
  readonly name: string
  run(): Promise<void>
}

/** A requirement, given a store of its own. */
export type Requirement = (pair: StorePair, tested: StoreUnderTest) => Promise<void>
