/**
 * Calls back when the page is shown, hidden, frozen or left: none of the last three is sure to be followed by another sign
 * of life.
 */
export function onPageVisibility(signal: AbortSignal, changed: () => void): void {
  const options = { signal, capture: true }
  globalThis.addEventListener?.('pagehide', changed, options)
  for (const type of ['freeze', 'visibilitychange'])
    globalThis.document?.addEventListener(type, changed, options)
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
