/**
 * Notices that the page is left and may be kept by the browser for going back (its "back/forward
 * cache"), and that it has come back from there. What runs in a page that is kept throws it out.
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
