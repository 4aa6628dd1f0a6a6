import { expect, type FrameLocator, type Page } from '@playwright/test'
import type { Setup } from './setups.ts'

export interface Observed {
  readonly worker: 'file' | 'inline'
  readonly storage: string
  readonly console: readonly string[]
  readonly warnings: string
}

/**
 * Opens the app and lets its run begin; reloads while it waits for a person, approves, and reloads once
 * more: what was said is read back from the store. Where nothing outlives the page, nothing is reloaded.
 */
export async function useShop(page: Page, url: string, setup: Setup): Promise<Observed> {
  const lines: string[] = []
  const workers: string[] = []
  page.on('worker', (worker) => workers.push(worker.url()))
  page.on('pageerror', (error) => lines.push(`uncaught: ${error.message}`))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) lines.push(message.text())
  })
  const shop: Page | FrameLocator = setup.forgets ? page.frameLocator('iframe') : page
  const approve = shop.locator('#approve', { hasText: 'Approve' })

  await page.goto(url)
  try {
    await expect(approve.or(shop.locator('#result:not(:empty)'))).toBeAttached()
  } catch (error) {
    throw new Error(['The run did not begin.', ...lines].join('\n'), { cause: error })
  }
  const facts: unknown = JSON.parse(await shop.locator('#facts').innerText())
  expect(facts).toEqual({ isSecureContext: true, crossOriginIsolated: false, ...setup.facts })
  if (!setup.forgets) {
    await expect(shop.locator('#items li')).toHaveText(['blue mug'])
    await page.reload()
  }
  await approve.click()
  await expect(shop.locator('#result')).not.toBeEmpty()
  const result = JSON.parse(await shop.locator('#result').innerText()) as unknown
  expect(result).toEqual({ outcome: 'completed', text: 'The mug is ordered.' })
  // Calls that ran before the reload did not run again.
  const ran = setup.forgets ? ['blue mug', 'order'] : ['order']
  await expect(shop.locator('#items li')).toHaveText(ran)
  const storage = await shop.locator('#storage').innerText()
  // The reason is determined in parallel to the run, which may end first.
  if (setup.worker === 'inline') await expect(shop.locator('#warnings')).not.toBeEmpty()
  const warnings = (await shop.locator('#warnings').innerText()).trim()
  if (!setup.forgets) {
    await page.reload()
    await expect(shop.locator('#stored')).toHaveText('The mug is ordered.')
  }
  expect(workers.length).toBeGreaterThan(0)
  const isInline = workers.some((address) => /^(?:blob|data):/.test(address))
  return { worker: isInline ? 'inline' : 'file', storage, console: lines, warnings }
}
