import { isElement, parentOf } from '../dom.ts'

/** How long nobody may ask before the observers are let go. Milliseconds. */
const IDLE_MS = 60_000
/** Beyond this many changed elements it is not worth knowing which. */
const MANY = 500

/** What changes so often while nobody does anything never rests. */
const RESTLESS_TIMES = 3
/** What did nothing for so long rests again. Milliseconds. */
const RESTED_MS = 2000

/** How far a change reaches: to what is directly in an element, or to all that is in it. */
export type Extent = 'children' | 'all'

export const EVERYTHING: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
}

/** Which parts of watched documents and shadow roots changed since the log was last read. */
export class MutationLog {
  #observer: MutationObserver | null = null
  #watched = new WeakSet<Node>()
  #changed: Map<Node, Extent> | null = null
  #isTouched = false
  /** How often each place changed since `take`, and when that was. */
  readonly #times = new Map<Node, number>()
  #taken = 0
  #restless = new Set<Node>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Forgets everything and starts anew. */
  start(): void {
    this.stop()
    this.#changed = new Map()
    this.#taken = performance.now()
    this.#observer = new MutationObserver((records) => this.#add(records))
    this.#keepAwake()
  }

  watch(tree: Document | ShadowRoot): void {
    if (!this.#observer || this.#watched.has(tree)) return
    this.#watched.add(tree)
    this.#observer.observe(tree, EVERYTHING)
  }

  /** What changed, once; null when that isn't known. */
  take(): ReadonlyMap<Node, Extent> | null {
    if (!this.#observer) return null
    this.#add(this.#observer.takeRecords())
    const changed = this.#changed
    this.#changed = new Map()
    this.#isTouched = false
    this.#times.clear()
    this.#taken = performance.now()
    this.#keepAwake()
    return changed
  }

  /** Whether something changed since `take` that doesn't always, or may have. */
  get isTouched(): boolean {
    if (this.#observer) this.#add(this.#observer.takeRecords())
    return this.#changed === null || this.#isTouched
  }

  /** Learns from what changed since `take`: nobody did anything. */
  noteRestless(): void {
    const rested = performance.now() - this.#taken > RESTED_MS
    for (const place of this.#restless)
      if (!place.isConnected || (rested && !this.#times.has(place))) this.#restless.delete(place)
    for (const [place, times] of this.#times) if (times >= RESTLESS_TIMES) this.#restless.add(place)
  }

  isRestless(place: Node): boolean {
    return this.#restless.has(place)
  }

  /** Stops, and forgets what never rests, too. */
  release(): void {
    this.stop()
    this.#restless.clear()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#observer?.disconnect()
    this.#observer = null
    this.#changed = null
    this.#watched = new WeakSet()
    this.#times.clear()
  }

  #add(records: readonly MutationRecord[]): void {
    const places = new Set(records.map(placeOf))
    for (const place of places) {
      if (this.#times.size < MANY) this.#times.set(place, (this.#times.get(place) ?? 0) + 1)
      this.#isTouched ||= !this.#restless.has(place)
    }
    for (const { target, type } of records) {
      if (!this.#changed) return
      // An attribute may change how things look in the element and, by sibling selectors, beside it.
      if (type === 'attributes') this.#changed.set(parentOf(target) ?? target, 'all')
      else {
        const place = isElement(target) ? target : (parentOf(target) ?? target)
        if (!this.#changed.has(place)) this.#changed.set(place, 'children')
      }
      if (this.#changed.size > MANY) this.#changed = null
    }
  }

  #keepAwake(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(), IDLE_MS)
  }
}

/** The element that a record is about. */
export function placeOf({ target }: MutationRecord): Node {
  return isElement(target) ? target : (parentOf(target) ?? target)
}
