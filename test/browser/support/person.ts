import type { DrivenKey, DrivenPage } from './driven-page.ts'

// How a person uses what is on a page: they see it, press it, or go to it and press a key.

/**
 * Presses the middle of an element. CSS selectors: each after the first is looked for in the frame or the open
 * shadow root that the one before it found.
 */
export async function pressOn(page: DrivenPage, ...path: readonly string[]): Promise<void> {
  const { x, y } = await page.evaluate(middleOf, path)
  await page.person.click(x, y)
}

export function focusOn(page: DrivenPage, selector: string): Promise<void> {
  return page.evaluate((css) => document.querySelector<HTMLElement>(css)!.focus(), selector)
}

/** The keys go down in turn, and come up. */
export async function pressKeys(page: DrivenPage, ...keys: readonly DrivenKey[]): Promise<void> {
  for (const key of keys) await page.person.keyDown(key)
  for (const key of keys.toReversed()) await page.person.keyUp(key)
}

/** In pixels of the outermost viewport. Runs on the page; waits until the element can be seen. */
async function middleOf(path: readonly string[]): Promise<{ x: number; y: number }> {
  for (;;) {
    const found = find()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }

  function find(): { x: number; y: number } | undefined {
    let root: Document | ShadowRoot | null | undefined = document
    let [x, y] = [0, 0]
    for (const [at, css] of path.entries()) {
      const element: Element | null | undefined = root?.querySelector(css)
      if (!element) return undefined
      element.scrollIntoView({ block: 'nearest' })
      const box = element.getBoundingClientRect()
      if (box.width === 0) return undefined
      if (at === path.length - 1)
        return { x: round(x, box.x, box.width / 2), y: round(y, box.y, box.height / 2) }
      if (element.localName === 'iframe') {
        x += box.x + element.clientLeft
        y += box.y + element.clientTop
        root = (element as HTMLIFrameElement).contentDocument
      } else root = element.shadowRoot
    }
    return undefined
  }

  function round(...lengths: readonly number[]): number {
    return Math.round(lengths.reduce((sum, length) => sum + length, 0))
  }
}
