import { OffstageError } from '../../protocol/error.ts'
import type { TriggerRecord } from './record.ts'

/** Records on pages without IndexedDB. */
const volatile = new Map<string, TriggerRecord>()

/** Reads, changes and stores a record in one transaction, so that tabs can't overwrite each other's changes. */
export function updateRecord(
  key: string,
  change: (record: TriggerRecord | undefined) => TriggerRecord,
): Promise<TriggerRecord> {
  return new Promise((resolve, reject) => {
    let record: TriggerRecord
    if (!globalThis.indexedDB) {
      record = change(volatile.get(key))
      volatile.set(key, record)
      return resolve(record)
    }
    const opening = indexedDB.open('offstage-triggers', 1)
    const fail = ({ target }: Event): void => {
      const message = 'The browser can not store when a trigger fired.'
      const { error: cause } = target as IDBTransaction
      reject(new OffstageError('storage-failed', message, { retryable: true, cause }))
    }
    opening.onerror = fail
    opening.onupgradeneeded = () => opening.result.createObjectStore('triggers')
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('triggers', 'readwrite')
      const store = transaction.objectStore('triggers')
      const reading = store.get(key)
      reading.onsuccess = () => store.put((record = change(reading.result)), key)
      transaction.onabort = fail
      transaction.oncomplete = () => {
        opening.result.close()
        resolve(record)
      }
    }
  })
}
