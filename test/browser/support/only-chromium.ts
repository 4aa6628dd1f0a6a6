import { test } from '@playwright/test'

/** Skips a test that needs a DevTools session: to crash a browser, limit its quota or clear its data. */
export function needsDevTools(browserName: string): void {
  test.skip(browserName !== 'chromium', 'Only Chromium has devtools sessions.')
}
