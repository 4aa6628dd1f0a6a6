import type { Store } from '../../worker/store/store.ts'

/** A store, opened twice independently, as by two tabs or two devices. */
export interface StorePair {
  readonly store: Store
  /** Another object for the same conversations. */
  readonly other: Store
}

export interface StoreUnderTest {
  /** Opens an empty store, twice. */
  open(): Promise<StorePair>
  /**
   * Lets the next `append` reach the store but loses its answer: the call rejects with a `storage-…` code. Missing:
   * answers are lost above the store itself, which finds fewer faults.
   */
  loseNextAnswer?(store: Store): void
  /**
   * Keeps a copy of the store's next request. Returns a function that delivers the copy, as a proxy may minutes later.
   * Missing: nothing lies between the store and its data.
   */
  copyNextRequest?(store: Store): () => Promise<void>
  /** Fills the store, so that the next `append` rejects with `storage-full`. Resolves to a function that makes room. */
  fill?(store: Store): Promise<() => Promise<void>>
}

/** A single requirement. `run` rejects with an error that describes the difference. */
export interface ContractCase {
  readonly group: string
  readonly name: string
  run(): Promise<void>
}

/** A requirement, given a store of its own. */
export type Requirement = (pair: StorePair, tested: StoreUnderTest) => Promise<void>
