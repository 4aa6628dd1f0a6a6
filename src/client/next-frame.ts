/** Longest wait for a frame: none comes while the page is hidden. Milliseconds. */
const FRAME_MS = 16
const HIDDEN_MS = 100

/** Calls back once, at the next frame, or soon when no frames come. Returns its undo. */
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
