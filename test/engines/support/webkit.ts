import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { findWebKit } from '../../../scripts/lib/other-browsers.mjs'
import { listen } from '../../browser/support/listen.ts'
import { openDrivenPage, type DrivenPage } from './webdriver.ts'

/** A page of WebKitGTK's own small browser, on a display that nobody sees. */
export async function openWebKitPage(): Promise<DrivenPage> {
  const { driver, browser, display } = findWebKit() ?? {}
  if (!driver || !browser || !display) throw new Error('WebKitGTK is not installed.')
  const port = await freePort()
  const args = ['-a', driver, `--port=${port}`, '--host=127.0.0.1']
  const child = spawn(display, args, { stdio: 'ignore', detached: true })
  const end = (): void => {
    // The group: xvfb-run has the display and the driver as children.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid)
  }
  try {
    const url = `http://127.0.0.1:${port}`
    await answers(`${url}/status`)
    const page = await openDrivenPage(url, {
      browserName: 'MiniBrowser',
      'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
    })
    return {
      ...page,
      async close() {
        await page.close().catch(() => undefined)
        end()
      },
    }
  } catch (error) {
    end()
    throw error
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
