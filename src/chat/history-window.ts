import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { ChatHistory } from './context.ts'
import type { ChatRow } from './parts/rows.ts'

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
}

/** Rows that are drawn at once: they fill a screen. */
const FIRST = 16
/** How many more are drawn with each frame. */
const MORE = 10
/** So many are drawn even if nobody scrolls to them. */
const LEAST = 50
/** While the newest row is in view, those before so many are taken away again. */
const MOST = 150
/** This near to the first row that is drawn, earlier ones come. Of the log's own height. */
const AHEAD = '200%'

/**
 * Draws the newest rows of a long conversation only, and earlier ones as a person scrolls to them: a few with each frame, so
 * that none takes long.
 */
export class HistoryWindow implements ReactiveController, ChatHistory {
  readonly #host: Host
  readonly #showsNewest: () => boolean
  #rows: readonly ChatRow[] = []
  #from: string | null = null
  #log: HTMLElement | null = null
  #observer: IntersectionObserver | null = null
  #observed: Element | null = null
  #frame = 0
  /** What stays where it is as earlier rows come above it. Browsers see to that, but not at the very top. */
  #kept: { readonly element: Element; readonly top: number } | null = null

  /** @param showsNewest Whether the newest row is in view. */
  constructor(host: Host, showsNewest: () => boolean) {
    this.#host = host
    this.#showsNewest = showsNewest
    host.addController(this)
  }

  /** Begins with the newest rows again. */
  reset(): void {
    this.#from = null
  }

  /** The rows to draw: from the first one that was drawn before, so that none is taken away while it is read. */
  cut(rows: readonly ChatRow[]): readonly ChatRow[] {
    const start = this.#startIn(rows)
    this.#rows = rows
    this.#from = rows[start]?.key ?? null
    return rows.slice(start)
  }

  #startIn(rows: readonly ChatRow[]): number {
    const known = this.#from === null ? -1 : rows.findLastIndex(({ key }) => key === this.#from)
    if (known < 0) return Math.max(0, rows.length - FIRST)
    const isTooLong = rows.length - known > MOST && this.#showsNewest()
    return isTooLong ? rows.length - LEAST : known
  }

  /** Has earlier rows drawn, too. */
  extend(): void {
    const rows = this.#rows
    const at = rows.findLastIndex(({ key }) => key === this.#from)
    if (at <= 0) return
    const element = this.#log?.querySelector('.earlier')?.nextElementSibling
    this.#kept = element ? { element, top: element.getBoundingClientRect().top } : null
    // The last one is none of a row or two, as of a day alone.
    this.#from = rows[at < MORE * 1.2 ? 0 : at - MORE]?.key ?? null
    // Observed anew, the button is reported again where it is still near.
    this.#observed = null
    this.#host.requestUpdate()
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
    const button = log?.querySelector('.earlier') ?? null
    this.#observe(button)
    cancelAnimationFrame(this.#frame)
    if (button && this.#drawn < LEAST) this.#frame = requestAnimationFrame(() => this.extend())
  }

  get #drawn(): number {
    return this.#rows.length - this.#rows.findLastIndex(({ key }) => key === this.#from)
  }

  #observe(button: Element | null): void {
    if (button === this.#observed) return
    this.#observer?.disconnect()
    this.#observed = button
    if (button) this.#observer?.observe(button)
  }

  #watch(log: HTMLElement | null): void {
    this.#observer?.disconnect()
    this.#observed = null
    this.#log = log
    this.#observer =
      log && globalThis.IntersectionObserver
        ? new IntersectionObserver(pressWhenNear, { root: log, rootMargin: `${AHEAD} 0px 0px` })
        : null
  }
}

function pressWhenNear(entries: readonly IntersectionObserverEntry[]): void {
  for (const { isIntersecting, target } of entries)
    if (isIntersecting && target instanceof HTMLElement) target.click()
}
