/** Tells the streams of a tenant in this process at once what their process has changed. */
export class Wakes {
  readonly #waiting = new Map<string, Set<() => void>>()

  wake(tenant: string): void {
    for (const done of this.#waiting.get(tenant) ?? []) done()
  }

  /** What waits for the tenant's next change, or until the signal aborts. */
  of(tenant: string): (signal: AbortSignal) => Promise<void> {
    return (signal) =>
      new Promise((resolve) => {
        const waiting = this.#waiting.get(tenant) ?? new Set()
        this.#waiting.set(tenant, waiting)
        const done = (): void => {
          waiting.delete(done)
          if (waiting.size === 0 && this.#waiting.get(tenant) === waiting)
            this.#waiting.delete(tenant)
          signal.removeEventListener('abort', done)
          resolve()
        }
        waiting.add(done)
        signal.addEventListener('abort', done)
        if (signal.aborted) done()
      })
  }
}
