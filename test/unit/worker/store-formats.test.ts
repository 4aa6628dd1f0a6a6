import { describe, expect, it } from 'vitest'
import { FORMAT, type Row } from '../../../src/protocol/fact.ts'
import { checkRow } from '../../../src/worker/store/check-row.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import type { Claim, Store } from '../../../src/worker/store/store.ts'
import type { Upcasters } from '../../../src/worker/store/record.ts'
import {
  append,
  behind,
  codeOf,
  ended,
  newId,
  nextOrder,
  rowsOf,
  started,
} from './store-support.ts'

const LATER = FORMAT + 1

/** A page of a made-up later version, which shares the database. */
class LaterPage {
  readonly #name: string

  constructor(name: string) {
    this.#name = name
  }

  claim(conversationId: string): Promise<number> {
    return behind(this.#name, async (db) => {
      const tx = db.transaction(['records', 'counters'], 'readwrite')
      const newest = await tx.objectStore('counters').get('epoch')
      const record = await tx.objectStore('records').get(conversationId)
      const epoch = (newest?.epoch ?? 0) + 1
      const claim = { storeId: 'later', ...newest, epoch, shards: 4 } as Claim
      await tx.objectStore('counters').put(claim, 'epoch')
      await tx.objectStore('records').put({
        ...(record ?? { format: LATER, conversationId, createdAt: 1, lastSeq: 0 }),
        epoch,
      } as never)
      await tx.done
      return epoch
    })
  }

  /** True when its epoch still holds. */
  append(conversationId: string, epoch: number): Promise<boolean> {
    return behind(this.#name, async (db) => {
      const tx = db.transaction(['records', 'rows'], 'readwrite')
      const record = (await tx.objectStore('records').get(conversationId)) as {
        epoch: number
        lastSeq: number
      }
      if (record.epoch !== epoch) return false
      const seq = record.lastSeq + 1
      const dream = { conversationId, seq, format: LATER, type: 'run-dreamt', run: { id: 'r' } }
      await tx.objectStore('rows').add(dream as never)
      // The later format describes open runs in a different way.
      const next = { format: LATER, title: 'Dreams', updatedAt: 99, lastSeq: seq }
      await tx
        .objectStore('records')
        .put({ ...record, ...next, openRunId: { dream: 'r' } } as never)
      await tx.done
      return true
    })
  }
}

async function twoPages(): Promise<{ store: Store; later: LaterPage; name: string }> {
  const name = newId()
  return { name, store: await openIdbStore(name), later: new LaterPage(name) }
}

const contents = (name: string): Promise<unknown> =>
  behind(name, async (db) => {
    const tx = db.transaction(['records', 'rows', 'counters'])
    return Promise.all([
      tx.objectStore('records').getAll(),
      tx.objectStore('rows').getAll(),
      tx.objectStore('counters').getAll(),
    ])
  })

