import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import type * as axe from 'axe-core'
import { expect } from './expect.ts'

declare global {
  interface Window {
    axe: typeof axe
  }
}

const script = await readFile(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The rules that an element breaks, each with the first place. The page around it is the test's own. */
export async function findings(page: Page, element: string): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(script)
  return page.evaluate(
    async ({ element, tags }) => {
      const { violations } = await window.axe.run(element, {
        runOnly: { type: 'tag', values: tags },
        resultTypes: ['violations'],
      })
      return violations.map(
        ({ id, nodes }) => `${id}: ${String(nodes[0]?.target)} ${nodes[0]?.failureSummary ?? ''}`,
      )
    },
    { element, tags: TAGS },
  )
}

/** That axe-core finds nothing in the chat as it stands: light, dark, and, where that can be emulated, in forced colours. */
export async function checkChat(page: Page): Promise<void> {
  const chat = page.locator('offstage-chat')
  for (const theme of ['light', 'dark']) {
    await chat.evaluate((element, value) => element.setAttribute('theme', value), theme)
    expect(await findings(page, 'offstage-chat'), theme).toEqual([])
  }
  if (page.context().browser()?.browserType().name() !== 'chromium') return
  // Of a text's colour, axe reads `-webkit-text-fill-color`, which Chromium doesn't say as it is forced: that of the dark
  // theme would be judged on the ground that is forced.
  await chat.evaluate((element) => element.setAttribute('theme', 'light'))
  await page.emulateMedia({ forcedColors: 'active' })
  expect(await findings(page, 'offstage-chat'), 'forced colours').toEqual([])
  await page.emulateMedia({ forcedColors: 'none' })
}
