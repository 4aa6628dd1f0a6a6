import type { LitElement, ReactiveController } from 'lit'
import { GREW } from './markdown/sliced-markdown.ts'

/** A log scrolled to within this distance of its end counts as scrolled to the end. Pixels. */
const NEAR = 48

/**
 * Scrolls a log to its newest text while the person is at its end. Once the person scrolls up, the position stays. A
 * message taller than the log is scrolled to its beginning instead.
 */
export class ScrollFollow implements ReactiveController {
  readonly #host: LitElement
  readonly #sizeObserver: ResizeObserver | undefined = globalThis.ResizeObserver
    ? new ResizeObserver(() => this.#keepPosition())
    : undefined
  #log: HTMLElement | null = null
  #listeners: AbortController | null = null
  #isFollowing = true
  /** The position that this class set last, to detect scrolling by the person. */
  #keptTop = -1
  /** A message or card taller than the log, kept in view from its beginning. */
  #anchor: Element | null = null
  /** Messages whose beginning was already shown. */
  readonly #anchored = new WeakSet<Element>()

  constructor(host: LitElement) {
    this.#host = host
    host.addController(this)
  }

  /** The newest text is in view, or is being followed. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  /** True if the newest text itself is in view, not the beginning of a tall answer. */
  get showsNewest(): boolean {
    return this.#isFollowing && this.#anchor === null
  }

  hostDisconnected(): void {
    this.#watch(null)
  }

  hostUpdated(): void {
    const log = this.#host.renderRoot.querySelector<HTMLElement>('.log')
    if (log !== this.#log) this.#watch(log)
    this.#keepPosition()
  }

  /** Goes to the newest text, and follows it from now on. */
  scrollToLatest(): void {
    if (this.#anchor) this.#anchored.add(this.#anchor)
    this.#anchor = null
    this.#setFollowing(true)
    this.#keepPosition()
  }

  #watch(log: HTMLElement | null): void {
    this.#listeners?.abort()
    this.#sizeObserver?.disconnect()
    this.#log = log
    this.#anchor = null
    this.#isFollowing = true
    if (!log) return
    this.#listeners = new AbortController()
    const { signal } = this.#listeners
    this.#sizeObserver?.observe(log)
    log.addEventListener('scroll', () => this.#onScroll(log), { passive: true, signal })
    // Listens in the capture phase, because `load` events of pictures don't bubble.
    for (const type of [GREW, 'load'])
      log.addEventListener(type, () => this.#keepPosition(), { capture: true, signal })
  }

  #onScroll(log: HTMLElement): void {
    // Ignores scrolling by this class, and shifts because rows were added above.
    if (Math.abs(log.scrollTop - this.#keptTop) <= 1) return
    if (this.#anchor && Math.abs(distance(this.#anchor, log)) <= 1) return
    if (this.#anchor) this.#anchored.add(this.#anchor)
    this.#anchor = null
    const isNear = log.scrollHeight - log.clientHeight - log.scrollTop <= NEAR
    this.#setFollowing(isNear && !log.querySelector(':scope > .later'))
  }

  #setFollowing(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return
    this.#isFollowing = isFollowing
    this.#host.requestUpdate()
  }

  #keepPosition(): void {
    const log = this.#log
    if (!log || !this.#isFollowing) return
    const anchor = this.#anchorIn(log)
    if (anchor && anchor === this.#anchor) return
    this.#anchor = anchor
    log.scrollTop = anchor ? log.scrollTop + distance(anchor, log) : log.scrollHeight
    this.#keptTop = log.scrollTop
  }

  /**
   * Returns the last message or card if it is taller than the log and the person hasn't scrolled since it was anchored.
   */
  #anchorIn(log: HTMLElement): Element | null {
    let last = log.lastElementChild
    // Skips follow-ups and notices about the run's end, which belong to the answer.
    while (last?.matches('.follow-ups, .notice')) last = last.previousElementSibling
    if (!last?.matches('.reply, .call.waiting') || last.scrollHeight <= log.clientHeight)
      return null
    return this.#anchored.has(last) ? null : last
  }
}

/** Distance of a message's beginning from the top of the log, minus a margin. Pixels. */
function distance(message: Element, log: Element): number {
  return message.getBoundingClientRect().top - log.getBoundingClientRect().top - 8
}
