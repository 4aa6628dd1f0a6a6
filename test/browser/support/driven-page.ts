import type { Page } from '@playwright/test'

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
  close(): Promise<void>
}

/** Playwright's own page. */
export function drivenByPlaywright(page: Page): DrivenPage {
  // Playwright's type for the argument is too deep for the compiler.
  const evaluate = page.evaluate.bind(page) as DrivenPage['evaluate']
  return {
    goto: async (url) => void (await page.goto(url)),
    evaluate,
    close: () => page.close(),
  }
}
