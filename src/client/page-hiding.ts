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
