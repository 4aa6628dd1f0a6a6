import type { Locator } from '@playwright/test'
import { expect } from './expect.ts'

/** A little more than the chat's own half second. */
const STILL_MS = 600

/**
 * Presses what may stand on a card that waits for a person: a card that has just moved takes no press. The driver scrolls to a
 * button, and presses it before the page is told of the scrolling, as no person can. So it is scrolled to first, and
 * pressed once it takes presses.
 */
export async function pressSettled(button: Locator): Promise<void> {
  await settle(button)
  await button.click()
}

/** The same twice, right behind one another, as a double click is. */
export async function pressTwiceSettled(button: Locator): Promise<void> {
  await settle(button)
  const box = await button.boundingBox()
  if (!box) throw new Error('The button is not there.')
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await button.page().mouse.click(x, y)
  // The next card has taken its place, and is not pressed for that.
  await button.page().mouse.click(x, y, { delay: 50 })
}

/** Resolves once the button stands still in view, so that a press counts. */
export async function settle(button: Locator): Promise<void> {
  // Firefox's driver scrolls before each press, even to what is in view. A card that is drawn again takes its button with it.
  await expect(async () => {
    await button.scrollIntoViewIfNeeded()
    await button.evaluate(standsStill, STILL_MS)
    const before = await button.boundingBox()
    await button.scrollIntoViewIfNeeded()
    expect(await button.boundingBox()).toEqual(before)
  }).toPass()
  await expect
    .poll(() =>
      button.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect()
        const root = element.getRootNode() as Document | ShadowRoot
        return element.contains(root.elementFromPoint(left + width / 2, top + height / 2))
      }),
    )
    .toBe(true)
}

/** Resolves once an element has stood where it stands for a while. */
export function standsStill(element: Element, forMs: number): Promise<void> {
  return new Promise((resolve) => {
    let last = ''
    let since = performance.now()
    const look = (): void => {
      const { left, top } = element.getBoundingClientRect()
      const now = performance.now()
      if (`${left} ${top}` !== last) since = now
      last = `${left} ${top}`
      if (now - since > forMs) resolve()
      else requestAnimationFrame(look)
    }
    look()
  })
}
