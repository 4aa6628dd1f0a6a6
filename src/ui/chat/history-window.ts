import type { LitElement, ReactiveController } from 'lit'
import type { ChatHistory } from './context.ts'
import { type ChatRow, RowWindow, type ShownRows } from './parts/rows.ts'

/** Distance from the view to the end of the drawn rows at which more rows are drawn. In heights of the log. */
const AHEAD = 2
/** Distance at which drawn rows are removed. In heights of the log. */
const AWAY = 3
/** Rows per drawing. The number adapts to the time that a drawing takes, which must fit into a frame. */
const FEWEST = 3
const USUAL = 5
const MOST = 20
const SHORT_MS = 8
const LONG_MS = 16

/**
 * Draws only a part of a long conversation, and more as a person scrolls to its ends. Each frame draws only a few rows,
 * so that no frame takes long.
 */
export class HistoryWindow implements ReactiveController, ChatHistory {
  readonly #host: LitElement
  readonly #showsNewest: () => boolean
  readonly #window = new RowWindow()
  #log: HTMLElement | null = null
  #observer: IntersectionObserver | null = null
  #observed: readonly Element[] = []
  #frame = 0
  #rowCount = USUAL
  #changedAt: number | null = null
  /**
   * Row that keeps its position while rows are added and removed. Scroll anchoring fails at the very top, and in some
   * browsers.
   */
  #anchor: { readonly element: Element; readonly top: number } | null = null

  /** @param showsNewest Whether the newest row is in view. */
  constructor(host: LitElement, showsNewest: () => boolean) {
    this.#host = host
    this.#showsNewest = showsNewest
    host.addController(this)
  }

  /** Starts again with the newest rows. */
  reset(): void {
    this.#window.reset()
    this.#host.requestUpdate()
  }

  cut(rows: readonly ChatRow[]): ShownRows {
    return this.#window.cut(rows, this.#showsNewest())
  }

  showEarlier(): void {
    const row = this.#log?.querySelector('.earlier')?.nextElementSibling
    const last = this.#log?.querySelector('.later')?.previousElementSibling
    const end = last ?? this.#log?.lastElementChild
    this.#change(row, () =>
      this.#window.showEarlier(this.#rowCount, (count) => this.#isAway(nthBefore(end, count))),
    )
  }

  showLater(): void {
    const row = this.#log?.querySelector('.later')?.previousElementSibling
    const first = this.#log?.querySelector('.earlier')?.nextElementSibling
    const start = first ?? this.#log?.firstElementChild
    this.#change(row, () =>
      this.#window.showLater(this.#rowCount, (count) => this.#isAway(nthAfter(start, count))),
    )
  }

  #change(row: Element | null | undefined, change: () => void): void {
    this.#anchor = row ? { element: row, top: row.getBoundingClientRect().top } : null
    this.#changedAt = performance.now()
    change()
    // Observes the buttons again, so that a button that is still near is reported again.
    this.#observed = []
    this.#host.requestUpdate()
  }

  #isAway(row: Element | null): boolean {
    if (!this.#log || !row) return false
    const log = this.#log.getBoundingClientRect()
    const { top, bottom } = row.getBoundingClientRect()
    const limit = log.height * AWAY
    return top - log.bottom > limit || log.top - bottom > limit
  }

  hostDisconnected(): void {
    cancelAnimationFrame(this.#frame)
    this.#watch(null)
  }

  hostUpdated(): void {
    const log = this.#host.renderRoot.querySelector<HTMLElement>('.log')
    if (log !== this.#log) this.#watch(log)
    if (log && this.#anchor)
      log.scrollTop += this.#anchor.element.getBoundingClientRect().top - this.#anchor.top
    this.#anchor = null
    this.#adaptRowCount()
    const buttons = [...(log?.querySelectorAll(':scope > :is(.earlier, .later)') ?? [])]
    this.#observe(buttons)
    cancelAnimationFrame(this.#frame)
    if (log && this.#window.isShort) this.#frame = requestAnimationFrame(() => this.showEarlier())
  }

  /** Adapts the number of rows for the next drawing to the time of the last one, whose layout is done by now. */
  #adaptRowCount(): void {
    if (this.#changedAt === null) return
    const tookMs = performance.now() - this.#changedAt
    this.#changedAt = null
    if (tookMs < SHORT_MS) this.#rowCount = Math.min(MOST, this.#rowCount * 2)
    else if (tookMs > LONG_MS) this.#rowCount = Math.max(FEWEST, Math.floor(this.#rowCount / 2))
  }

  #observe(buttons: readonly Element[]): void {
    const isSame =
      buttons.length === this.#observed.length &&
      buttons.every((button, at) => button === this.#observed[at])
    if (isSame) return
    this.#observer?.disconnect()
    this.#observed = buttons
    for (const button of buttons) this.#observer?.observe(button)
  }

  #watch(log: HTMLElement | null): void {
    this.#observer?.disconnect()
    this.#observed = []
    this.#log = log
    this.#observer =
      log && globalThis.IntersectionObserver
        ? new IntersectionObserver(pressWhenNear, {
            root: log,
            rootMargin: `${AHEAD * 100}% 0px`,
          })
        : null
  }
}

function nthBefore(row: Element | null | undefined, count: number): Element | null {
  let current = row ?? null
  for (let step = 1; step < count && current; step += 1) current = current.previousElementSibling
  return current
}

function nthAfter(row: Element | null | undefined, count: number): Element | null {
  let current = row ?? null
  for (let step = 1; step < count && current; step += 1) current = current.nextElementSibling
  return current
}

function pressWhenNear(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries)
    if (isIntersecting && target instanceof HTMLElement) target.click()
}
