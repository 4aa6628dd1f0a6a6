import { isRecord } from '../lib/is-record.ts'
import type { StoredEntry } from './entry.ts'
import { KeywordIndex, type StoredWords } from './keyword-index.ts'
import type { Rows, WordsSpace } from './rows.ts'

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
  rows: Rows,
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
  readonly rows: Rows
  readonly space: string
  readonly words: WordsSpace
}

/** A keyword index, stored beside the entries of its space. */
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
