import MiniSearch from 'minisearch'
import type { StoredEntry } from './entry.ts'
import { tokensOf } from './tokens.ts'

/** Of the best match's score: what is further off has a common word with the query, and no more. */
const LEAST_SCORE = 0.25
/** Milliseconds of indexing between two turns of the page. */
const SLICE_MS = 8

interface Indexed {
  readonly id: string
  readonly text: string
}

/** Entries by their words. */
export class KeywordIndex {
  readonly #index = new MiniSearch<Indexed>({
    fields: ['text'],
    tokenize: tokensOf,
    // The tokens are as they are to be.
    processTerm: (term) => term,
    searchOptions: {
      tokenize: (query) => telling(tokensOf(query)),
      prefix: (term) => term.length > 3,
      fuzzy: (term) => (term.length > 5 ? 0.15 : false),
      weights: { prefix: 0.4, fuzzy: 0.2 },
    },
  })

  /** Yields to the page while there are many. */
  async add(entries: readonly StoredEntry[]): Promise<void> {
    let since = performance.now()
    for (const { id, text } of entries) {
      this.#index.add({ id, text })
      if (performance.now() - since < SLICE_MS) continue
      await new Promise((resolve) => setTimeout(resolve))
      since = performance.now()
    }
  }

  remove({ id, text }: StoredEntry): void {
    this.#index.remove({ id, text })
  }

  /** Ids, best first. */
  find(query: string): string[] {
    const found = this.#index.search(query)
    const best = found[0]?.score ?? 0
    return found.filter(({ score }) => score >= best * LEAST_SCORE).map(({ id }) => String(id))
  }
}

/** Of a query: words of two letters say little, where there are others. */
function telling(tokens: readonly string[]): string[] {
  const longer = tokens.filter((token) => !/^\p{Script=Latin}{1,2}$/u.test(token))
  return [...(longer.length > 0 ? longer : tokens)]
}
