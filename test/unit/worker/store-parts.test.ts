import { expect, test } from 'vitest'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import { append, behind, ended, newId, rowsOf, started } from './store-support.ts'

/** More than are read together. */
const MANY = 2500

async function longConversation(name: string) {
  const store = await openIdbStore(name)
  const { epoch } = await store.claim('c', 1)
  const runs = Array.from({ length: MANY / 2 }, (_, at) => [
    started(`r${at}`, 'x'),
    ended(`r${at}`),
  ])
  await append(store, { epoch }, ...runs.flat())
  return store
}

const seqs = async (rows: ReturnType<typeof rowsOf>): Promise<number[]> =>
  (await rows).map(({ seq }) => seq)

test('a long conversation is read completely and in order, from any row', async () => {
  const store = await longConversation(newId())
  const all = Array.from({ length: MANY }, (_, at) => at + 1)
  expect(await seqs(rowsOf(store))).toEqual(all)
  expect(await seqs(rowsOf(store, 7))).toEqual(all.slice(7))
  expect(await seqs(rowsOf(store, 2000))).toEqual(all.slice(2000))
  expect(await seqs(rowsOf(store, MANY))).toEqual([])
})

test.each([0, 1, 1000, Number.MAX_VALUE, Infinity, -5])(
  'all rows are read, whatever row count a damaged record has: %s',
  async (lastSeq) => {
    const name = newId()
    const store = await longConversation(name)
    await behind(name, async (db) => {
      const record = (await db.get('records', 'c')) as object
      await db.put('records', { ...record, lastSeq })
    })
    expect((await rowsOf(store)).length).toBe(MANY)
  },
)
