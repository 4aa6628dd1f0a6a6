import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { findWebKit } from '../../../scripts/lib/other-browsers.mjs'
import type { DrivenBrowser } from './driven-page.ts'
import { listen } from './listen.ts'
import { openSession } from './webdriver.ts'

/** WebKitGTK's own small browser, on a display that nobody sees: anew for each page. */
export async function openWebKit(): Promise<DrivenBrowser> {
  const { driver, browser, display } = findWebKit() ?? {}
  if (!driver || !browser || !display) throw new Error('WebKitGTK is not installed.')
  const port = await freePort()
  const args = ['-a', driver, `--port=${port}`, '--host=127.0.0.1']
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
  return {
    newPage: () =>
      openSession(url, {
        browserName: 'MiniBrowser',
        'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
      }),
    close: () => Promise.resolve(end()),
  }
}

async function answers(url: string): Promise<void> {
  const until = Date.now() + 20_000
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
