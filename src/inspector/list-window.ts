import type { ReactiveController, ReactiveControllerHost } from 'lit'
import { rowWindow, type RowWindow } from './parts/row-window.ts'

interface Host extends ReactiveControllerHost {
  readonly renderRoot: HTMLElement | DocumentFragment
}

/** How high a row is drawn. Pixels. */
export const ROW_HEIGHT = 28

/** Which rows of the list on view are drawn: those that are in view, and some around them. */
export class ListWindow implements ReactiveController {
  readonly #host: Host
  #list: HTMLElement | null = null
  #observer: ResizeObserver | null = null
  #top = 0
  #height = 600
  #reveals: number | null = null

  constructor(host: Host) {
    this.#host = host
    host.addController(this)
  }

  rows(count: number): RowWindow {
    return rowWindow(count, { top: this.#top, height: this.#height, row: ROW_HEIGHT })
  }

  /** How many rows fit into the view. */
  get page(): number {
    return Math.max(1, Math.floor(this.#height / ROW_HEIGHT) - 1)
  }

  /** Has a row in view, once it is drawn. */
  reveal(index: number): void {
    this.#reveals = index
    this.#host.requestUpdate()
  }

  scrolled(): void {
    this.#top = this.#list?.scrollTop ?? 0
    this.#host.requestUpdate()
  }

  hostDisconnected(): void {
    this.#watch(null)
  }

  hostUpdated(): void {
    const list = this.#host.renderRoot.querySelector<HTMLElement>('.rows')
    if (list !== this.#list) this.#watch(list)
    const index = this.#reveals
    this.#reveals = null
    if (list && index !== null) this.#scrollTo(list, index)
  }

  #scrollTo(list: HTMLElement, index: number): void {
    const top = index * ROW_HEIGHT
    // The head of the table covers a row's height.
    const height = list.clientHeight - ROW_HEIGHT
    if (top < list.scrollTop) list.scrollTop = top
    else if (top + ROW_HEIGHT > list.scrollTop + height) list.scrollTop = top + ROW_HEIGHT - height
    if (list.scrollTop !== this.#top) this.scrolled()
  }

  #watch(list: HTMLElement | null): void {
    this.#observer?.disconnect()
    this.#list = list
    this.#top = list?.scrollTop ?? 0
    this.#observer = null
    if (!list || !globalThis.ResizeObserver) return
    this.#observer = new ResizeObserver(() => {
      if (list.clientHeight === this.#height) return
      this.#height = list.clientHeight
      this.#host.requestUpdate()
    })
    this.#observer.observe(list)
  }
}
