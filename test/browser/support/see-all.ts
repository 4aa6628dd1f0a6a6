import type { Locator } from '@playwright/test'
import { expect } from './expect.ts'
import { pressSettled } from './press-settled.ts'

export const approveIn = (card: Locator): Locator =>
  card.getByRole('button', { name: 'Approve', exact: true })

export const shortenedIn = (card: Locator): Locator =>
  card.getByRole('button', { name: /^Show all/ })

/** Has all of the shortened texts of a card shown. */
export async function showTexts(card: Locator): Promise<void> {
  await expect(card.getByRole('term').first()).toBeVisible()
  const shortened = shortenedIn(card)
  for (let left = await shortened.count(); left > 0; left -= 1) {
    await pressSettled(shortened.first())
    await expect(shortened).toHaveCount(left - 1)
  }
}

/** All of a card comes into view, from its top to its end, until it can be approved. */
export async function seeAll(card: Locator): Promise<void> {
  const page = card.page()
  await showTexts(card)
  await card.evaluate((element) => element.scrollIntoView())
  await expect(async () => {
    await page.getByRole('log').hover({ position: { x: 20, y: 20 } })
    await page.mouse.wheel(0, 60)
    await expect(approveIn(card)).toBeEnabled({ timeout: 200 })
  }).toPass({ timeout: 60_000 })
}
