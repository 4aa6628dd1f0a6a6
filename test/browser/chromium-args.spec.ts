import { expect, test } from './support/test.ts'

test("Chromium features disabled by Playwright stay disabled with these tests' own arguments", async ({
  playwright,
  launchOptions,
}) => {
  const browser = await playwright.chromium.launch({
    ...launchOptions,
    // Without it Chromium does not tell its arguments.
    args: [...(launchOptions.args ?? []), '--enable-automation'],
  })
  const session = await browser.newBrowserCDPSession()
  const { arguments: args } = await session.send('Browser.getBrowserCommandLine')
  await browser.close()
  const lists = args
    .filter((arg) => arg.startsWith('--disable-features='))
    .map((arg) => arg.slice('--disable-features='.length).split(','))
  // Playwright's, then the tests', which is the one that counts.
  expect(lists.length).toBeGreaterThan(1)
  expect(lists.at(-1)).toEqual(expect.arrayContaining(lists[0] ?? []))
})
