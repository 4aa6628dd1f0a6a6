import { monotonicMs } from '../lib/monotonic-ms.ts'
import { nextTurn } from '../lib/next-turn.ts'
import { sleep } from '../lib/sleep.ts'
import { loadPart } from './load-part.ts'

/**
 * How long after `beforeunload` a failure may come from the page being left. Firefox and WebKit break
 * a page's requests off when the navigation begins, Chromium right after `pagehide`. Milliseconds.
 */
const LEAVING_MS = 4000

/** Whether the page is on its way out, watched for as long as something is under way on it. */
export interface PageLeaving {
  /**
   * Whether what has just failed may have been broken off by the browser, because the page is being
   * left. Resolves when that is sure: not at all on a page that is left and never comes back.
   */
  mayHaveBroken(): Promise<boolean>
  stop(): void
}

/** `beforeunload` is listened to only meanwhile: some browsers keep no page with such a listener for going back. */
export function watchLeaving(): PageLeaving {
  const watching = new AbortController()
  const { signal } = watching
  let leavingAt = Number.NEGATIVE_INFINITY
  let isHidden = false
  let show: () => void = () => {}
  const on = (type: string, listener: () => void): void =>
    globalThis.addEventListener?.(type, listener, { signal })
  on('beforeunload', () => (leavingAt = monotonicMs()))
  on('pagehide', () => (isHidden = true))
  on('pageshow', () => {
    isHidden = false
    show()
  })
  return {
    async mayHaveBroken() {
      await nextTurn()
      const left = leavingAt + LEAVING_MS - monotonicMs()
      if (left > 0) await sleep(left)
      if (!isHidden) return left > 0
      // Kept for going back, perhaps; else this page never comes back.
      await new Promise<void>((resolve) => (show = resolve))
      return true
    },
    stop: () => watching.abort(),
  }
}

/** How often a function of the page is asked though the browser may have broken it off. */
const MAX_ATTEMPTS = 3

/**
 * Does the work, for functions of the page that may be asked twice. What the browser may have broken off
 * because the page is being left says nothing: it is held back as above, and the work done again when
 * the page stays after all (a download, a slow navigation).
 */
export async function whileStaying<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const leaving = watchLeaving()
    try {
      return await work()
    } catch (thrown) {
      if (!(await leaving.mayHaveBroken()) || attempt === MAX_ATTEMPTS) throw thrown
    } finally {
      leaving.stop()
    }
  }
}

/** A part of the package for a question of the worker. */
export function partWhileStaying<Part>(load: () => Promise<Part>): Promise<Part> {
  return whileStaying(() => loadPart(load))
}
