import type { ReactiveController } from 'lit'

/**
 * Tells the styles how much of the screen is visible. An on-screen keyboard covers the lower part of a fixed element,
 * in browsers that don't shrink the page.
 */
export class VisibleScreen implements ReactiveController {
  readonly #host: HTMLElement
  #listening: AbortController | null = null

  constructor(host: HTMLElement) {
    this.#host = host
  }

  hostConnected(): void {
    const { visualViewport: viewport } = globalThis
    if (!viewport) return
    this.#listening = new AbortController()
    const { signal } = this.#listening
    const measure = (): void => this.#tell(viewport)
    for (const type of ['resize', 'scroll']) viewport.addEventListener(type, measure, { signal })
    measure()
  }

  hostDisconnected(): void {
    this.#listening?.abort()
  }

  #tell({ height, offsetTop, scale }: VisualViewport): void {
    // A person who pinch-zooms wants to see a part, so the size is left alone.
    const isPlain = Math.abs(scale - 1) < 0.01
    const { style } = this.#host
    style.setProperty('--_screen-height', isPlain ? `${height}px` : '')
    style.setProperty('--_screen-top', isPlain ? `${offsetTop}px` : '')
  }
}
