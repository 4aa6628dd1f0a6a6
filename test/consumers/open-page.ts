import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type LaunchOptions, type Page } from '@playwright/test'
import type { Setup } from './setups.ts'

interface Opened {
  readonly page: Page
  readonly url: string
  close(): Promise<void>
}

/** A name that isn't this machine's own: a page of it over plain HTTP is no secure context. */
const LAN_NAME = 'shop.lan'

/** The page that opens a set-up, in a browser of its own where the set-up needs one. */
export async function openPage(
  { browser }: Setup,
  url: string,
  { page, launchOptions }: { readonly page: Page; readonly launchOptions: LaunchOptions },
): Promise<Opened> {
  if (!browser) return { page, url, close: () => Promise.resolve() }
  switch (browser) {
    case 'lan': {
      const rule = `--host-resolver-rules=MAP ${LAN_NAME} 127.0.0.1`
      const opened = await openProfile(launchOptions, [rule])
      return { ...opened, url: url.replace('127.0.0.1', LAN_NAME) }
    }
    case 'extension': {
      const folder = fileURLToPath(new URL('.', url))
      const opened = await openProfile(launchOptions, [
        `--disable-extensions-except=${folder}`,
        `--load-extension=${folder}`,
      ])
      return { ...opened, url: `chrome-extension://${extensionId(folder)}/page.html` }
    }
  }
}

async function openProfile(
  launchOptions: LaunchOptions,
  args: readonly string[],
): Promise<Omit<Opened, 'url'>> {
  const profile = await mkdtemp(path.join(os.tmpdir(), 'offstage-profile-'))
  const context = await chromium.launchPersistentContext(profile, {
    ...launchOptions,
    args: [...(launchOptions.args ?? []), ...args],
    ignoreDefaultArgs: ['--disable-extensions'],
  })
  return {
    page: await context.newPage(),
    async close() {
      await context.close()
      await rm(profile, { recursive: true, force: true, maxRetries: 3 })
    },
  }
}

/** Chromium's id of an unpacked extension: the hash of its path, with the letters a to p. */
function extensionId(folder: string): string {
  const hash = createHash('sha256').update(path.resolve(folder)).digest('hex').slice(0, 32)
  return hash.replaceAll(/./g, (digit) => String.fromCodePoint(97 + Number.parseInt(digit, 16)))
}