describe('a conversation written by a later version', () => {
  it("can't be claimed, renamed or marked here, and continues there unchanged", async () => {
    const { name, store, later } = await twoPages()
    const epoch = await later.claim('n')
    expect(await later.append('n', epoch)).toBe(true)
    const before = await contents(name)
    const refusal: unknown = await store.claim('n', 5).catch((thrown: unknown) => thrown)
    expect(refusal).toMatchObject({
      code: 'storage-newer',
      message: expect.stringMatching(/reload the page or update the package/) as string,
      details: { conversationId: 'n', format: LATER },
    })
    expect(await codeOf(store.rename('n', { title: 'Mine', at: 9 }))).toBe('storage-newer')
    await store.mark('n', 'It looks odd.')
    expect(await contents(name)).toEqual(before)
    expect(await later.append('n', epoch)).toBe(true)
  })

  it('is listed with its title, not as broken, and without resumable work', async () => {
    const { store, later } = await twoPages()
    await later.append('n', await later.claim('n'))
    const shown = { format: LATER, title: 'Dreams', updatedAt: 99, openRunId: null, openCalls: [] }
    const [listed] = (await store.list()).records
    expect(listed).toMatchObject({ conversationId: 'n', ...shown })
    expect(listed).not.toHaveProperty('broken')
    expect(await store.get('n')).toEqual(listed)
    const { record, rows } = await store.read('n')
    expect(record).toEqual(listed)
    expect(checkRow(rows[0], 1)).toMatchObject({
      kind: 'newer',
      fault: expect.stringMatching(/newer Offstage/) as string,
    })
  })

  it('does not affect other conversations, which each version writes', async () => {
    const { store, later } = await twoPages()
    const mine = await store.claim('c', 1)
    const theirs = await later.claim('n')
    await append(store, mine, started('r', 'hi'))
    expect(await later.append('n', theirs)).toBe(true)
    await append(store, mine, ended('r'))
    expect(await later.append('n', theirs)).toBe(true)
    expect((await rowsOf(store)).map(({ type }) => type)).toEqual(['run-started', 'run-ended'])
    const { records: listed } = await store.list()
    expect(listed.map(({ conversationId, broken }) => [conversationId, broken])).toEqual([
      ['n', undefined],
      ['c', undefined],
    ])
    const next = await store.claim('d', 1)
    expect(next.epoch).toBeGreaterThan(theirs)
    expect(await store.delete('n')).toBe(true)
    expect((await store.read('n')).rows).toEqual([])
  })

  it('is lost to its owner here once the later version takes it over', async () => {
    const { store, later } = await twoPages()
    const mine = await store.claim('c', 1)
    const begun = { conversationId: 'c', epoch: mine.epoch, appendId: 'a', order: nextOrder() }
    const rows = await store.append({ ...begun, rows: [started('r', 'hi')] })
    const theirs = await later.claim('c')
    expect(await codeOf(append(store, mine, ended('r')))).toBe('ownership-lost')
    expect(await later.append('c', theirs)).toBe(true)
    expect(await codeOf(append(store, mine, ended('r')))).toBe('ownership-lost')
    expect(await codeOf(store.claim('c', 9))).toBe('storage-newer')
    // Rows that were committed before are unaffected.
    expect(await store.append({ ...begun, rows: [] })).toEqual(rows)
    expect(await later.append('c', theirs)).toBe(true)
    expect((await rowsOf(store))[0]).toEqual(rows[0])
  })

  it('can be resumed here if the later version has only claimed it', async () => {
    const { store, later } = await twoPages()
    await append(store, await store.claim('c', 1), started('r', 'hi'))
    await later.claim('c')
    const again = await store.claim('c', 2)
    await append(store, again, ended('r'))
    expect(await store.get('c')).toMatchObject({ format: FORMAT, openRunId: null, lastSeq: 2 })
  })

  it('refuses an append even from the owner of its epoch', async () => {
    const { name, store } = await twoPages()
    const mine = await store.claim('c', 1)
    await behind(name, async (db) => {
      const record = (await db.get('records', 'c')) as object
      await db.put('records', { ...record, format: LATER })
    })
    const before = await contents(name)
    expect(await codeOf(append(store, mine, started('r', 'hi')))).toBe('storage-newer')
    expect(await contents(name)).toEqual(before)
  })

  it('keeps the fields that the later version stored beside the epoch', async () => {
    const { name, store, later } = await twoPages()
    await later.claim('n')
    const { epoch } = await store.claim('c', 1)
    expect(await behind(name, (db) => db.get('counters', 'epoch'))).toEqual({
      storeId: 'later',
      epoch,
      shards: 4,
    })
  })
})

