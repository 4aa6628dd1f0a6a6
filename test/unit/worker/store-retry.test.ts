import { describe, expect, it } from 'vitest'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import {
  append,
  behind,
  codeOf,
  ended,
  newId,
  nextOrder,
  rowsOf,
  started,
  stores,
} from './store-support.ts'

describe.each(stores)('a repeated append to the %s store', (_name, open) => {
  it('returns the rows it wrote and writes nothing, even with other content', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    await append(store, { epoch }, started('q', 'before'))
    const first = { conversationId: 'c', epoch, appendId: 'again', order: nextOrder() }
    const rows = [started('r', 'hi'), ended('r')]
    const written = await store.append({ ...first, rows })
    expect(written.map(({ seq, appendId }) => [seq, appendId])).toEqual([
      [2, 'again'],
      [3, 'again'],
    ])
    await append(store, { epoch }, started('s', 'after'))
    const record = await store.get('c')
    for (const other of [rows, [started('t', 'another')], []])
      expect(await store.append({ ...first, rows: other })).toEqual(written)
    expect(await rowsOf(store)).toHaveLength(4)
    expect(await store.get('c')).toEqual(record)
  })

  it('succeeds even if its owner was fenced off since', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    const command = {
      conversationId: 'c',
      epoch,
      appendId: 'a',
      order: nextOrder(),
      rows: [started('r', 'hi')],
    }
    const written = await store.append(command)
    await append(store, await store.claim('c', 2), ended('r'))
    expect(await store.append(command)).toEqual(written)
    expect(await codeOf(append(store, { epoch }, started('s', 'late')))).toBe('ownership-lost')
    expect(await rowsOf(store)).toHaveLength(2)
  })

  it('counts as new if the conversation was deleted or created again', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    const command = {
      conversationId: 'c',
      epoch,
      appendId: 'a',
      order: nextOrder(),
      rows: [started('r', 'hi')],
    }
    await store.append(command)
    await store.delete('c')
    expect(await codeOf(store.append(command))).toBe('ownership-lost')
    await store.claim('c', 2)
    expect(await codeOf(store.append(command))).toBe('ownership-lost')
    expect(await rowsOf(store)).toEqual([])
  })

  it('is recognised after seven others, and the append history stays private', async () => {
    const store = await open()
    const { epoch } = await store.claim('c', 1)
    const command = {
      conversationId: 'c',
      epoch,
      appendId: 'a',
      order: nextOrder(),
      rows: [started('r', 'hi')],
    }
    const written = await store.append(command)
    for (let i = 0; i < 7; i++) await append(store, { epoch }, ended('r'))
    expect(await store.append(command)).toEqual(written)
    const records = [
      await store.get('c'),
      ...(await store.list()).records,
      (await store.read('c')).record,
    ]
    for (const record of records) {
      expect(record?.lastSeq).toBe(8)
      expect(record).not.toHaveProperty('recentAppends')
    }
  })

  it('is tried again if it was refused', async () => {
    const store = await open()
    const old = await store.claim('c', 1)
    const { epoch } = await store.claim('c', 2)
    const command = {
      conversationId: 'c',
      epoch,
      appendId: 'a',
      order: nextOrder(),
      rows: [started('r', 'hi')],
    }
    expect(await codeOf(store.append({ ...command, epoch: old.epoch }))).toBe('ownership-lost')
    expect(await store.append(command)).toHaveLength(1)
  })
})

it('a repeated append whose rows were damaged is reported as broken', async () => {
  const name = newId()
  const store = await openIdbStore(name)
  const { epoch } = await store.claim('c', 1)
  const command = {
    conversationId: 'c',
    epoch,
    appendId: 'a',
    order: nextOrder(),
    rows: [started('r', 'hi')],
  }
  await store.append(command)
  await behind(name, (db) => db.delete('rows', ['c', 1]))
  expect(await codeOf(store.append(command))).toBe('conversation-broken')
})

it.each([
  ['has no owner', undefined],
  ['was claimed by that version since', { epoch: 0, order: 500 }],
])('a record of an earlier version that %s accepts the first append', async (_what, owner) => {
  const name = newId()
  const store = await openIdbStore(name)
  const { epoch } = await store.claim('c', 1)
  await behind(name, async (db) => {
    const { owner: _owner, ...record } = (await db.get('records', 'c')) as { owner: unknown }
    await db.put('records', { ...record, ...(owner && { owner }) })
  })
  const first = { conversationId: 'c', epoch, appendId: 'a', order: 1, rows: [ended('r')] }
  expect(await store.append(first)).toHaveLength(1)
  const late = { ...first, appendId: 'late' }
  expect(await codeOf(store.append(late))).toBe('storage-failed')
})
