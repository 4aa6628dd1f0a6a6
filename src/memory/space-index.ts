import { isRecord } from '../lib/is-record.ts'
import type { StoredEntry } from './entry.ts'
import type { EntryStore, WordsSpace } from './rows.ts'
import { createEventLoopYielder } from '../lib/yield-to-event-loop.ts'

/** Number of entries below which building the index on each page is as fast as reading a stored one. */
const MIN_STORED_ENTRIES = 200
/** Must be increased when texts are indexed differently. */
const FORMAT_VERSION = 1

interface StoredIndex extends StoredEntry {
  readonly space: WordsSpace
  readonly form: number
  /** Version of the space at which the index was made. */
  readonly version: number
  readonly index: StoredWords
}

interface SpaceSnapshot {
  readonly version: number
  readonly entries: ReadonlyMap<string, StoredEntry>
}

/** The index of a space: the stored one if it matches this version, else a new one. */
export async function openIndex(
  rows: EntryStore,
  space: string,
  { version, entries }: SpaceSnapshot,
): Promise<SpaceIndex> {
  const wordsSpace: WordsSpace = `words:${space}`
  const stored =
    entries.size < MIN_STORED_ENTRIES
      ? []
      : (await rows.read(wordsSpace).catch(() => null))?.entries
  const current = stored?.find((entry) => isCurrent(entry, version))
  const index = new SpaceIndex(
    { rows, space, words: wordsSpace },
    current && KeywordIndex.from(current.index),
  )
  if (!current) await index.add([...entries.values()])
  return index
}

function isCurrent(entry: StoredEntry, version: number): entry is StoredIndex {
  const stored: unknown = entry
  return isRecord(stored) && stored['form'] === FORMAT_VERSION && stored['version'] === version
}

interface IndexStorage {
  readonly rows: EntryStore
  readonly space: string
  readonly words: WordsSpace
}

/** A keyword index, stored along with the entries of its space. */
export class SpaceIndex {
  readonly #storage: IndexStorage
  readonly #index: KeywordIndex
  /** Number of entries that the stored index lacks. */
  #unstoredCount = 0

  constructor(storage: IndexStorage, index: KeywordIndex = new KeywordIndex()) {
    this.#storage = storage
    this.#index = index
  }

  async add(entries: readonly StoredEntry[]): Promise<void> {
    this.#unstoredCount += entries.length
    await this.#index.add(entries)
  }

  remove(id: string): void {
    this.#index.remove(id)
  }

  find(query: string): string[] {
    return this.#index.find(query)
  }

  /** Stores the index if it contains many unstored entries. Resolves to the space's version afterwards. */
  async save(version: number): Promise<number> {
    if (this.#unstoredCount < MIN_STORED_ENTRIES) return version
    this.#unstoredCount = 0
    const { rows, space, words } = this.#storage
    const stored: StoredIndex = {
      space: words,
      id: '',
      text: '',
      at: Date.now(),
      form: FORMAT_VERSION,
      version: version + 1,
      index: this.#index.toStored(),
    }
    // If storage is full, the next page builds the index again.
    const isStored = await rows.change(space, version, { put: [stored] }).catch(() => false)
    return isStored ? version + 1 : version
  }
}

/** Minimum score of a match, relative to the best match. Matches below it only share a common word with the query. */
const MIN_SCORE = 0.25
/** Indexing time after which the page gets a turn. Milliseconds. */
const SLICE_MS = 8

/** Parameters of BM25+: saturation of repetitions, weight of the length, and least value of a match. */
const SATURATION = 1.2
const LENGTH_WEIGHT = 0.7
const MIN_MATCH = 0.5

/** Number of lower bits of a posting, which count the term. The higher bits hold the entry's position. */
const COUNT_BITS = 8
const MAX_COUNT = 2 ** COUNT_BITS - 1

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
  readonly #positions = new Map<string, number>()
  /** Ids by position; undefined for a removed entry. */
  #ids: (string | undefined)[] = []
  #lengths: number[] = []
  /** Sum of the lengths of all remaining entries. */
  #sum = 0

