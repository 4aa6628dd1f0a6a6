/** Resolves after `ms` milliseconds. In Node, the timer doesn't keep the process alive. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer: { unref?(): void } | number = setTimeout(resolve, ms)
    if (typeof timer === 'object') timer.unref?.()
  })
}

/** Resolves after `ms` milliseconds, or as soon as the signal aborts. */
export function sleepUnlessAborted(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = (): void => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}

/** Resolves like the promise, or to null after `ms` milliseconds. */
export function resolveWithin<T>(promise: Promise<T>, ms: number): Promise<T | null> {
  return Promise.race([promise, sleep(ms).then(() => null)])
}
