/** Rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason as Error)
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    function stop(): void {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

/** The next animation frame, or 50 ms later where none comes: in hidden tabs. */
export function nextFrame(view: Window): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, 50)
    const frame = view.requestAnimationFrame(done)
    function done(): void {
      clearTimeout(timer)
      view.cancelAnimationFrame(frame)
      resolve()
    }
  })
}