  static from({ ids, lengths, terms, ends, postings }: StoredWords): KeywordIndex {
    const index = new KeywordIndex()
    index.#ids = [...ids]
    index.#lengths = [...lengths]
    index.#sum = index.#lengths.reduce((sum, length) => sum + length, 0)
    for (const [position, id] of ids.entries()) index.#positions.set(id, position)
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
    const newPositions = this.#ids.map((id, position) => {
      if (id === undefined) return -1
      lengths.push(this.#lengths[position] ?? 0)
      return ids.push(id) - 1
    })
    const terms: string[] = []
    const ends: number[] = []
    const allPostings = [...this.#postings.values()]
    const postings = new Uint32Array(allPostings.reduce((sum, { length }) => sum + length, 0))
    let end = 0
    for (const [term, postingsOfTerm] of this.#postings) {
      const start = end
      for (const posting of postingsOfTerm) {
        const position = newPositions[posting >>> COUNT_BITS] ?? -1
        if (position >= 0) postings[end++] = (position << COUNT_BITS) | (posting & MAX_COUNT)
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
    const yielder = createEventLoopYielder()
    let sliceStartedAt = performance.now()
    for (const entry of entries) {
      this.#addEntry(entry)
      if (performance.now() - sliceStartedAt < SLICE_MS) continue
      await yielder.next()
      sliceStartedAt = performance.now()
    }
    yielder.close()
  }

  #addEntry({ id, text }: StoredEntry): void {
    const position = this.#ids.length
    const counts = new Map<string, number>()
    for (const term of tokensOf(text)) counts.set(term, (counts.get(term) ?? 0) + 1)
    for (const [term, count] of counts) {
      const posting = (position << COUNT_BITS) | Math.min(count, MAX_COUNT)
      const postings = this.#postings.get(term)
      if (Array.isArray(postings)) postings.push(posting)
      else this.#postings.set(term, postings ? [...postings, posting] : [posting])
    }
    this.#positions.set(id, position)
    this.#ids.push(id)
    this.#lengths.push(counts.size)
    this.#sum += counts.size
  }

  remove(id: string): void {
    const position = this.#positions.get(id)
    if (position === undefined) return
    this.#positions.delete(id)
    this.#ids[position] = undefined
    this.#sum -= this.#lengths[position] ?? 0
  }

  /** Ids of matching entries, best first. */
  find(query: string): string[] {
    const scores = new Map<number, { score: number; terms: Set<string> }>()
    for (const queryTerm of significantTerms(tokensOf(query)))
      for (const [term, weight] of this.#matchingTerms(queryTerm))
        for (const { position, score } of this.#scoresOf(term)) {
          const match = scores.get(position) ?? { score: 0, terms: new Set() }
          match.score += weight * score
          match.terms.add(queryTerm)
          scores.set(position, match)
        }
    // Entries that contain several of the query's words come first.
    const ranked = [...scores]
      .map(([position, { score, terms }]) => ({ position, score: score * terms.size }))
      .sort((a, b) => b.score - a.score)
    const best = ranked[0]?.score ?? 0
    return ranked
      .filter(({ score }) => score >= best * MIN_SCORE)
      .map(({ position }) => this.#ids[position] as string)
  }

  /**
   * Terms that match a query's term, with their weight: the term itself, terms that begin with it, and similar ones.
   */
  *#matchingTerms(queryTerm: string): Generator<readonly [term: string, weight: number]> {
    if (this.#postings.has(queryTerm)) yield [queryTerm, 1]
    const maxEdits = maxEditsFor(queryTerm)
    if (maxEdits === null) return
    for (const term of this.#postings.keys()) {
      const weight = term === queryTerm ? 0 : weightOf(term, queryTerm, maxEdits)
      if (weight > 0) yield [term, weight]
    }
  }

  #scoresOf(term: string): { readonly position: number; readonly score: number }[] {
    const matches = Array.from(this.#postings.get(term) ?? [], (posting) => ({
      position: posting >>> COUNT_BITS,
      count: posting & MAX_COUNT,
    })).filter(({ position }) => this.#ids[position] !== undefined)
    const entryCount = this.#positions.size
    const average = this.#sum / entryCount
    const rarity = Math.log(1 + (entryCount - matches.length + 0.5) / (matches.length + 0.5))
    return matches.map(({ position, count }) => {
      const relative = (this.#lengths[position] ?? 0) / average
      const damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relative)
      return {
        position,
        score: rarity * (MIN_MATCH + (count * (SATURATION + 1)) / (count + damping)),
      }
    })
  }
}

/** Significant terms of a query. Words of one or two Latin letters are dropped if there are longer ones. */
function significantTerms(tokens: readonly string[]): string[] {
  const longer = tokens.filter((token) => !/^\p{Script=Latin}{1,2}$/u.test(token))
  return [...(longer.length > 0 ? longer : tokens)]
}

/** Scripts without spaces between words, or with endings attached to them. Split into pairs of characters. */
const PAIRED_SCRIPT =
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
  return runs.flatMap((run) => (PAIRED_SCRIPT.test(run) ? pairsOf(run) : normalizeWord(run)))
}

function pairsOf(run: string): string[] {
  const characters = Array.from(run)
  if (characters.length === 1) return characters
  return characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`)
}

function normalizeWord(word: string): string {
  return word.normalize('NFD').replace(LATIN_MARKS, '').normalize('NFC').replace(ENDING, '')
}

const PREFIX_WEIGHT = 0.4
const FUZZY_WEIGHT = 0.2

/** Most edits between a term and a similar one. Null for short terms, which match only exactly. */
function maxEditsFor(queryTerm: string): number | null {
  if (queryTerm.length <= 3) return null
  return queryTerm.length > 5 ? Math.round(queryTerm.length * 0.15) : 0
}

/** Weight of a similar term: below 1, and 0 if it is too different. */
function weightOf(term: string, queryTerm: string, maxEdits: number): number {
  const { length } = term
  if (term.startsWith(queryTerm))
    return (PREFIX_WEIGHT * length) / (length + 0.3 * (length - queryTerm.length))
  if (Math.abs(length - queryTerm.length) > maxEdits) return 0
  const edits = editsBetween(term, queryTerm, maxEdits)
  return edits > maxEdits ? 0 : (FUZZY_WEIGHT * length) / (length + edits)
}

/** Levenshtein distance. Stops early once it exceeds `maxEdits`. */
function editsBetween(a: string, b: string, maxEdits: number): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let at = 1; at <= a.length; at++) {
    const next = [at]
    for (let column = 1; column <= b.length; column++)
      next.push(
        Math.min(
          (row[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (row[column - 1] ?? 0) + (a[at - 1] === b[column - 1] ? 0 : 1),
        ),
      )
    if (Math.min(...next) > maxEdits) return maxEdits + 1
    row = next
  }
  return row[b.length] ?? 0
}
