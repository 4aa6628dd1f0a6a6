import type { LitElement, ReactiveController } from 'lit'

const NO_LIST = { scrollTop: 0, clientHeight: 0, scrollHeight: 0 }

/** Height of a row. Pixels. */
export const ROW_HEIGHT = 28

/** The list being drawn. */
interface List {
  /** Name of the table: another name is another list. */
  readonly name: string
  readonly count: number
  /** -1 if none. */
  readonly selected: number
}

/**
 * Decides which rows of a list are drawn: those in view, and some around them. A list scrolled to its end stays
 * there.
 */
export class ListWindow implements ReactiveController {
  readonly #host: LitElement
  #list: HTMLElement | null = null
  #observer: ResizeObserver | null = null
  #top = 0
  #height = 600
  #count = 0
  #name: string | null = null
  #isAtEnd = false
  #revealIndex: number | null = null

  constructor(host: LitElement) {
    this.#host = host
    host.addController(this)
  }

  rows({ name, count, selected }: List): RowRange {
    if (name !== this.#name) this.#revealIndex = Math.max(0, selected)
    this.#name = name
    this.#count = count
    return rowWindow(count, { top: this.#top, height: this.#height, row: ROW_HEIGHT })
  }

  /** Number of rows that fit into the view. */
  get page(): number {
    return Math.max(1, Math.floor(this.#height / ROW_HEIGHT) - 1)
  }

  /** Scrolls a row into view, once it is drawn. */
  reveal(index: number): void {
    this.#revealIndex = index
    this.#host.requestUpdate()
  }

  scrolled(): void {
    this.#readPosition()
    this.#host.requestUpdate()
  }

  hostDisconnected(): void {
    this.#watch(null)
  }

  hostUpdated(): void {
    const list = this.#host.renderRoot.querySelector<HTMLElement>('.rows')
    if (list !== this.#list) this.#watch(list)
    const index = this.#revealIndex ?? (this.#isAtEnd ? this.#count - 1 : null)
    this.#revealIndex = null
    if (list && index !== null) this.#scrollTo(list, index)
  }

  #scrollTo(list: HTMLElement, index: number): void {
    const top = index * ROW_HEIGHT
    // The head of the table covers a row's height.
    const height = list.clientHeight - ROW_HEIGHT
    if (top < list.scrollTop) list.scrollTop = top
    else if (top + ROW_HEIGHT > list.scrollTop + height) list.scrollTop = top + ROW_HEIGHT - height
    const before = this.#top
    this.#readPosition()
    if (this.#top !== before) this.#host.requestUpdate()
  }

  #readPosition(): void {
    const { scrollTop, clientHeight, scrollHeight } = this.#list ?? NO_LIST
    this.#top = scrollTop
    this.#isAtEnd = scrollTop + clientHeight > scrollHeight - ROW_HEIGHT
  }

  #watch(list: HTMLElement | null): void {
    this.#observer?.disconnect()
    this.#list = list
    if (!list) this.#name = null
    this.#readPosition()
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

/** Extra rows to draw above and below those in view. */
const MARGIN = 8

export interface RowRange {
  readonly from: number
  /** Index after the last drawn row. */
  readonly to: number
}

/** Returns which of `count` rows to draw. All rows have the same height. */
export function rowWindow(
  count: number,
  view: { readonly top: number; readonly height: number; readonly row: number },
): RowRange {
  const inView = Math.ceil(view.height / view.row)
  const first = Math.min(Math.floor(view.top / view.row), Math.max(0, count - inView))
  return {
    from: Math.max(0, first - MARGIN),
    to: Math.min(count, first + inView + MARGIN + 1),
  }
}
