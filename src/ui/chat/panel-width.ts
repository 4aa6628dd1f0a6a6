import type { PersistentStorage } from './persistent-storage.ts'

/** Minimum width of the panel, and of the page beside it. Pixels. */
const MIN_WIDTH = 260
const MIN_PAGE_WIDTH = 120
const STEP = 24

/** The width of a panel, as a person has set it. Outlives the page. */
export class PanelWidth {
  readonly #element: HTMLElement
  readonly #storage: () => PersistentStorage

  constructor(element: HTMLElement, storage: () => PersistentStorage) {
    this.#element = element
    this.#storage = storage
  }

  /** Restores the width from storage. */
  restore(): void {
    const width = Number(this.#storage().getItem('width'))
    if (width > 0) this.#apply(width)
  }

  /** Width as a percentage of the page's width. */
  share(): number {
    return Math.round((100 * this.#width()) / Math.max(1, innerWidth))
  }

  /** Lets a pointer drag the panel's edge. */
  drag(event: PointerEvent): void {
    const edge = event.currentTarget as HTMLElement
    if (event.button !== 0) return
    event.preventDefault()
    edge.setPointerCapture(event.pointerId)
    const { clientX } = event
    const width = this.#width()
    const toStart = this.#growsToStart()
    const move = (moveEvent: PointerEvent): void =>
      this.#set(edge, width + (toStart ? clientX - moveEvent.clientX : moveEvent.clientX - clientX))
    edge.addEventListener('pointermove', move)
    edge.addEventListener(
      'lostpointercapture',
      () => edge.removeEventListener('pointermove', move),
      { once: true },
    )
  }

  /** Lets the arrow keys move the panel's edge. */
  press(event: KeyboardEvent): void {
    const { key } = event
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    event.preventDefault()
    const isWider = (key === 'ArrowLeft') === this.#growsToStart()
    this.#set(event.currentTarget as HTMLElement, this.#width() + (isWider ? STEP : -STEP))
  }

  /** The panel's edge is on the left, unless the page reads from right to left. */
  #growsToStart(): boolean {
    return getComputedStyle(this.#element).direction !== 'rtl'
  }

  #width(): number {
    return this.#element.getBoundingClientRect().width
  }

  #set(edge: HTMLElement, width: number): void {
    this.#storage().setItem('width', String(Math.round(this.#apply(width))))
    edge.ariaValueNow = `${this.share()}`
  }

  #apply(width: number): number {
    const bounded = Math.max(MIN_WIDTH, Math.min(width, innerWidth - MIN_PAGE_WIDTH))
    this.#element.style.setProperty('--offstage-width', `${bounded}px`)
    return bounded
  }
}
