// Runs in the page: lists conversations that are seeded as records and rows of the store.
import { createAgent } from '/dist/index.js'

const STORAGE = { name: 'bench-list' }
const ROWS = 20
const model = { provider: 'scripted', model: 'bench' }

export async function seed({ conversations }) {
  const agent = createAgent({ model, storage: STORAGE })
  // Makes the database.
  await agent.conversations.list()
  await agent.dispose()
  const database = await openDatabase()
  for (let from = 0; from < conversations; from += 500) {
    const tx = database.transaction(['records', 'rows'], 'readwrite')
    for (let n = from; n < Math.min(from + 500, conversations); n++) {
      const conversationId = `conversation-${n}`
      const rowFields = { format: 2, conversationId, appendId: 'a', at: n, runId: null }
      for (let seq = 1; seq <= ROWS; seq++)
        tx.objectStore('rows').put({ ...rowFields, seq, type: 'renamed', title: `Title ${n}` })
      tx.objectStore('records').put({
        format: 2,
        conversationId,
        title: `Title ${n}`,
        createdAt: n,
        updatedAt: n,
        lastSeq: ROWS,
        epoch: 0,
        era: 0,
        openRunId: null,
        openCalls: [],
        recentAppends: [],
      })
    }
    await new Promise((resolve, reject) => {
      tx.oncomplete = resolve
      tx.onabort = () => reject(tx.error)
    })
  }
  database.close()
}

export async function list() {
  const agent = createAgent({ model, storage: STORAGE })
  await agent.prepare()
  const [first, records] = await timed(() => agent.conversations.list())
  const [next] = await timed(() => agent.conversations.list())
  await agent.dispose()
  const database = await openDatabase()
  const store = database.transaction('records').objectStore('records')
  const [bare] = await timed(
    () =>
      new Promise((resolve) => {
        store.getAll(null, 50).onsuccess = resolve
      }),
  )
  database.close()
  return { first, next, bare, count: records.length }
}

async function timed(work) {
  const startedAt = performance.now()
  const value = await work()
  return [performance.now() - startedAt, value]
}

function openDatabase() {
  const openRequest = indexedDB.open(`offstage-2:${STORAGE.name}`)
  return new Promise((resolve, reject) => {
    openRequest.onsuccess = () => resolve(openRequest.result)
    openRequest.onerror = () => reject(openRequest.error)
  })
}
