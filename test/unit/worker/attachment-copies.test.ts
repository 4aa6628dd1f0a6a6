import { expect, test } from 'vitest'
import { openDB } from 'idb'
import type { NewRow } from '../../../src/protocol/fact.ts'
import { databaseName, type Schema } from '../../../src/worker/store/idb-connection.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import { ended, newId, started, words } from './store-support.ts'
import { agentOf, fileOf, write } from './transfer-support.ts'

const DATA = 'a'.repeat(8192)
const file = { type: 'file', mediaType: 'image/png', data: DATA } as const

const asked = (): NewRow => ({
  ...(started('r', 'Look') as NewRow & { type: 'run-started' }),
  message: { ...words('Look'), parts: [file] },
})

test('a file is stored once for a conversation, its fork and its import', async () => {
  const name = newId()
  const store = await openIdbStore(name)
  const database = await openDB<Schema>(databaseName(name))
  const contents = async (): Promise<unknown[]> =>
    (await database.getAll('attachments')).filter((entry) => entry !== true)
  await write(store, 'c', asked(), ended('r'))
  const { conversations } = agentOf(store)
  const fork = (await conversations.fork('c')) ?? ''
  const text = await fileOf(agentOf(store), 'c')
  expect(text).toContain(DATA)
  await conversations.import(text)
  const ids = (await conversations.list()).map(({ conversationId }) => conversationId)
  expect(ids).toHaveLength(3)
  expect(new Set(ids)).toContain(fork)
  expect(await contents()).toEqual([DATA])
  expect(JSON.stringify(await database.getAll('rows'))).not.toContain(DATA)

  // Each has it, whichever of the others are gone.
  const order = ['c', fork, ...ids.filter((id) => id !== 'c' && id !== fork)]
  for (const [at, id] of order.entries()) {
    for (const left of order.slice(at))
      expect(await conversations.get(left)).toMatchObject({ messages: [{ parts: [file] }] })
    expect(await contents()).toEqual([DATA])
    await conversations.delete(id)
  }
  expect(await database.getAllKeys('attachments')).toEqual([])
})
