import type { DemoWorker } from '../worker/demo-worker.ts'

/** The network of the page and its worker, which can be cut as if the browser were offline. */
export interface Network {
  readonly isOffline: boolean
  setOffline(isOffline: boolean): void
}

export function createNetwork(worker: Pick<DemoWorker, 'setFault'>): Network {
  let isOffline = false
  // Whoever asks the browser hears the same: the chat says that one is offline, and tools wait.
  Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => !isOffline })
  return {
    get isOffline() {
      return isOffline
    },
    setOffline(next) {
      isOffline = next
      worker.setFault('offline', next)
      dispatchEvent(new Event(next ? 'offline' : 'online'))
    },
  }
}
