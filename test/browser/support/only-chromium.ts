import { test } from '@playwright/test'

/** Of a test that does with a browser what only a devtools session can: crash it, limit its quota, clear its data. */
export function needsDevTools(browserName: string): void {
  test.skip(browserName !== 'chromium', 'Only Chromium has devtools sessions.')
}
