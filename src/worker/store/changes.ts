import type { StoreChange } from './store.ts'

/** Followers of a store. */
export class Changes {
  readonly #followers = new Set<(change: StoreChange) => void>()

  /** Notifies followers after the commit, once the code that made the change has its answer. */
  report(change: StoreChange): void {
    for (const follower of this.#followers) queueMicrotask(() => follower(change))
  }

  follow(onChange: (change: StoreChange) => void): () => void {
    // A callback that is passed twice has to be removed twice.
    const follower = (change: StoreChange): void => onChange(change)
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }
}
