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
const ALL_RULES: axe.RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
}
/** The rules whose outcome a theme can change: the others read the document, which stays the same. */
const COLOUR_RULES: axe.RunOnly = {
  type: 'rule',
  values: ['color-contrast', 'link-in-text-block'],
}

/** The rules that an element breaks, each with the first place. The page around it is the test's own. */
export async function findings(
  page: Page,
  element: string,
  rules: axe.RunOnly = ALL_RULES,
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(script)
  return page.evaluate(
    async ({ element, runOnly }) => {
      const { violations } = await window.axe.run(element, {
        runOnly,
        resultTypes: ['violations'],
      })
      return violations.map(
        ({ id, nodes }) => `${id}: ${String(nodes[0]?.target)} ${nodes[0]?.failureSummary ?? ''}`,
      )
    },
    { element, runOnly: rules },
  )
}

/**
 * Checks with axe-core that the chat has no accessibility problems: in light and dark and, in Chromium, with forced
 * colours.
 */
export async function checkChat(page: Page): Promise<void> {
  const chat = page.locator('offstage-chat')
  await chat.evaluate((element) => element.setAttribute('theme', 'light'))
  expect(await findings(page, 'offstage-chat'), 'light').toEqual([])
  await chat.evaluate((element) => element.setAttribute('theme', 'dark'))
  expect(await findings(page, 'offstage-chat', COLOUR_RULES), 'dark').toEqual([])
  if (page.context().browser()?.browserType().name() !== 'chromium') return
  // Chromium reports `-webkit-text-fill-color`, which axe reads, without forcing it. The dark theme's colour would be
  // checked against the forced background, so the light theme is set.
  await chat.evaluate((element) => element.setAttribute('theme', 'light'))
  await page.emulateMedia({ forcedColors: 'active' })
  expect(await findings(page, 'offstage-chat', COLOUR_RULES), 'forced colours').toEqual([])
  await page.emulateMedia({ forcedColors: 'none' })
}
