/** Calls back when the page is shown, hidden, frozen or left. After the last three, no further event is guaranteed. */
export function onPageVisibility(signal: AbortSignal, changed: () => void): void {
  const options = { signal, capture: true }
  globalThis.addEventListener?.('pagehide', changed, options)
  for (const type of ['freeze', 'visibilitychange'])
    globalThis.document?.addEventListener(type, changed, options)
}

/**
 * Calls back on `beforeunload`. `pagehide` is too late: a worker that ends with its page doesn't get the message. Stop
 * listening as soon as possible: some browsers keep such pages out of the back/forward cache.
 */
export function onPageLeaving(leaving: () => void): () => void {
  const stopping = new AbortController()
  globalThis.addEventListener?.('beforeunload', leaving, { signal: stopping.signal })
  return () => stopping.abort()
}
