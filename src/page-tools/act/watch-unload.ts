import { sleep } from '../waiting.ts'

/** How long a page that has begun to leave may take to be gone: its server may be slow. Milliseconds. */
const UNLOAD_MS = 4000

export interface UnloadWatch {
  /**
   * Where the page or a frame has begun to leave, waits until it is gone, though not for ever: a download
   * begins the same way and leads nowhere. Resolves to whether there was anything to wait for.
   */
  untilUnloaded(signal?: AbortSignal): Promise<boolean>
  /** What to tell when the page is still there. */
  lines(): string[]
  stop(): void
}

/** Notices when a document begins to load another one in its place. */
export function watchUnload(views: ReadonlySet<Window>): UnloadWatch {
  const unloading = new Set<Window>()
  const stops = [...views].map((view) => {
    const begin = (): void => void unloading.add(view)
    const end = (): void => void unloading.delete(view)
    view.addEventListener('beforeunload', begin)
    view.addEventListener('pagehide', end)
    return () => {
      view.removeEventListener('beforeunload', begin)
      view.removeEventListener('pagehide', end)
    }
  })
  return {
    async untilUnloaded(signal) {
      if (unloading.size === 0) return false
      const until = performance.now() + UNLOAD_MS
      while (unloading.size > 0 && performance.now() < until) await sleep(50, signal)
      return true
    },
    lines: () =>
      unloading.size === 0
        ? []
        : [
            'It made the browser load something: another page that has not come yet, or a download.',
          ],
    stop: () => stops.forEach((stop) => stop()),
  }
}
