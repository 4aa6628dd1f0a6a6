import type { StoreChange } from './store.ts'

/** Who follows a store. */
export class Changes {
  readonly #followers = new Set<(change: StoreChange) => void>()

  /** Calls back once what has changed is committed, and whoever changed it has its answer. */
  report(change: StoreChange): void {
    for (const follower of this.#followers) queueMicrotask(() => follower(change))
  }

  follow(onChange: (change: StoreChange) => void): () => void {
    // One who follows twice stops twice.
    const follower = (change: StoreChange): void => onChange(change)
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }
}
