import type { StreamPart } from '../../protocol/stream-part.ts'
import { withMarks, type Place, type Redactor } from './redactor.ts'

/** What waits for the rest of a possible secret at most: parts, and places in the data. */
const MOST_PARTS = 256
const MOST_PLACES = 256

/** A part on its way; of a raw one, what is cut out of the string at each place. */
interface Waiting {
  readonly part: StreamPart
  readonly cuts: Map<string, Place[]>
  /** How many of its strings may end in the beginning of a secret. */
  open: number
}

/** The strings at one place of one piece after the other, as far as they are undecided. */
interface Undecided {
  text: string
  strings: { readonly waiting: Waiting; readonly start: number; readonly end: number }[]
}

/**
 * Takes secrets out of raw pieces, also those that are cut over several: the strings that stand at the
 * same place of the data are read as one text. A piece waits, and what comes after it, until nothing in
 * it can be the beginning of a secret.
 */
export class HeldRaw {
  readonly #redactor: Redactor
  readonly #waiting: Waiting[] = []
  readonly #places = new Map<string, Undecided>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /** What can be told now, in order. */
  pass(part: StreamPart): StreamPart[] {
    if (part.type === 'finish' || part.type === 'error') this.#decideAll()
    const waiting: Waiting = { part, cuts: new Map(), open: 0 }
    this.#waiting.push(waiting)
    if (part.type === 'raw') this.#read(waiting, part.data)
    return this.#told(MOST_PARTS)
  }

  release(): StreamPart[] {
    this.#decideAll()
    return this.#told(0)
  }

  #read(waiting: Waiting, data: unknown): void {
    mapStrings(data, (text, key) => {
      const { text: before, strings } = this.#places.get(key) ?? { text: '', strings: [] }
      const string = { waiting, start: before.length, end: before.length + text.length }
      waiting.open += 1
      this.#decide(key, { text: before + text, strings: [...strings, string] }, false)
      return text
    })
    for (const key of this.#places.keys()) {
      if (this.#places.size <= MOST_PLACES) break
      this.#decide(key, this.#places.get(key), true)
    }
  }

  #decideAll(): void {
    for (const [key, place] of this.#places) this.#decide(key, place, true)
  }

  #decide(key: string, place: Undecided | undefined, isWhole: boolean): void {
    if (place === undefined) return
    const { secrets, heldFrom } = this.#redactor.find(place.text, isWhole)
    for (const { waiting, start, end } of place.strings) {
      const cuts = waiting.cuts.get(key) ?? []
      for (const secret of secrets) {
        if (secret.to <= start || secret.from >= end) continue
        const from = Math.max(secret.from, start) - start
        const to = Math.min(secret.to, end) - start
        cuts.push({ from, to, mark: secret.from >= start ? secret.mark : '' })
      }
      if (cuts.length > 0) waiting.cuts.set(key, cuts)
      if (end <= heldFrom) waiting.open -= 1
    }
    const strings = place.strings
      .filter(({ end }) => end > heldFrom)
      .map(({ waiting, start, end }) => ({
        waiting,
        start: start - heldFrom,
        end: end - heldFrom,
      }))
    if (strings.length === 0) this.#places.delete(key)
    else this.#places.set(key, { text: place.text.slice(heldFrom), strings })
  }

  #told(most: number): StreamPart[] {
    const told: StreamPart[] = []
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      if (first.open > 0 && this.#waiting.length <= most) break
      this.#waiting.shift()
      told.push(this.#clean(first))
    }
    return told
  }

  #clean({ part, cuts }: Waiting): StreamPart {
    if (part.type !== 'raw') return part
    const data = mapStrings(
      part.data,
      (text, key) => withMarks(text, cuts.get(key) ?? []),
      (name) => this.#redactor.clean(name),
    )
    return { ...part, data }
  }
}

/**
 * The data with each string changed. `key` names the place: two calls that are written side by side stand
 * at the same one, but for their `index`.
 */
function mapStrings(
  data: unknown,
  change: (text: string, key: string) => string,
  rename: (name: string) => string = (name) => name,
): unknown {
  const visit = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return change(value, key)
    if (Array.isArray(value)) return value.map((item, index) => visit(item, `${key}/${index}`))
    if (typeof value !== 'object' || value === null) return value
    const own = 'index' in value ? `${key}#${String(value.index)}` : key
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [rename(name), visit(item, `${own}/${name}`)]),
    )
  }
  return visit(data, '')
}
