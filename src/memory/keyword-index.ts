import { openTurns } from '../lib/next-turn.ts'
import type { StoredEntry } from './entry.ts'
import { fuzziness, weightOf } from './similar-terms.ts'
import { tokensOf } from './tokens.ts'

/** Lowest score of a match, relative to the best one. Lower ones only share a common word with the query. */
const LEAST_SCORE = 0.25
/** Time of indexing before yielding to the page. Milliseconds. */
const SLICE_MS = 8

/** Parameters of BM25+: saturation of repetitions, weight of the length, and least value of a match. */
const SATURATION = 1.2
const LENGTH = 0.7
const LEAST = 0.5

/** Lower bits of a posting, which count the term. The higher bits hold the entry's place. */
const COUNT_BITS = 8
const MOST_COUNTED = 2 ** COUNT_BITS - 1

/** An index as plain data, without removed entries. Terms contain no spaces. */
export interface StoredWords {
  readonly ids: readonly string[]
  /** Number of different terms in each entry. */
  readonly lengths: Uint32Array
  readonly terms: string
  /** End of each term's postings. */
  readonly ends: Uint32Array
  readonly postings: Uint32Array
}

/** Index of entries by their words, ranked by BM25+. */
export class KeywordIndex {
  readonly #postings = new Map<string, Uint32Array | number[]>()
  readonly #places = new Map<string, number>()
  /** Ids by place; undefined for a removed entry. */
  #ids: (string | undefined)[] = []
  #lengths: number[] = []
  /** Sum of the lengths of all remaining entries. */
  #sum = 0

  static from({ ids, lengths, terms, ends, postings }: StoredWords): KeywordIndex {
    const index = new KeywordIndex()
    index.#ids = [...ids]
    index.#lengths = [...lengths]
    index.#sum = index.#lengths.reduce((sum, length) => sum + length, 0)
    for (const [place, id] of ids.entries()) index.#places.set(id, place)
    let start = 0
    for (const [at, term] of terms.split(' ').entries()) {
      index.#postings.set(term, postings.subarray(start, ends[at]))
      start = ends[at] ?? start
    }
    return index
  }

  toStored(): StoredWords {
    const ids: string[] = []
    const lengths: number[] = []
    const moved = this.#ids.map((id, place) => {
      if (id === undefined) return -1
      lengths.push(this.#lengths[place] ?? 0)
      return ids.push(id) - 1
    })
    const terms: string[] = []
    const ends: number[] = []
    const all = [...this.#postings.values()]
    const postings = new Uint32Array(all.reduce((sum, { length }) => sum + length, 0))
    let end = 0
    for (const [term, postingsOfTerm] of this.#postings) {
      const start = end
      for (const posting of postingsOfTerm) {
        const place = moved[posting >>> COUNT_BITS] ?? -1
        if (place >= 0) postings[end++] = (place << COUNT_BITS) | (posting & MOST_COUNTED)
      }
      if (end === start) continue
      terms.push(term)
      ends.push(end)
    }
    return {
      ids,
      lengths: new Uint32Array(lengths),
      terms: terms.join(' '),
      ends: new Uint32Array(ends),
      postings: postings.slice(0, end),
    }
  }

  /** Adds entries. Yields to the page if there are many. */
  async add(entries: readonly StoredEntry[]): Promise<void> {
    const turns = openTurns()
    let since = performance.now()
    for (const entry of entries) {
      this.#addOne(entry)
      if (performance.now() - since < SLICE_MS) continue
      await turns.next()
      since = performance.now()
    }
    turns.close()
  }

  #addOne({ id, text }: StoredEntry): void {
    const place = this.#ids.length
    const counts = new Map<string, number>()
    for (const term of tokensOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const [term, count] of counts) {
      const posting = (place << COUNT_BITS) | Math.min(count, MOST_COUNTED)
      const known = this.#postings.get(term)
      if (Array.isArray(known)) known.push(posting)
      else this.#postings.set(term, known ? [...known, posting] : [posting])
    }
    this.#places.set(id, place)
    this.#ids.push(id)
    this.#lengths.push(counts.size)
    this.#sum += counts.size
  }

  remove(id: string): void {
    const place = this.#places.get(id)
    if (place === undefined) return
    this.#places.delete(id)
    this.#ids[place] = undefined
    this.#sum -= this.#lengths[place] ?? 0
  }

  /** Ids of matching entries, best first. */
  find(query: string): string[] {
    const scores = new Map<number, { score: number; terms: Set<string> }>()
    for (const asked of telling(tokensOf(query)))
      for (const [term, weight] of this.#like(asked))
        for (const { place, score } of this.#scored(term)) {
          const found = scores.get(place) ?? { score: 0, terms: new Set() }
          found.score += weight * score
          found.terms.add(asked)
          scores.set(place, found)
        }
    // Entries with several words of the query come first.
    const ranked = [...scores]
      .map(([place, { score, terms }]) => ({ place, score: score * terms.size }))
      .sort((one, other) => other.score - one.score)
    const best = ranked[0]?.score ?? 0
    return ranked
      .filter(({ score }) => score >= best * LEAST_SCORE)
      .map(({ place }) => this.#ids[place] as string)
  }

  /**
   * Terms that match a query's term, with their weight: the term itself, terms that begin with it, and similar ones.
   */
  *#like(asked: string): Generator<readonly [term: string, weight: number]> {
    if (this.#postings.has(asked)) yield [asked, 1]
    const farthest = fuzziness(asked)
    if (farthest === null) return
    for (const term of this.#postings.keys()) {
      const weight = term === asked ? 0 : weightOf(term, asked, farthest)
      if (weight > 0) yield [term, weight]
    }
  }

  #scored(term: string): { readonly place: number; readonly score: number }[] {
    const found = Array.from(this.#postings.get(term) ?? [], (posting) => ({
      place: posting >>> COUNT_BITS,
      count: posting & MOST_COUNTED,
    })).filter(({ place }) => this.#ids[place] !== undefined)
    const all = this.#places.size
    const average = this.#sum / all
    const rarity = Math.log(1 + (all - found.length + 0.5) / (found.length + 0.5))
    return found.map(({ place, count }) => {
      const relative = (this.#lengths[place] ?? 0) / average
      const damping = SATURATION * (1 - LENGTH + LENGTH * relative)
      return { place, score: rarity * (LEAST + (count * (SATURATION + 1)) / (count + damping)) }
    })
  }
}

/** Significant terms of a query. Words of one or two Latin letters are dropped if there are longer ones. */
function telling(tokens: readonly string[]): string[] {
  const longer = tokens.filter((token) => !/^\p{Script=Latin}{1,2}$/u.test(token))
  return [...(longer.length > 0 ? longer : tokens)]
}
