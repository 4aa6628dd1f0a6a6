/** Holds the lock as long as this worker lives. False where there are no locks. */
export function holdLifeLock(name: string): Promise<boolean> {
  const locks = globalThis.navigator?.locks
  if (locks === undefined) return Promise.resolve(false)
  return new Promise((resolve) => {
    locks
      .request(name, () => {
        resolve(true)
        return new Promise<never>(() => undefined)
      })
      .catch(() => resolve(false))
  })
}

/** Calls back when whoever holds the lock is dead; never, when `signal` aborts before. */
export function onLifeLockFree(name: string, callback: () => void, signal: AbortSignal): void {
  globalThis.navigator?.locks?.request(name, { signal }, callback).catch(() => undefined)
}
