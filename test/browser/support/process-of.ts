import type { Browser, Page } from '@playwright/test'

/**
 * The process that a page lives in: while the page works, it has worked a second and twice as much as
 * any other. (On a busy machine one that only starts may have worked more for a while.)
 */
export async function processOf(page: Page, browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const times = async (): Promise<Map<number, number>> => {
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    const renderers = processInfo.filter(({ type }) => type === 'renderer')
    return new Map(renderers.map(({ id, cpuTime }) => [id, cpuTime]))
  }
  const before = await times()
  const worked = async (): Promise<{ id: number; seconds: number }[]> => {
    await page.evaluate(() => {
      const until = performance.now() + 500
      while (performance.now() < until);
    })
    const rows = [...(await times())].map(([id, time]) => ({
      id,
      seconds: time - (before.get(id) ?? 0),
    }))
    return rows.toSorted((a, b) => b.seconds - a.seconds)
  }
  let [most, next] = await worked()
  while (!most || most.seconds < 1 || (next && most.seconds < 2 * next.seconds)) {
    ;[most, next] = await worked()
  }
  await session.detach()
  return most.id
}
