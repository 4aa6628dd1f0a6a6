import type { ReactiveController, ReactiveControllerHost } from 'lit'

/** This near to its end, a log is read there. Pixels. */
const NEAR = 48

/**
 * Keeps a log at its newest text while it is read there. Who scrolls up stays where they are, whatever comes below. A message
 * that begins while the end is followed and grows beyond the box stays with its beginning in view.
 */
export class ScrollFollow implements ReactiveController {
  readonly #host: ReactiveControllerHost & { readonly renderRoot: ParentNode }
  #isFollowing = true
  /** What is to stay in view from its beginning on. */
  #anchor: Element | null = null
  readonly #sizes: ResizeObserver | undefined = globalThis.ResizeObserver
    ? new ResizeObserver(() => this.#keep())
    : undefined
  #log: HTMLElement | null = null

  constructor(host: ReactiveControllerHost & { readonly renderRoot: ParentNode }) {
    this.#host = host
    host.addController(this)
  }

  /** The newest text is in view, or is being followed. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  hostDisconnected(): void {
    this.#sizes?.disconnect()
    this.#log = null
  }

  hostUpdated(): void {
    const log = this.#host.renderRoot.querySelector<HTMLElement>('.log')
    if (log !== this.#log) this.#watch(log)
    this.#keep()
  }

  /** Goes to the newest text, and follows it from now on. */
  toLatest(): void {
    this.#anchor = null
    this.#setFollowing(true)
    this.#keep()
  }

  #watch(log: HTMLElement | null): void {
    this.#sizes?.disconnect()
    this.#log = log
    if (!log) return
    this.#sizes?.observe(log)
    log.addEventListener('scroll', () => this.#scrolled(log), { passive: true })
    this.#isFollowing = true
  }

  #scrolled(log: HTMLElement): void {
    const left = log.scrollHeight - log.clientHeight - log.scrollTop
    if (this.#anchor && left > NEAR) return
    this.#setFollowing(left <= NEAR)
  }

  #setFollowing(isFollowing: boolean): void {
    if (this.#isFollowing === isFollowing) return
    this.#isFollowing = isFollowing
    this.#host.requestUpdate()
  }

  #keep(): void {
    const log = this.#log
    if (!log || !this.#isFollowing) return
    const last = log.querySelector('.message:last-of-type')
    const isTooLong = last && last.scrollHeight > log.clientHeight
    this.#anchor = isTooLong ? last : null
    log.scrollTop = isTooLong
      ? log.scrollTop + last.getBoundingClientRect().top - log.getBoundingClientRect().top - 8
      : log.scrollHeight
  }
}
