import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openDB } from 'idb'
import type { NewRow } from '../../../src/protocol/fact.ts'
import type { FilePart } from '../../../src/protocol/message.ts'
import { databaseName, type Schema } from '../../../src/worker/store/idb-connection.ts'
import { packRow } from '../../../src/worker/store/attachments.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import { append, codeOf, ended, newId, nextOrder, rowsOf, started, words } from './store-support.ts'

const file = (letter: string, length = 8192): FilePart => ({
  type: 'file',
  mediaType: 'image/png',
  data: letter.repeat(length),
})

const withFiles = (runId: string, ...parts: FilePart[]): NewRow => ({
  ...(started(runId, 'Look') as NewRow & { type: 'run-started' }),
  message: { ...words('Look'), parts },
})

const settled = (value: unknown): NewRow => ({
  type: 'call-settled',
  runId: 'r',
  at: 7,
  path: ['t'],
  status: 'succeeded',
  output: { type: 'json', value: value as never },
})

async function open() {
  const name = newId()
  const store = await openIdbStore(name)
  const database = await openDB<Schema>(databaseName(name))
  return {
    store,
    /** Keys and values of all files that are kept. */
    kept: async () => (await database.getAll('attachments')).filter((entry) => entry !== true),
    keys: () => database.getAllKeys('attachments'),
    raw: async () => JSON.stringify(await database.getAll('rows')),
    database,
  }
}

const place = { importId: 'i', createdAt: 3, updatedAt: 4, after: 0, isLast: true }

describe('files in the IndexedDB store', () => {
  it('are taken out of a row without a copy of their contents', () => {
    const clone = vi.spyOn(globalThis, 'structuredClone')
    onTestFinished(() => clone.mockRestore())
    const [a, b] = [file('a'), file('b')]
    const row = withFiles('r', a, b)
    const whole = JSON.stringify(row)
    const packed = packRow(row, new Map([[a.data, 'one']]))
    expect(packed).toMatchObject({
      runId: 'r',
      message: { parts: [{ ...a, data: null }, b] },
      apart: [{ path: ['message', 'parts', 0, 'data'], hash: 'one' }],
    })
    expect(JSON.stringify(row)).toBe(whole)
    expect(clone).not.toHaveBeenCalled()
  })

  it('are stored once for all messages and conversations, and read back unchanged', async () => {
    const { store, kept, raw } = await open()
    const [a, b] = [file('a'), file('b')]
    const one = await store.claim('c', 1)
    const rows = [withFiles('r', a, b, a), ended('r'), withFiles('s', a), ended('s')]
    const written = await append(store, one, ...rows)
    const two = await store.claim('d', 1)
    await append(store, { ...two, conversationId: 'd' }, withFiles('q', b), ended('q'))

    expect(await kept()).toHaveLength(2)
    expect(await raw()).not.toContain('aaaa')
    expect(written).toMatchObject(rows)
    expect(await rowsOf(store)).toEqual(written)
    expect((await store.read('d')).rows[0]).toMatchObject({ message: { parts: [b] } })
  })

  it('are deleted with the last conversation that uses them', async () => {
    const { store, kept, keys } = await open()
    for (const conversationId of ['c', 'd', 'e']) {
      const claim = await store.claim(conversationId, 1)
      const more = conversationId === 'e' ? [file('b')] : []
      await append(store, { ...claim, conversationId }, withFiles('r', file('a'), ...more))
    }
    await store.delete('c')
    await store.delete('e')
    expect(await kept()).toEqual([file('a').data])
    expect((await store.read('d')).rows[0]).toMatchObject({ message: { parts: [file('a')] } })
    await store.delete('d')
    expect(await keys()).toEqual([])
  })

  it('are kept in their rows if small', async () => {
    const { store, keys } = await open()
    await append(store, await store.claim('c', 1), withFiles('r', file('a', 100)))
    expect(await keys()).toEqual([])
  })

  it('are not kept if their append failed', async () => {
    const { store, keys } = await open()
    const fenced = await store.claim('c', 1)
    await store.claim('c', 2)
    expect(await codeOf(append(store, fenced, withFiles('r', file('a'))))).toBe('ownership-lost')
    expect(await keys()).toEqual([])
  })

  it('are not duplicated when an append is repeated', async () => {
    const { store, kept } = await open()
    const claim = await store.claim('c', 1)
    const again = {
      conversationId: 'c',
      ...claim,
      appendId: 'one',
      order: nextOrder(),
      rows: [withFiles('r', file('a'))],
    }
    expect(await store.append(again)).toEqual(await store.append(again))
    expect(await kept()).toHaveLength(1)
    expect(await rowsOf(store)).toHaveLength(1)
  })

  it('come from the second import when an import starts again', async () => {
    const { store, kept } = await open()
    const given = { ...place, conversationId: 'c' }
    await store.place({ ...given, isLast: false, rows: [withFiles('r', file('a'))] })
    await store.place({ ...given, importId: 'j', rows: [withFiles('r', file('b')), ended('r')] })
    expect(await kept()).toEqual([file('b').data])
    expect((await rowsOf(store))[0]).toMatchObject({ message: { parts: [file('b')] } })
  })

  it("can't be read through forged rows in another conversation", async () => {
    const { store, database } = await open()
    await append(store, await store.claim('c', 1), withFiles('r', file('s')))
    const [hash] = (await database.getAllKeys('attachments')).filter((key) => !Array.isArray(key))
    const apart = [{ path: ['output', 'value', 'stolen'], hash }]
    const forged = Object.assign(settled({ stolen: null, apart }), { apart })
    const from = { ...place, conversationId: 'd', rows: [started('r', 'hi'), forged] }
    await store.place(from)
    const claim = await store.claim('e', 1)
    await append(store, { ...claim, conversationId: 'e' }, started('r', 'hi'), forged)
    for (const id of ['d', 'e']) {
      const { rows } = await store.read(id)
      expect(JSON.stringify(rows)).not.toContain('ssss')
      expect(rows[1]).toMatchObject({ output: { value: { stolen: null, apart } } })
    }
  })

  it('damage only their own row when missing', async () => {
    const { store, database } = await open()
    await append(store, await store.claim('c', 1), withFiles('r', file('a')), ended('r'))
    await database.clear('attachments')
    expect(await rowsOf(store)).toMatchObject([
      { message: { parts: [{ data: null }] } },
      { type: 'run-ended' },
    ])
  })

  it("are restored unchanged in a tool's JSON", async () => {
    const { store, kept } = await open()
    const value = { deep: [{ type: 'file', data: 'x'.repeat(5000), more: { type: 'file' } }] }
    await append(store, await store.claim('c', 1), started('r', 'hi'), settled(value))
    expect((await rowsOf(store))[1]).toMatchObject({ output: { value } })
    expect(await kept()).toHaveLength(1)
  })
})
