/** Resolves after so many milliseconds. Under Node it alone keeps no process alive. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer: { unref?(): void } | number = setTimeout(resolve, ms)
    if (typeof timer === 'object') timer.unref?.()
  })
}
