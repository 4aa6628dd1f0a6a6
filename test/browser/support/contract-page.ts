import { storeContract } from '../../../src/testing/store-contract/index.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'

// Runs in the page: the contract of stores, on the browser's own IndexedDB.

declare global {
  interface Window {
    /** Sets the quota of the page's origin; null: the browser's own. */
    setQuota(bytes: number | null): Promise<void>
    /** Results of the contract. `failed` lists the messages of the failed cases. */
    contract: Promise<{ readonly passed: number; readonly failed: readonly string[] }>
  }
}

/** Less than any database has. */
const NO_ROOM = 1000

async function runContract(): Promise<Awaited<typeof window.contract>> {
  let names = 0
  const cases = storeContract({
    open: async () => {
      const name = `contract-${(names += 1)}`
      return { store: await openIdbStore(name), other: await openIdbStore(name) }
    },
    fill: async () => {
      await window.setQuota(NO_ROOM)
      await fill()
      return () => window.setQuota(null)
    },
  })
  const failed: string[] = []
  for (const { name, run } of cases)
    await run().catch((error: unknown) => failed.push(`${name}: ${String(error)}`))
  return { passed: cases.length - failed.length, failed }
}

/** Writes into another database until not even a few bytes more are taken. */
async function fill(): Promise<void> {
  const db = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('filler', 1)
    request.addEventListener('upgradeneeded', () => request.result.createObjectStore('rows'))
    request.addEventListener('success', () => resolve(request.result))
  })
  let rows = 0
  const isTaken = (bytes: number): Promise<boolean> =>
    new Promise((resolve) => {
      const tx = db.transaction('rows', 'readwrite')
      const noise = crypto.getRandomValues(new Uint8Array(bytes))
      tx.objectStore('rows').put(noise, (rows += 1))
      tx.addEventListener('complete', () => resolve(true))
      tx.addEventListener('abort', () => resolve(false))
    })
  for (let bytes = 50_000; bytes > 1; bytes = Math.floor(bytes / 4)) while (await isTaken(bytes));
  db.close()
}

window.contract = runContract()
