/** Calls back twice a second with the longest time between two frames of the last five seconds. */
export function watchFrames(onLongest: (longestMs: number) => void, signal: AbortSignal): void {
  const WINDOW_MS = 5000
  let frames: { readonly at: number; readonly ms: number }[] = []
  let lastAt = performance.now()
  let reportedAt = lastAt
  const onFrame = (): void => {
    if (signal.aborted) return
    const now = performance.now()
    // A hidden page draws no frames.
    if (document.visibilityState === 'visible') frames.push({ at: now, ms: now - lastAt })
    lastAt = now
    if (now - reportedAt > 500) {
      reportedAt = now
      frames = frames.filter((frame) => now - frame.at < WINDOW_MS)
      onLongest(Math.max(0, ...frames.map(({ ms }) => ms)))
    }
    requestAnimationFrame(onFrame)
  }
  requestAnimationFrame(onFrame)
}
