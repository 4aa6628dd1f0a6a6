// A worker's life, seen from elsewhere: it holds a Web Lock, which comes free when it dies.

/** Holds the lock as long as this worker lives, or until the promise settles. False where there are no locks. */
export function holdLifeLock(
  name: string,
  until: Promise<void> = new Promise(() => undefined),
): Promise<boolean> {
  const locks = globalThis.navigator?.locks
  if (locks === undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    locks
      .request(name, () => {
        resolve(true)
        return until
      })
      .catch(() => resolve(false))
  })
}

/** Calls back when whoever holds the lock is dead; never, when `signal` aborts before. */
export function onLifeLockFree(name: string, callback: () => void, signal: AbortSignal): void {
  const free = (): void => {
    if (!signal.aborted) callback()
  }
  globalThis.navigator?.locks?.request(name, { signal }, free).catch(() => {})
}