describe('a record of an older format', () => {
  const older = { format: 1, conversationId: 'c', createdAt: 1, updatedAt: 2, lastSeq: 0, epoch: 0 }

  it('is read with defaults, and updated by the first append', async () => {
    const { name, store } = await twoPages()
    await behind(name, (db) => db.put('records', { ...older, title: 'Old', mood: 'calm' }))
    expect((await store.list()).records).toMatchObject([
      { format: 1, title: 'Old', era: 0, openRunId: null, openCalls: [] },
    ])
    const claim = await store.claim('c', 5)
    expect(await behind(name, (db) => db.get('records', 'c'))).toMatchObject({ format: 1 })
    await append(store, claim, started('r', 'hi'))
    expect(await behind(name, (db) => db.get('records', 'c'))).toMatchObject({
      format: FORMAT,
      title: 'Old',
      mood: 'calm',
      openRunId: 'r',
    })
  })

  it('is broken without the fields that all formats have', async () => {
    const { name, store } = await twoPages()
    const { epoch: _, ...headless } = older
    await behind(name, (db) => db.put('records', headless))
    expect((await store.get('c'))?.broken).toMatch(/can't be read/)
    expect(await codeOf(store.claim('c', 5))).toBe('conversation-broken')
  })
})

describe('a row of an older format', () => {
  const place = { conversationId: 'c', seq: 1, runId: 'r', at: 5, appendId: 'a' }
  /** A made-up one, in which the end of a run was a word, and in the one before it a number. */
  const old = { ...place, format: FORMAT - 1, type: 'run-over', how: 'completed' }
  const ancient = { ...place, format: FORMAT - 2, type: 'run-over', how: 1 }
  const upcasters: Upcasters = {
    [FORMAT - 2]: (row) => ({ ...row, how: row['how'] === 1 ? 'completed' : 'aborted' }),
    [FORMAT - 1]: ({ how, ...row }) => ({ ...row, type: 'run-ended', end: { outcome: how } }),
  }
  const read: Row = {
    ...place,
    format: FORMAT,
    type: 'run-ended',
    end: { outcome: 'completed' },
  }

  it('is upgraded step by step when read, and stays unchanged in the store', () => {
    for (const row of [old, ancient]) {
      const stored = structuredClone(row)
      expect(checkRow(stored, 1, upcasters)).toEqual(read)
      expect(stored).toEqual(row)
    }
    expect(checkRow(read, 1, upcasters)).toBe(read)
  })

  it('is damaged, not newer, if no step leads to this format', () => {
    const fault = { kind: 'unsound', fault: expect.stringMatching(/Row 1 can't be read/) as string }
    expect(checkRow(old, 1)).toMatchObject(fault)
    expect(checkRow({ ...read, format: 'two' }, 1, upcasters)).toMatchObject(fault)
    expect(checkRow({ ...read, format: undefined }, 1, upcasters)).toMatchObject(fault)
    expect(checkRow({ ...old, how: 'odd' }, 1, upcasters)).toMatchObject(fault)
    const fails: Upcasters = {
      [FORMAT - 1]: () => {
        throw new TypeError('what is this?')
      },
    }
    expect(checkRow(old, 1, fails)).toMatchObject(fault)
  })
})

describe('a row of this format', () => {
  const row = { format: FORMAT, conversationId: 'c', seq: 4, runId: null, at: 1, appendId: 'a' }

  it.each([
    ['has a fact that is not known', { ...row, type: 'run-dreamt' }, /can't be read/],
    ['has the name of an inherited property', { ...row, type: 'toString' }, /can't be read/],
    ['lacks what its fact must have', { ...row, type: 'renamed' }, /can't be read/],
    ['names no append', { ...row, appendId: null, type: 'history-cleared' }, /can't be read/],
  ])('is damaged when it %s', (_what, stored, fault) => {
    expect(checkRow(stored, 4)).toEqual({
      kind: 'unsound',
      fault: expect.stringMatching(fault) as string,
    })
  })

  it('is missing when another row has its place', () => {
    const fault = checkRow({ ...row, seq: 5, type: 'history-cleared' }, 4)
    expect(fault).toEqual({ kind: 'missing', fault: 'Row 4 is missing.' })
    expect(checkRow('row', 4)).toEqual(fault)
  })

  it('is read unchanged', () => {
    const cleared = { ...row, type: 'history-cleared' }
    expect(checkRow(cleared, 4)).toBe(cleared)
  })
})
