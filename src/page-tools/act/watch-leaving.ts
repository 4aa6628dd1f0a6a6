import { sleep } from '../waiting.ts'

/** How long a page that has begun to leave may take to be gone: its server may be slow. Milliseconds. */
const GONE_MS = 4000

export interface LeavingWatch {
  /**
   * Where the page or a frame has begun to leave, waits until it is gone, though not for ever: a download
   * begins the same way and leads nowhere. Resolves to whether there was anything to wait for.
   */
  gone(signal?: AbortSignal): Promise<boolean>
  /** What to tell when the page is still there. */
  lines(): string[]
  stop(): void
}

/** Notices when a document begins to load another one in its place. */
export function watchLeaving(views: ReadonlySet<Window>): LeavingWatch {
  const leaving = new Set<Window>()
  const stops = [...views].map((view) => {
    const begin = (): void => void leaving.add(view)
    const end = (): void => void leaving.delete(view)
    view.addEventListener('beforeunload', begin)
    view.addEventListener('pagehide', end)
    return () => {
      view.removeEventListener('beforeunload', begin)
      view.removeEventListener('pagehide', end)
    }
  })
  return {
    async gone(signal) {
      if (leaving.size === 0) return false
      const until = performance.now() + GONE_MS
      while (leaving.size > 0 && performance.now() < until) await sleep(50, signal)
      return true
    },
    lines: () =>
      leaving.size === 0
        ? []
        : [
            'It made the browser load something: another page that has not come yet, or a download.',
          ],
    stop: () => stops.forEach((stop) => stop()),
  }
}
