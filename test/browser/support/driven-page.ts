import type { Browser } from '@playwright/test'

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
  /** What nobody caught on the page since it was opened. */
  errors(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface DrivenBrowser {
  /** A page of its own, with nothing stored. */
  newPage(): Promise<DrivenPage>
  close(): Promise<void>
}

export function drivenByPlaywright(browser: Browser): DrivenBrowser {
  return {
    async newPage() {
      const page = await browser.newPage()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(error.message))
      return {
        goto: async (url) => void (await page.goto(url)),
        // Playwright's type for the argument is too deep for the compiler.
        evaluate: page.evaluate.bind(page) as DrivenPage['evaluate'],
        errors: () => Promise.resolve(errors),
        close: () => page.close(),
      }
    },
    close: () => browser.close(),
  }
}
