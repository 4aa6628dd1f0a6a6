import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { ChatHistory } from './context.ts'
import type { ChatRow } from './parts/rows.ts'

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
}

/** Rows that are drawn at first, and how many more each time. */
const PAGE = 50
/** This near to the first row that is drawn, earlier ones come. Of the log's own height. */
const AHEAD = '100%'

/** Draws the newest rows of a long conversation only, and earlier ones as a person scrolls to them. */
export class HistoryWindow implements ReactiveController, ChatHistory {
  readonly #host: Host
  #from: string | null = null
  #log: HTMLElement | null = null
  #observer: IntersectionObserver | null = null
  #observed: Element | null = null
  /** What stays where it is as earlier rows come above it. Browsers see to that, but not at the very top. */
  #kept: { readonly element: Element; readonly top: number } | null = null

  constructor(host: Host) {
    this.#host = host
    host.addController(this)
  }

  /** Begins with the newest rows again. */
  reset(): void {
    this.#from = null
  }

  /** The rows to draw: from the first one that was drawn before, so that none is taken away while it is read. */
  cut(rows: readonly ChatRow[]): readonly ChatRow[] {
    const known = this.#from === null ? -1 : rows.findIndex(({ key }) => key === this.#from)
    const start = known >= 0 ? known : Math.max(0, rows.length - PAGE)
    this.#from = rows[start]?.key ?? null
    return rows.slice(start)
  }

  /** Has earlier rows drawn, too. */
  extend(rows: readonly ChatRow[]): void {
    const at = rows.findIndex(({ key }) => key === this.#from)
    if (at <= 0) return
    const element = this.#log?.querySelector('.earlier')?.nextElementSibling
    this.#kept = element ? { element, top: element.getBoundingClientRect().top } : null
    // No page of a row or two, as of a day alone.
    this.#from = rows[at < PAGE * 1.2 ? 0 : at - PAGE]?.key ?? null
    // Observed anew, the button is reported again where it is still near.
    this.#observed = null
    this.#host.requestUpdate()
  }

  hostDisconnected(): void {
    this.#watch(null)
  }

  hostUpdated(): void {
    const log = this.#host.renderRoot.querySelector<HTMLElement>('.log')
    if (log !== this.#log) this.#watch(log)
    if (log && this.#kept)
      log.scrollTop += this.#kept.element.getBoundingClientRect().top - this.#kept.top
    this.#kept = null
    this.#observe(log?.querySelector('.earlier') ?? null)
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
