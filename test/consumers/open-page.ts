import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium, type BrowserContext, type LaunchOptions, type Page } from '@playwright/test'
import type { Setup } from './setups.ts'

interface Opened {
  readonly page: Page
  readonly url: string
  close(): Promise<void>
}

/** A name that isn't this machine's own: a page of it over plain HTTP is no secure context. */
const LAN_NAME = 'shop.lan'

/** The browser can't do what a set-up needs, whatever the package does. */
export class BrowserLacks extends Error {}

/**
 * The page that opens a set-up, in a browser of its own where the set-up needs one. Rejects with
 * `BrowserLacks` where there is none.
 */
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
      // Instead of `--load-extension`, which Chrome has not had since 137.
      const opened = await openProfile(launchOptions, ['--enable-unsafe-extension-debugging'])
      try {
        const id = await loadExtension(opened.page.context(), folder)
        return { ...opened, url: `chrome-extension://${id}/page.html` }
      } catch (error) {
        await opened.close()
        throw error
      }
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

/** Resolves to the id that the browser gives the extension of this folder. */
async function loadExtension(context: BrowserContext, folder: string): Promise<string> {
  const session = await context.browser()?.newBrowserCDPSession()
  if (!session) throw new BrowserLacks('The browser of a profile is not reached.')
  try {
    const { id } = await session.send('Extensions.loadUnpacked', { path: folder })
    return id
  } catch (error) {
    const isMissing = /wasn't found|not available/i.test(String(error))
    throw isMissing ? new BrowserLacks('This browser loads no unpacked extensions.') : error
  }
}
