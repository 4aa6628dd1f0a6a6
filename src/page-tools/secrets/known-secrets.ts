/** Of those that the page had before and no longer has. */
const MOST_GONE = 500
/** Beyond this, what is on the page is dropped, too. */
const MOST_SHOWN = 3000

/**
 * Values, or parts of them, that were found so far, oldest first: the page may still show what a field no longer
 * contains. What is on the page is never dropped for what is not.
 */
export class KnownSecrets {
  readonly #known = new Set<string>()
  #changes = 0

  /** `shown`: all that is on the page now. */
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

  /** Another one when there are others. */
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
