/** Secrets to keep that the page no longer has. */
const MOST_GONE = 500
/** Beyond this, secrets that the page still has are dropped, too. */
const MOST_SHOWN = 3000

/**
 * Secrets, or parts of them, found so far, oldest first. The page may still show a value that its field no longer
 * contains. Secrets still on the page are never dropped in favour of others.
 */
export class KnownSecrets {
  readonly #known = new Set<string>()
  #changes = 0

  /** `shown`: all secrets on the page now. */
  add(shown: ReadonlySet<string>): void {
    for (const one of shown) {
      if (!this.#known.delete(one)) this.#changes += 1
      this.#known.add(one)
    }
    const most = Math.min(MOST_SHOWN, shown.size + MOST_GONE)
    for (const oldest of this.#known) {
      if (this.#known.size <= most) return
      this.#known.delete(oldest)
      this.#changes += 1
    }
  }

  /** Changes whenever the set changes. */
  get version(): number {
    return this.#changes
  }

  get size(): number {
    return this.#known.size
  }

  get all(): readonly string[] {
    return [...this.#known]
  }
}
