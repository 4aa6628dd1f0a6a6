import { monotonicMs } from '../../lib/monotonic-ms.ts'
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import { sleep } from '../../lib/sleep.ts'
import { loadPart } from '../api/load-part.ts'

/**
 * How long after `beforeunload` a failure may be due to leaving the page. Firefox and WebKit cancel requests when the
 * navigation begins, Chromium right after `pagehide`. Milliseconds.
 */
const LEAVING_MS = 4000

/** Watches whether the page is being left while work is under way. */
export interface PageLeaving {
  /**
   * Whether leaving the page may have caused a failure just now. Resolves once that is decided, or never if the page is
   * left for good.
   */
  mayBeCause(): Promise<boolean>
  stop(): void
}

/**
 * Listens to `beforeunload` only during the work: some browsers keep pages with such a listener out of the back/forward
 * cache.
 */
export function watchLeaving(): PageLeaving {
  const watching = new AbortController()
  const { signal } = watching
  let leavingAt = Number.NEGATIVE_INFINITY
  let isHidden = false
  let show: () => void = () => {}
  const listen = (type: string, listener: () => void): void =>
    globalThis.addEventListener?.(type, listener, { signal })
  listen('beforeunload', () => (leavingAt = monotonicMs()))
  listen('pagehide', () => (isHidden = true))
  listen('pageshow', () => {
    isHidden = false
    show()
  })
  return {
    async mayBeCause() {
      await yieldToEventLoop()
      const remainingMs = leavingAt + LEAVING_MS - monotonicMs()
      if (remainingMs > 0) await sleep(remainingMs)
      if (!isHidden) return remainingMs > 0
      // Waits until the back/forward cache restores the page. If it doesn't, the page never runs again.
      if (!signal.aborted) await new Promise<void>((resolve) => (show = resolve))
      return true
    },
    stop() {
      watching.abort()
      show()
    },
  }
}

/** Maximum attempts for work that leaving the page may have interrupted. */
const MAX_ATTEMPTS = 3

/**
 * Does the work, which must be safe to repeat. A failure that leaving the page may have caused is held back. If the
 * page stays (a download, a slow navigation), the work is repeated.
 */
export async function retryWhenLeaving<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const leaving = watchLeaving()
    try {
      return await work()
    } catch (thrown) {
      if (!(await leaving.mayBeCause()) || attempt === MAX_ATTEMPTS) throw thrown
    } finally {
      leaving.stop()
    }
  }
}

/** Loads a part of the package for a request by the worker. */
export function loadPartWithRetry<Part>(load: () => Promise<Part>): Promise<Part> {
  return retryWhenLeaving(() => loadPart(load))
}
