/** Of texts and of patterns, each, that the page had before and no longer has. */
const MOST_GONE = 500
/** Beyond this, what is on the page is dropped, too: each one costs time in every text. */
const MOST_SHOWN = 3000

/**
 * What was found of one kind so far, each with how long it is, oldest first: the page may still show what a field no
 * longer contains. What is on the page is never dropped for what is not.
 */
export class KnownSecrets {
  readonly #known = new Map<string, number>()
  #changes = 0

  /** `shown`: all that is on the page now. */
  add(shown: ReadonlyMap<string, number>): void {
    for (const [one, length] of shown) {
      if (!this.#known.delete(one)) this.#changes += 1
      this.#known.set(one, length)
    }
    const most = Math.min(MOST_SHOWN, shown.size + MOST_GONE)
    for (const oldest of this.#known.keys()) {
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

  get entries(): readonly (readonly [secret: string, length: number])[] {
    return [...this.#known]
  }
}

/** For any of the patterns: the longest first, so that a secret that contains another one is removed whole. */
export function anyOf(patterns: readonly (readonly [pattern: string, length: number])[]): RegExp {
  // By their first letters, so that most places of a text are passed with few looks.
  const groups = new Map<string, string[]>()
  for (const [pattern] of patterns.toSorted(([, one], [, other]) => other - one)) {
    const first = FIRST.exec(pattern)?.[1] ?? ''
    const group = groups.get(first)
    if (group) group.push(pattern)
    else groups.set(first, [pattern])
  }
  const all = [...groups].map(
    ([first, group]) => `${first && `(?=${first})`}(?:${group.join('|')})`,
  )
  return new RegExp(all.join('|'), 'gu')
}

/** The letter or digit that a pattern begins with, behind what must not stand before it. */
const FIRST = /^(?:\(\?<![^)]*\))?([\p{L}\p{N}])/u
