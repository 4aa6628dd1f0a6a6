import { isElement, parentOf } from '../dom.ts'
import * as native from '../native.ts'

/** After this time without a call the observers are disconnected. Milliseconds. */
const IDLE_MS = 60_000
/** Beyond this many changed elements the log only knows that there were changes. */
const MAX_TARGETS = 500

/** An element that changes this often while no action runs is volatile. */
const VOLATILE_TIMES = 2
/** A volatile element without changes for this long no longer is. Milliseconds. */
const STABLE_MS = 2000

/** Whether a change concerns an element's own children only, or its whole subtree. */
export type Extent = 'children' | 'all'

export const ALL_MUTATIONS: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
}

/** The nodes of watched documents and shadow roots that changed since the log was last read. */
export class MutationLog {
  #observer: MutationObserver | null = null
  #watched = new WeakSet<Node>()
  #changed: Map<Node, Extent> | null = null
  #hasChanges = false
  /** How often each element changed since `take`, and when that was called. */
  readonly #times = new Map<Node, number>()
  #takenAt = 0
  #volatile = new Set<Node>()
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Clears the log and starts to observe. */
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

  /** Returns what changed and clears it; null when that isn't known. */
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

  /** Whether an element that isn't volatile changed since `take`, or may have. */
  get hasChanges(): boolean {
    if (this.#observer) this.#add(this.#observer.takeRecords())
    return this.#changed === null || this.#hasChanges
  }

  /** Marks what changed often since `take` as volatile. To be called when no action ran in between. */
  noteVolatile(): void {
    const isStable = performance.now() - this.#takenAt > STABLE_MS
    for (const element of this.#volatile)
      if (!native.isConnected(element) || (isStable && !this.#times.has(element)))
        this.#volatile.delete(element)
    for (const [element, times] of this.#times)
      if (times >= VOLATILE_TIMES) this.#volatile.add(element)
  }

  get volatile(): ReadonlySet<Node> {
    return this.#volatile
  }

  /** When `take` was last called. */
  get takenAt(): number {
    return this.#takenAt
  }

  isVolatile(element: Node): boolean {
    return this.#volatile.has(element)
  }

  /** Stops, and clears the volatile elements, too. */
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
      // An attribute may change the style of the element's subtree and, by sibling selectors, of its
      // siblings.
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

/** The element that a record is about: the parent of a text. */
export function changedElement({ target }: MutationRecord): Node {
  return isElement(target) ? target : (parentOf(target) ?? target)
}
