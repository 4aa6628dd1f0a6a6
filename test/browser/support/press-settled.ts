import type { Locator } from '@playwright/test'
import { expect } from './expect.ts'

/**
 * Presses what may stand on a card that waits for a person: a card that has just moved takes no press. The driver scrolls to a
 * button, and presses it before the page is told of the scrolling, as no person can. So it is scrolled to first, and
 * pressed once it takes presses.
 */
export async function pressSettled(button: Locator): Promise<void> {
  await button.scrollIntoViewIfNeeded()
  await button.evaluate(
    () =>
      new Promise<void>((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(() => resolve()))
      }),
  )
  await expect
    .poll(() =>
      button.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect()
        const root = element.getRootNode() as Document | ShadowRoot
        return element.contains(root.elementFromPoint(left + width / 2, top + height / 2))
      }),
    )
    .toBe(true)
  await button.click()
}
