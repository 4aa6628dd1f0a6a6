import { isElement, parentOf } from '../dom.ts'

/** How long nobody may ask before the observers are let go. Milliseconds. */
const IDLE_MS = 60_000
/** Beyond this many changed elements it is not worth knowing which. */
const MAX_TARGETS = 500

/** What changes so often while nobody does anything never rests. */
const VOLATILE_TIMES = 3
/** What did nothing for so long rests again. Milliseconds. */
const STABLE_MS = 2000

/** How far a change reaches: to what is directly in an element, or to all that is in it. */
export type Extent = 'children' | 'all'

export const ALL_MUTATIONS: MutationObserverInit = {
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
  #hasChanges = false
  /** How often each place changed since `take`, and when that was. */
  readonly #times = new Map<Node, number>()
  #takenAt = 0
  #volatile = new Set<Node>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Forgets everything and starts anew. */
  start(): void {
    this.stop()
    this.#changed = new Map()
    this.#takenAt = performance.now()
    this.#observer = new MutationObserver((records) => this.#add(records))
    this.#restartIdleTimer()
  }

  watch(tree: Document | ShadowRoot): void {
    if (!this.#observer || this.#watched.has(tree)) return
    this.#watched.add(tree)
    this.#observer.observe(tree, ALL_MUTATIONS)
  }

  /** What changed, once; null when that isn't known. */
  take(): ReadonlyMap<Node, Extent> | null {
    if (!this.#observer) return null
    this.#add(this.#observer.takeRecords())
    const changed = this.#changed
    this.#changed = new Map()
    this.#hasChanges = false
    this.#times.clear()
    this.#takenAt = performance.now()
    this.#restartIdleTimer()
    return changed
  }

  /** Whether something changed since `take` that doesn't always, or may have. */
  get hasChanges(): boolean {
    if (this.#observer) this.#add(this.#observer.takeRecords())
    return this.#changed === null || this.#hasChanges
  }

  /** Learns from what changed since `take`: nobody did anything. */
  noteVolatile(): void {
    const isStable = performance.now() - this.#takenAt > STABLE_MS
    for (const element of this.#volatile)
      if (!element.isConnected || (isStable && !this.#times.has(element)))
        this.#volatile.delete(element)
    for (const [element, times] of this.#times)
      if (times >= VOLATILE_TIMES) this.#volatile.add(element)
  }

  isVolatile(element: Node): boolean {
    return this.#volatile.has(element)
  }

  /** Stops, and forgets what never rests, too. */
  release(): void {
    this.stop()
    this.#volatile.clear()
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
    const elements = new Set(records.map(changedElement))
    for (const element of elements) {
      if (this.#times.size < MAX_TARGETS)
        this.#times.set(element, (this.#times.get(element) ?? 0) + 1)
      this.#hasChanges ||= !this.#volatile.has(element)
    }
    for (const { target, type } of records) {
      if (!this.#changed) return
      // An attribute may change how things look in the element and, by sibling selectors, beside it.
      if (type === 'attributes') this.#changed.set(parentOf(target) ?? target, 'all')
      else {
        const element = isElement(target) ? target : (parentOf(target) ?? target)
        if (!this.#changed.has(element)) this.#changed.set(element, 'children')
      }
      if (this.#changed.size > MAX_TARGETS) this.#changed = null
    }
  }

  #restartIdleTimer(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(), IDLE_MS)
  }
}

/** The element that a record is about. */
export function changedElement({ target }: MutationRecord): Node {
  return isElement(target) ? target : (parentOf(target) ?? target)
}
