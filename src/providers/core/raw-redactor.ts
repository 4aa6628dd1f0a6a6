import type { StreamPart } from '../../protocol/stream-part.ts'
import { type Extent, withMarks, type Span, type Redactor } from './redactor.ts'

/** The most parts, and paths in the data, that wait for the rest of a possible secret. */
const MAX_PARTS = 256
const MAX_PATHS = 256

/** A part that is held back; of a raw one, what is cut out of the string at each path. */
interface QueuedPart {
  readonly part: StreamPart
  readonly cuts: Map<string, Span[]>
  /** How many of its strings may end in the beginning of a secret. */
  open: number
}

/** The strings at one path of one piece after the other, as far as they are undecided. */
interface Undecided {
  text: string
  strings: { readonly queued: QueuedPart; readonly start: number; readonly end: number }[]
}

/**
 * Removes secrets from raw pieces, also those that are split over several: the strings at the same path of
 * the data are read as one text. A piece is held back, with all after it, until nothing in it can be the
 * beginning of a secret.
 */
export class RawRedactor {
  readonly #redactor: Redactor
  readonly #queue: QueuedPart[] = []
  readonly #undecided = new Map<string, Undecided>()

  constructor(redactor: Redactor) {
    this.#redactor = redactor
  }

  /** Takes a part; returns the parts that are certain now, in order. */
  pass(part: StreamPart): StreamPart[] {
    if (part.type === 'finish' || part.type === 'error') this.#decideAll()
    const queued: QueuedPart = { part, cuts: new Map(), open: 0 }
    this.#queue.push(queued)
    if (part.type === 'raw') this.#read(queued, part.data)
    return this.#release(MAX_PARTS)
  }

  release(): StreamPart[] {
    this.#decideAll()
    return this.#release(0)
  }

  #read(queued: QueuedPart, data: unknown): void {
    mapStrings(data, (text, key) => {
      const { text: before, strings } = this.#undecided.get(key) ?? { text: '', strings: [] }
      const string = { queued, start: before.length, end: before.length + text.length }
      queued.open += 1
      this.#decide(key, { text: before + text, strings: [...strings, string] }, 'growing')
      return text
    })
    for (const key of this.#undecided.keys()) {
      if (this.#undecided.size <= MAX_PATHS) break
      this.#decide(key, this.#undecided.get(key), 'whole')
    }
  }

  #decideAll(): void {
    for (const [key, undecided] of this.#undecided) this.#decide(key, undecided, 'whole')
  }

  #decide(key: string, undecided: Undecided | undefined, extent: Extent): void {
    if (undecided === undefined) return
    const { secrets, heldFrom } = this.#redactor.find(undecided.text, extent)
    for (const { queued, start, end } of undecided.strings) {
      const cuts = queued.cuts.get(key) ?? []
      for (const secret of secrets) {
        if (secret.to <= start || secret.from >= end) continue
        const from = Math.max(secret.from, start) - start
        const to = Math.min(secret.to, end) - start
        cuts.push({ from, to, mark: secret.from >= start ? secret.mark : '' })
      }
      if (cuts.length > 0) queued.cuts.set(key, cuts)
      if (end <= heldFrom) queued.open -= 1
    }
    const strings = undecided.strings
      .filter(({ end }) => end > heldFrom)
      .map(({ queued, start, end }) => ({
        queued,
        start: start - heldFrom,
        end: end - heldFrom,
      }))
    if (strings.length === 0) this.#undecided.delete(key)
    else this.#undecided.set(key, { text: undecided.text.slice(heldFrom), strings })
  }

  #release(most: number): StreamPart[] {
    const released: StreamPart[] = []
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      if (first.open > 0 && this.#queue.length <= most) break
      this.#queue.shift()
      released.push(this.#clean(first))
    }
    return released
  }

  #clean({ part, cuts }: QueuedPart): StreamPart {
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
 * The data with each string changed. `key` names the path: two calls that are written side by side have
 * the same one, but for their `index`.
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
    const index = 'index' in value ? value.index : undefined
    const own = typeof index === 'number' || typeof index === 'string' ? `${key}#${index}` : key
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [rename(name), visit(item, `${own}/${name}`)]),
    )
  }
  return visit(data, '')
}
