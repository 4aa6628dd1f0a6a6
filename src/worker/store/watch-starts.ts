import type { Database } from './idb-connection.ts'

export interface WatchedDatabase extends Database {
  /** Whether a transaction was aborted because it didn't start in time. */
  readonly isHeld: boolean
}

/**
 * Wraps a database: transactions that don't start within `startMs` are aborted. A transaction that another script
 * keeps alive blocks all later ones, and the browser doesn't report it.
 */
export function watchStarts(database: Database, startMs: number): WatchedDatabase {
  let isHeld = false
  const transaction = ((...given: Parameters<Database['transaction']>) => {
    const tx = database.transaction(...given)
    const timer = setTimeout(() => {
      isHeld = true
      tx.abort()
    }, startMs)
    const begun = (): void => clearTimeout(timer)
    // The first successful request. `success` events don't bubble, so listen in the capture phase.
    tx.addEventListener('success', begun, { capture: true, once: true })
    tx.done.then(begun, begun)
    return tx
  }) as Database['transaction']
  return {
    close: () => database.close(),
    transaction,
    get isHeld() {
      return isHeld
    },
  }
}
