/** The browser's word on the network. */
export const browserNetwork = {
  get isOffline(): boolean {
    return !navigator.onLine
  },
  /** Resolves as soon as there is a network; rejects with the signal's reason. */
  whenOnline(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted()
      if (navigator.onLine) return resolve()
      addEventListener('online', () => resolve(), { once: true, signal })
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  },
}
