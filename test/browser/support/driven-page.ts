import type { Browser, Page } from '@playwright/test'

/** `KeyboardEvent.key`. */
export type DrivenKey = 'Enter' | ' ' | 'Alt' | 'k'

/** Actions of a user. Their events are trusted. */
export interface DrivenPerson {
  /** Clicks with the main button. Coordinates are pixels of the viewport. */
  click(x: number, y: number): Promise<void>
  /** Presses a key. Pressing it again without `keyUp` counts as holding it, except in WebKit's driver. */
  keyDown(key: DrivenKey): Promise<void>
  keyUp(key: DrivenKey): Promise<void>
  /** Presses an element's access key, with the browser's own modifiers. */
  accessKey(key: 'k'): Promise<void>
}

/** A page of any browser, as far as tests need it, whatever drives the browser. */
export interface DrivenPage {
  goto(url: string): Promise<void>
  /**
   * Calls the function in the page with plain data; resolves to what it resolves to, as plain data. It
   * is sent as text: nothing around it exists there.
   */
  evaluate<Result, Given = undefined>(
    inPage: (given: Given) => Result | Promise<Result>,
    given?: Given,
  ): Promise<Result>
  /** Another tab of the same browser, with the same storage. */
  openTab(): Promise<DrivenPage>
  readonly person: DrivenPerson
  /** Accepts native dialogs from now on. WebKit's driver always does. */
  acceptDialogs(): void
  /** Uncaught errors of the page since it was opened. */
  errors(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface DrivenBrowser {
  /** A page of its own, with nothing stored. */
  newPage(): Promise<DrivenPage>
  close(): Promise<void>
}

/**
 * A browser whose pages are used again: a new context costs more than most tests of one page do. Before the next test
 * gets it, a page has left its document, and what its origins stored is cleared. A page that opened tabs is closed, and
 * so is each one of browsers without a devtools session, which can't clear what is stored.
 */
export function drivenByPlaywright(browser: Browser): DrivenBrowser {
  const clean: Page[] = []
  return {
    async newPage() {
      const page = clean.pop() ?? (await (await browser.newContext()).newPage())
      const origins = new Set<string>()
      page.on('framenavigated', (frame) => origins.add(new URL(frame.url()).origin))
      const close = async (): Promise<void> => {
        page.removeAllListeners()
        if (await canClean(page, origins)) clean.push(page)
        else await page.context().close()
      }
      return { ...drivenPage(page), close }
    },
    close: () => browser.close(),
  }
}

async function canClean(page: Page, origins: Iterable<string>): Promise<boolean> {
  const context = page.context()
  if (context.browser()?.browserType().name() !== 'chromium' || context.pages().length > 1)
    return false
  try {
    // Neither is cleared by the devtools session.
    await page.evaluate(() => {
      sessionStorage.clear()
      window.name = ''
    })
    await page.goto('about:blank')
    await page.mouse.move(-1, -1)
    const devTools = await context.newCDPSession(page)
    for (const origin of origins)
      if (origin !== 'null')
        await devTools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
    await devTools.detach()
    return true
  } catch {
    // A page that crashed, or that a dialog holds.
    return false
  }
}

async function pressAccessKey(page: Page, key: string): Promise<void> {
  const context = page.context()
  if (context.browser()?.browserType().name() !== 'chromium')
    return page.keyboard.press(`Alt+Shift+${key}`)
  // Chromium finds the element by the key's text, which Playwright leaves out beside Alt.
  const devTools = await context.newCDPSession(page)
  const letter = key.toUpperCase()
  const event = {
    modifiers: 1,
    key,
    code: `Key${letter}`,
    windowsVirtualKeyCode: letter.charCodeAt(0),
    unmodifiedText: key,
  }
  await devTools.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event })
  await devTools.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event })
  await devTools.detach()
}

export function drivenPage(page: Page): DrivenPage {
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  return {
    goto: async (url) => void (await page.goto(url)),
    // Playwright's type for the argument is too deep for the compiler.
    evaluate: page.evaluate.bind(page) as DrivenPage['evaluate'],
    acceptDialogs: () => void page.on('dialog', (dialog) => void dialog.accept()),
    openTab: async () => drivenPage(await page.context().newPage()),
    person: {
      click: (x, y) => page.mouse.click(x, y),
      keyDown: (key) => page.keyboard.down(key),
      keyUp: (key) => page.keyboard.up(key),
      accessKey: (key) => pressAccessKey(page, key),
    },
    errors: () => Promise.resolve(errors),
    close: () => page.close(),
  }
}
