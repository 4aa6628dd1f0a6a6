/**
 * Calls back when the page is hidden, frozen or left: none of these is sure to be followed by another sign of life.
 */
export function onPageHiding(signal: AbortSignal, hiding: () => void): void {
  const options = { signal, capture: true }
  globalThis.addEventListener?.('pagehide', hiding, options)
  const { document } = globalThis
  document?.addEventListener('freeze', hiding, options)
  document?.addEventListener(
    'visibilitychange',
    () => document.visibilityState === 'hidden' && hiding(),
    options,
  )
}

/**
 * Calls back when the page may be about to be left, until it is stopped. Of `pagehide` a worker that ends with its page
 * learns too late. To be listened to only meanwhile: some browsers keep no page with such a listener for going back.
 */
export function onPageLeaving(leaving: () => void): () => void {
  const stopping = new AbortController()
  globalThis.addEventListener?.('beforeunload', leaving, { signal: stopping.signal })
  return () => stopping.abort()
}
