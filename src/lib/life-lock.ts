// Lets other contexts detect that a worker died. The worker holds a Web Lock, which the browser releases on its death.

/** Holds the lock as long as this worker lives, or until the promise settles. False without Web Locks. */
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

/** Calls back when the lock's holder is dead, unless `signal` aborts first. */
export function onLifeLockFree(name: string, callback: () => void, signal: AbortSignal): void {
  const onFree = (): void => {
    if (!signal.aborted) callback()
  }
  globalThis.navigator?.locks?.request(name, { signal }, onFree).catch(() => {})
}
