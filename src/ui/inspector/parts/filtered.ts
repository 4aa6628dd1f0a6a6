/** Search criteria; an empty field matches everything. */
export interface Filter {
  readonly type: string
  readonly text: string
}

interface Found {
  readonly type: string
}

/** Filters a growing list. Reads each entry once, except the last, which may have grown. */
export class Filtered<Entry extends Found> {
  readonly #textOf: (entry: Entry) => string
  #filter: Filter = { type: '', text: '' }
  #from: readonly Entry[] = []
  #read = 0
  #found: Entry[] = []

  constructor(textOf: (entry: Entry) => string) {
    this.#textOf = textOf
  }

  of(entries: readonly Entry[], filter: Filter): readonly Entry[] {
    const { type, text } = this.#filter
    if (entries !== this.#from || filter.type !== type || filter.text !== text) {
      this.#from = entries
      // Copied, since the caller may change its own object.
      this.#filter = { type: filter.type, text: filter.text }
      this.#read = 0
      this.#found = []
    }
    if (filter.type === '' && filter.text === '') return entries
    const last = entries[this.#read - 1]
    if (last && this.#found.at(-1) === last) this.#found.pop()
    for (const entry of entries.slice(Math.max(0, this.#read - 1)))
      if (this.#fits(entry)) this.#found.push(entry)
    this.#read = entries.length
    return this.#found
  }

  #fits(entry: Entry): boolean {
    const { type, text } = this.#filter
    if (type !== '' && entry.type !== type) return false
    return text === '' || this.#textOf(entry).toLowerCase().includes(text.toLowerCase())
  }
}
