import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { findWebKit } from '../../../scripts/lib/other-browsers.mjs'
import type { DrivenBrowser, DrivenPage } from './driven-page.ts'
import { listen } from './listen.ts'
import { openSession } from './webdriver.ts'

/** How long a new window may take. Milliseconds. */
const WINDOW_MS = 15_000

interface Driver {
  readonly url: string
  end(): void
}

/** WebKitGTK's own small browser, on a display that nobody sees: anew for each page. */
export async function openWebKit(): Promise<DrivenBrowser> {
  const { driver, browser, display } = findWebKit() ?? {}
  if (!driver || !browser || !display) throw new Error('WebKitGTK is not installed.')
  const start = (): Promise<Driver> => startDriver(display, driver)
  const open = ({ url }: Driver): Promise<DrivenPage> =>
    openSession(
      url,
      {
        browserName: 'MiniBrowser',
        unhandledPromptBehavior: 'accept',
        'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
      },
      AbortSignal.timeout(WINDOW_MS),
    )
  let running = await start()
  return {
    async newPage() {
      try {
        return await open(running)
      } catch {
        // Now and then a window doesn't open on a busy machine, and the driver waits for it for good.
        running.end()
        running = await start()
        return open(running)
      }
    },
    close: () => Promise.resolve(running.end()),
  }
}

async function startDriver(display: string, driver: string): Promise<Driver> {
  const port = await freePort()
  const args = ['-a', `-n${firstDisplay()}`, driver, `--port=${port}`, '--host=127.0.0.1']
  const child = spawn(display, args, { stdio: 'ignore', detached: true })
  const end = (): void => {
    // The group: xvfb-run has the display and the driver as children.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid)
  }
  const url = `http://127.0.0.1:${port}`
  try {
    await answers(`${url}/status`)
  } catch (error) {
    end()
    throw error
  }
  return { url, end }
}

/** Where xvfb-run begins to look for a free display: two that look at the same time take the same one. */
function firstDisplay(): number {
  return 99 + 10 * Number(process.env.TEST_PARALLEL_INDEX ?? 0)
}

async function answers(url: string): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    try {
      await fetch(url)
      return
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

async function freePort(): Promise<number> {
  const { url, close } = await listen(createServer())
  await close()
  return Number(new URL(url).port)
}
