/** The network of the page and its worker, which can be cut as if the browser were offline. */
export interface Network {
  readonly isOffline: boolean
  setOffline(isOffline: boolean): void
  /** Resolves as soon as there is a network; rejects with the signal's reason. */
  whenOnline(signal: AbortSignal): Promise<void>
}

export function createNetwork(ofWorker: { setOffline(isOffline: boolean): void }): Network {
  let isOffline = false
  // Whoever asks the browser hears the same: the chat says that one is offline.
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => !isOffline })
  return {
    get isOffline() {
      return isOffline
    },
    setOffline(next) {
      isOffline = next
      ofWorker.setOffline(next)
      dispatchEvent(new Event(next ? 'offline' : 'online'))
    },
    whenOnline: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted()
        if (!isOffline) return resolve()
        addEventListener('online', () => resolve(), { once: true, signal })
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      }),
  }
}
