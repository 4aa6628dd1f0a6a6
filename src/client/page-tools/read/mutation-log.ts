import { isElement, parentOf } from '../dom.ts'

/** How long nobody may ask before the observers are let go. Milliseconds. */
const IDLE_MS = 60_000
/** Beyond this many changed elements it is not worth knowing which. */
const MANY = 500

const EVERYTHING: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
}

/** Which parts of watched documents and shadow roots changed since the log was last read. */
export class MutationLog {
  #observer: MutationObserver | null = null
  #watched = new WeakSet<Node>()
  #changed: Set<Node> | null = null
  #timer: ReturnType<typeof setTimeout> | undefined

  /** Forgets everything and starts anew. */
  start(): void {
    this.stop()
    this.#changed = new Set()
    this.#observer = new MutationObserver((records) => this.#add(records))
    this.#keepAwake()
  }

  watch(tree: Document | ShadowRoot): void {
    if (!this.#observer || this.#watched.has(tree)) return
    this.#watched.add(tree)
    this.#observer.observe(tree, EVERYTHING)
  }

  /** What changed, once; null when that isn't known. */
  take(): ReadonlySet<Node> | null {
    if (!this.#observer) return null
    this.#add(this.#observer.takeRecords())
    const changed = this.#changed
    this.#changed = new Set()
    this.#keepAwake()
    return changed
  }

  /** Whether something changed since `take`, or may have. */
  get isTouched(): boolean {
    if (this.#observer) this.#add(this.#observer.takeRecords())
    return this.#changed === null || this.#changed.size > 0
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#observer?.disconnect()
    this.#observer = null
    this.#changed = null
    this.#watched = new WeakSet()
  }

  #add(records: readonly MutationRecord[]): void {
    for (const { target, type } of records) {
      if (!this.#changed) return
      // An attribute may change what stands beside the element, by sibling selectors.
      const place = type === 'attributes' ? (parentOf(target) ?? target) : target
      this.#changed.add(isElement(place) ? place : (parentOf(place) ?? place))
      if (this.#changed.size > MANY) this.#changed = null
    }
  }

  #keepAwake(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.stop(), IDLE_MS)
  }
}
