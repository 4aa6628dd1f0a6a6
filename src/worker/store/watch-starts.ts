import type { Database } from './idb-connection.ts'

export interface WatchedDatabase extends Database {
  /** A transaction was given up, since it did not begin in time. */
  readonly isHeld: boolean
}

/**
 * The database, whose transactions are aborted unless they begin in time. One that another script keeps alive holds up
 * all later ones, and the browser says nothing of it.
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
    // The first answer to a request, on its way down: such events don't bubble.
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
