import { sleep } from '../waiting.ts'

/**
 * How long a page may take from `beforeunload` to `pagehide`: the next page's server may be slow.
 * Milliseconds.
 */
const UNLOAD_MS = 4000

export interface UnloadWatch {
  /**
   * Waits for a page or frame that is being unloaded, with a limit: a download begins the same way, without
   * an unload. Resolves to whether there was anything to wait for.
   */
  untilUnloaded(signal?: AbortSignal): Promise<boolean>
  /** The lines of the report when the page is still there. */
  lines(): string[]
  stop(): void
}

/** Detects that a document begins to load another one in its place. */
export function watchUnload(views: ReadonlySet<Window>): UnloadWatch {
  const unloading = new Set<Window>()
  // A window that has gone to another site takes no listener back.
  const watching = new AbortController()
  const { signal: watched } = watching
  for (const view of views) {
    view.addEventListener('beforeunload', () => unloading.add(view), { signal: watched })
    view.addEventListener('pagehide', () => unloading.delete(view), { signal: watched })
  }
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
    stop: () => watching.abort(),
  }
}
