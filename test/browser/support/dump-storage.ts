/** Everything that the page's origin keeps, as text. Runs in the page. */
export async function dumpStorage(): Promise<string> {
  const wait = <T>(request: IDBRequest<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      request.addEventListener('success', () => resolve(request.result))
      request.addEventListener('error', () => reject(request.error))
    })
  const stores: unknown[] = []
  for (const { name = '' } of await indexedDB.databases()) {
    const database = await wait(indexedDB.open(name))
    for (const store of database.objectStoreNames) {
      const records = database.transaction(store).objectStore(store)
      const keys = await wait(records.getAllKeys())
      stores.push({ name, store, keys, values: await wait(records.getAll()) })
    }
    database.close()
  }
  const caches = await globalThis.caches?.keys()
  return JSON.stringify([stores, Object.entries(localStorage), caches, location.href])
}
