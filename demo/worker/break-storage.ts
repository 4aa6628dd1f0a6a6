import { recordHit, isOn } from './active-faults.ts'

/** Lets IndexedDB refuse new rows, as it does when the browser's quota is used up. */
export function breakStorage(): void {
  const { put, add } = IDBObjectStore.prototype
  IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...row) {
    refuseIfFull(this)
    return put.apply(this, row)
  }
  IDBObjectStore.prototype.add = function (this: IDBObjectStore, ...row) {
    refuseIfFull(this)
    return add.apply(this, row)
  }
}

function refuseIfFull({ transaction }: IDBObjectStore): void {
  if (!isOn('storage-full')) return
  recordHit('storage-full')
  transaction.abort()
  throw new DOMException('The quota is used up.', 'QuotaExceededError')
}
