/**
 * `FRAME_MS`: delay on a hidden page, which gets no frames. `HIDDEN_MS`: longest wait for a frame otherwise.
 * Milliseconds.
 */
const FRAME_MS = 16
const HIDDEN_MS = 100

/** Calls back once, at the next frame, or soon if no frames come. Returns a function that cancels. */
export function onNextFrame(callback: () => void): () => void {
  const isVisible = globalThis.document?.visibilityState === 'visible'
  let frame = 0
  const cancel = (): void => {
    clearTimeout(timer)
    if (frame) cancelAnimationFrame(frame)
  }
  const fire = (): void => {
    cancel()
    callback()
  }
  const timer = setTimeout(fire, isVisible ? HIDDEN_MS : FRAME_MS)
  if (isVisible) frame = requestAnimationFrame(fire)
  return cancel
}
