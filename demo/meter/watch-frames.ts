/** Calls back twice a second with the longest time between two frames of the last five seconds. */
export function watchFrames(onLongest: (longestMs: number) => void, signal: AbortSignal): void {
  const WINDOW_MS = 5000
  let frames: { readonly at: number; readonly ms: number }[] = []
  let last = performance.now()
  let told = last
  const look = (): void => {
    if (signal.aborted) return
    const at = performance.now()
    // A hidden page draws no frames.
    if (document.visibilityState === 'visible') frames.push({ at, ms: at - last })
    last = at
    if (at - told > 500) {
      told = at
      frames = frames.filter((frame) => at - frame.at < WINDOW_MS)
      onLongest(Math.max(0, ...frames.map(({ ms }) => ms)))
    }
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
