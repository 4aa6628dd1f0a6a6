import { isRecord } from '../lib/is-record.ts'
import type { StoredEntry } from './entry.ts'
import type { EntryStore, WordsSpace } from './rows.ts'
import { createEventLoopYielder } from '../lib/yield-to-event-loop.ts'

/** Below this many entries, indexing again on each page is as fast as reading a stored index. */
const FEW = 200
/** Version of the index's format. Increase it when texts are indexed differently. */
const FORM = 1

interface StoredIndex extends StoredEntry {
  readonly space: WordsSpace
  readonly form: number
  /** Version of the space at which the index was made. */
  readonly version: number
  readonly index: StoredWords
}

/** A space as a page knows it. */
interface Known {
  readonly version: number
  readonly entries: ReadonlyMap<string, StoredEntry>
}

/** The index of a space: the stored one if it matches this version, else a new one. */
export async function openIndex(
  rows: EntryStore,
  space: string,
  { version, entries }: Known,
): Promise<SpaceIndex> {
  const words: WordsSpace = `words:${space}`
  const stored = entries.size < FEW ? [] : (await rows.read(words).catch(() => null))?.entries
  const known = stored?.find((entry) => isCurrent(entry, version))
  const index = new SpaceIndex({ rows, space, words }, known && KeywordIndex.from(known.index))
  if (!known) await index.add([...entries.values()])
  return index
}

function isCurrent(entry: StoredEntry, version: number): entry is StoredIndex {
  const stored: unknown = entry
  return isRecord(stored) && stored['form'] === FORM && stored['version'] === version
}

interface Place {
  readonly rows: EntryStore
  readonly space: string
  readonly words: WordsSpace
}

/** A keyword index, stored along with the entries of its space. */
export class SpaceIndex {
  readonly #place: Place
  readonly #index: KeywordIndex
  /** Number of entries that the stored index lacks. */
  #added = 0

  constructor(place: Place, index: KeywordIndex = new KeywordIndex()) {
    this.#place = place
    this.#index = index
  }

  async add(entries: readonly StoredEntry[]): Promise<void> {
    this.#added += entries.length
    await this.#index.add(entries)
  }

  remove(id: string): void {
    this.#index.remove(id)
  }

  find(query: string): string[] {
    return this.#index.find(query)
  }

  /** Stores the index if much of it is new. Resolves to the space's version afterwards. */
  async keep(version: number): Promise<number> {
    if (this.#added < FEW) return version
    this.#added = 0
    const { rows, space, words } = this.#place
    const stored: StoredIndex = {
      space: words,
      id: '',
      text: '',
      at: Date.now(),
      form: FORM,
      version: version + 1,
      index: this.#index.toStored(),
    }
    // If storage is full, the next page builds the index again.
    const isKept = await rows.change(space, version, { put: [stored] }).catch(() => false)
    return isKept ? version + 1 : version
  }
}

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
interface StoredWords {
  readonly ids: readonly string[]
  /** Number of different terms in each entry. */
  readonly lengths: Uint32Array
  readonly terms: string
  /** End of each term's postings. */
  readonly ends: Uint32Array
  readonly postings: Uint32Array
}

/** Index of entries by their words, ranked by BM25+. */
class KeywordIndex {
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
    const turns = createEventLoopYielder()
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
    // Entries that contain several of the query's words come first.
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

/** Scripts without spaces between words, or with endings attached to them. Split into pairs of characters. */
const IN_PAIRS =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u

/** Runs of one kind: such scripts with their marks, or other letters, marks and digits. */
const RUNS =
  /(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]\p{M}*)+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー])[\p{L}\p{N}]\p{M}*)+/gu

const LATIN_MARKS = /(?<=\p{Script=Latin})\p{M}+/gu

/** Endings of plurals and cases in English, German and similar languages, after at least four letters. */
const ENDING = /(?<=[a-z]{4})(?:e?[nrs]|em?)$/

/** Search terms of a text: words without Latin diacritics, and pairs of characters. */
function tokensOf(text: string): string[] {
  const runs = text.normalize('NFKC').toLowerCase().match(RUNS) ?? []
  return runs.flatMap((run) => (IN_PAIRS.test(run) ? pairsOf(run) : plain(run)))
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`)
}

function plain(word: string): string {
  return word.normalize('NFD').replace(LATIN_MARKS, '').normalize('NFC').replace(ENDING, '')
}

const PREFIX_WEIGHT = 0.4
const FUZZY_WEIGHT = 0.2

/** Most edits between a term and a similar one. Null for short terms, which match only exactly. */
function fuzziness(asked: string): number | null {
  if (asked.length <= 3) return null
  return asked.length > 5 ? Math.round(asked.length * 0.15) : 0
}

/** Weight of a similar term: below 1, and 0 if it is too different. */
function weightOf(term: string, asked: string, farthest: number): number {
  const { length } = term
  if (term.startsWith(asked))
    return (PREFIX_WEIGHT * length) / (length + 0.3 * (length - asked.length))
  if (Math.abs(length - asked.length) > farthest) return 0
  const edits = editsBetween(term, asked, farthest)
  return edits > farthest ? 0 : (FUZZY_WEIGHT * length) / (length + edits)
}

/** Levenshtein distance. Stops early once it exceeds `farthest`. */
function editsBetween(one: string, other: string, farthest: number): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let at = 1; at <= one.length; at++) {
    const next = [at]
    for (let place = 1; place <= other.length; place++)
      next.push(
        Math.min(
          (row[place] ?? 0) + 1,
          (next[place - 1] ?? 0) + 1,
          (row[place - 1] ?? 0) + (one[at - 1] === other[place - 1] ? 0 : 1),
        ),
      )
    if (Math.min(...next) > farthest) return farthest + 1
    row = next
  }
  return row[other.length] ?? 0
}
