import 'fake-indexeddb/auto'
import { openDB, type IDBPDatabase } from 'idb'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { NewRow, Row, UserContent } from '../../../src/protocol/fact.ts'
import { databaseName, type Schema } from '../../../src/worker/store/idb-connection.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'

let ids = 0

/** Another one each time. */
export function newId(): string {
  return `id-${++ids}`
}

export const words = (text: string): UserContent => ({
  id: newId(),
  parts: [{ type: 'text', text }],
})

export const started = (runId: string, text: string): NewRow => ({
  type: 'run-started',
  runId,
  at: 5,
  parentId: null,
  message: words(text),
  limits: { maxSteps: 10, retries: 3 },
})

export const ended = (runId: string): NewRow => ({
  type: 'run-ended',
  runId,
  at: 6,
  end: { outcome: 'completed' },
})

export const stores: [string, () => Promise<Store>][] = [
  ['memory', async () => createMemoryStore()],
  ['IndexedDB', () => openIdbStore(newId())],
]

let tries = 0
/** The place of a try to append, after all before it. */
export function nextOrder(): number {
  return ++tries
}

/** Appends under an id of its own. */
export async function append(
  store: Store,
  place: { readonly conversationId?: string; readonly epoch: number },
  ...rows: readonly NewRow[]
): Promise<readonly Row[]> {
  return store.append({
    conversationId: 'c',
    ...place,
    appendId: newId(),
    order: nextOrder(),
    rows,
  })
}

export async function rowsOf(store: Store, after?: number): Promise<readonly Row[]> {
  return (await store.read('c', after === undefined ? {} : { after })).rows as readonly Row[]
}

export async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error: unknown = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  return OffstageError.is(error) ? error.code : String(error)
}

/** The database of a store, behind its back. */
export async function behind<T>(
  name: string,
  use: (db: IDBPDatabase<Schema>) => Promise<T>,
): Promise<T> {
  const db = await openDB<Schema>(databaseName(name))
  try {
    return await use(db)
  } finally {
    db.close()
  }
}
