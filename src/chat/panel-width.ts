import type { Remembered } from './remembered.ts'

/** The narrowest that is of use, and what is left of the page at least. Pixels. */
const LEAST = 260
const REST = 120
const STEP = 24

/** How wide a panel is, as a person has made it. Outlives the page. */
export class PanelWidth {
  readonly #element: HTMLElement
  readonly #memory: () => Remembered

  constructor(element: HTMLElement, memory: () => Remembered) {
    this.#element = element
    this.#memory = memory
  }

  /** Makes the panel as wide as it was. */
  restore(): void {
    const width = Number(this.#memory().read('width'))
    if (width > 0) this.#apply(width)
  }

  /** Of the page's width. Percent. */
  share(): number {
    return Math.round((100 * this.#width()) / Math.max(1, innerWidth))
  }

  /** Of its edge: drags it. */
  drag(event: PointerEvent): void {
    const edge = event.currentTarget
    if (!(edge instanceof HTMLElement) || event.button !== 0) return
    event.preventDefault()
    edge.setPointerCapture(event.pointerId)
    const { clientX } = event
    const width = this.#width()
    const toStart = this.#growsToStart()
    const move = (moved: PointerEvent): void =>
      this.#set(width + (toStart ? clientX - moved.clientX : moved.clientX - clientX))
    edge.addEventListener('pointermove', move)
    edge.addEventListener(
      'lostpointercapture',
      () => edge.removeEventListener('pointermove', move),
      { once: true },
    )
  }

  /** Of its edge: the arrow keys move it. */
  press(event: KeyboardEvent): void {
    const { key } = event
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    event.preventDefault()
    const isWider = (key === 'ArrowLeft') === this.#growsToStart()
    this.#set(this.#width() + (isWider ? STEP : -STEP))
  }

  /** Its edge is on the left, unless the page is read from right to left. */
  #growsToStart(): boolean {
    return getComputedStyle(this.#element).direction !== 'rtl'
  }

  #width(): number {
    return this.#element.getBoundingClientRect().width
  }

  #set(width: number): void {
    this.#memory().write('width', String(Math.round(this.#apply(width))))
  }

  #apply(width: number): number {
    const bounded = Math.max(LEAST, Math.min(width, innerWidth - REST))
    this.#element.style.setProperty('--offstage-width', `${bounded}px`)
    return bounded
  }
}
