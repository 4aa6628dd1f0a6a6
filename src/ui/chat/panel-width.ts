import type { PersistentStorage } from './persistent-storage.ts'

/** Minimum width of the panel, and of the page beside it. Pixels. */
const LEAST = 260
const REST = 120
const STEP = 24

/** The width of a panel, as a person has set it. Outlives the page. */
export class PanelWidth {
  readonly #element: HTMLElement
  readonly #memory: () => PersistentStorage

  constructor(element: HTMLElement, memory: () => PersistentStorage) {
    this.#element = element
    this.#memory = memory
  }

  /** Restores the width from storage. */
  restore(): void {
    const width = Number(this.#memory().getItem('width'))
    if (width > 0) this.#apply(width)
  }

  /** Share of the page's width. Percent. */
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
    const move = (moved: PointerEvent): void =>
      this.#set(edge, width + (toStart ? clientX - moved.clientX : moved.clientX - clientX))
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
    this.#memory().setItem('width', String(Math.round(this.#apply(width))))
    edge.ariaValueNow = `${this.share()}`
  }

  #apply(width: number): number {
    const bounded = Math.max(LEAST, Math.min(width, innerWidth - REST))
    this.#element.style.setProperty('--offstage-width', `${bounded}px`)
    return bounded
  }
}
