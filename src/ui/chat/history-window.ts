import type { LitElement, ReactiveController } from 'lit'
import type { ChatHistory } from './context.ts'
import { type ChatRow, RowWindow, type ShownRows } from './parts/rows.ts'

/** Distance to the end of the drawn rows at which more are drawn. In heights of the log. */
const AHEAD = 2
/** Distance at which drawn rows are removed. In heights of the log. */
const AWAY = 3
/** Rows per drawing, adapted to the time they take: a frame has other things to do, too. */
const FEWEST = 3
const USUAL = 5
const MOST = 20
const SHORT_MS = 8
const LONG_MS = 16

/**
 * Draws only a part of a long conversation, and more as a person scrolls there. Each frame draws a few rows, so that
 * none takes long, and no more than a log can need.
 */
export class HistoryWindow implements ReactiveController, ChatHistory {
  readonly #host: LitElement
  readonly #showsNewest: () => boolean
  readonly #window = new RowWindow()
  #log: HTMLElement | null = null
  #observer: IntersectionObserver | null = null
  #observed: readonly Element[] = []
  #frame = 0
  #more = USUAL
  #changedAt: number | null = null
  /**
   * Row that keeps its position as others come and go. Scroll anchoring fails at the very top, and in some browsers.
   */
  #kept: { readonly element: Element; readonly top: number } | null = null

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
      this.#window.showEarlier(this.#more, (count) => this.#isAway(before(end, count))),
    )
  }

  showLater(): void {
    const row = this.#log?.querySelector('.later')?.previousElementSibling
    const first = this.#log?.querySelector('.earlier')?.nextElementSibling
    const begin = first ?? this.#log?.firstElementChild
    this.#change(row, () =>
      this.#window.showLater(this.#more, (count) => this.#isAway(behind(begin, count))),
    )
  }

  #change(kept: Element | null | undefined, change: () => void): void {
    this.#kept = kept ? { element: kept, top: kept.getBoundingClientRect().top } : null
    this.#changedAt = performance.now()
    change()
    // Observes a button anew, so that it is reported again if it is still near.
    this.#observed = []
    this.#host.requestUpdate()
  }

  #isAway(row: Element | null): boolean {
    if (!this.#log || !row) return false
    const log = this.#log.getBoundingClientRect()
    const { top, bottom } = row.getBoundingClientRect()
    const far = log.height * AWAY
    return top - log.bottom > far || log.top - bottom > far
  }

  hostDisconnected(): void {
    cancelAnimationFrame(this.#frame)
    this.#watch(null)
  }

  hostUpdated(): void {
    const log = this.#host.renderRoot.querySelector<HTMLElement>('.log')
    if (log !== this.#log) this.#watch(log)
    if (log && this.#kept)
      log.scrollTop += this.#kept.element.getBoundingClientRect().top - this.#kept.top
    this.#kept = null
    this.#judge()
    const buttons = [...(log?.querySelectorAll(':scope > :is(.earlier, .later)') ?? [])]
    this.#observe(buttons)
    cancelAnimationFrame(this.#frame)
    if (log && this.#window.isShort) this.#frame = requestAnimationFrame(() => this.showEarlier())
  }

  /** Adapts the number of rows for the next drawing. Layout of the last one is done by now. */
  #judge(): void {
    if (this.#changedAt === null) return
    const took = performance.now() - this.#changedAt
    this.#changedAt = null
    if (took < SHORT_MS) this.#more = Math.min(MOST, this.#more * 2)
    else if (took > LONG_MS) this.#more = Math.max(FEWEST, Math.floor(this.#more / 2))
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

function before(row: Element | null | undefined, count: number): Element | null {
  let at = row ?? null
  for (let step = 1; step < count && at; step += 1) at = at.previousElementSibling
  return at
}

function behind(row: Element | null | undefined, count: number): Element | null {
  let at = row ?? null
  for (let step = 1; step < count && at; step += 1) at = at.nextElementSibling
  return at
}

function pressWhenNear(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries)
    if (isIntersecting && target instanceof HTMLElement) target.click()
}
