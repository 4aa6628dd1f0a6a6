/**
 * Calls `leave` when the page may enter the browser's back/forward cache, and `return` when it comes back. Running
 * work would make the browser drop the page from the cache.
 */
export function onPageCache(page: {
  readonly signal: AbortSignal
  leave(): void
  return(): void
}): void {
  const { signal } = page
  globalThis.addEventListener?.('pagehide', ({ persisted }) => persisted && page.leave(), {
    signal,
  })
  globalThis.addEventListener?.('pageshow', ({ persisted }) => persisted && page.return(), {
    signal,
  })
}
