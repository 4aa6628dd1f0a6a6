import { firefox } from '@playwright/test'
import { findFirefox } from '../../../scripts/lib/other-browsers.mjs'
import type { DrivenPage } from './webdriver.ts'

/** A page of the system's own Firefox, which Playwright drives over WebDriver BiDi. */
export async function openFirefoxPage(): Promise<DrivenPage> {
  const executablePath = findFirefox()
  if (!executablePath) throw new Error('Firefox is not installed.')
  const browser = await firefox.launch({ channel: 'moz-firefox', executablePath })
  const page = await browser.newPage()
  return {
    goto: async (url) => void (await page.goto(url)),
    evaluate: (inPage, given) => page.evaluate(inPage, given),
    close: () => browser.close(),
  }
}
