import { describe, expect, it } from 'vitest'
import { INCOMPLETE_IMPORT } from '../../../src/protocol/conversation.ts'
import { append, codeOf, ended, rowsOf, started, stores } from './store-support.ts'

const place = {
  conversationId: 'c',
  importId: 'i',
  createdAt: 3,
  updatedAt: 4,
  after: 0,
  isLast: true,
}

describe.each(stores)('imported conversations in the %s store', (_name, open) => {
  it('are placed in one part, with a record computed from their rows', async () => {
    const store = await open()
    const { epoch } = await store.claim('other', 1)
    const rows = [started('r', 'Two mugs'), { ...ended('r'), at: 9 }]
    expect(
      await store.place({
        ...place,
        rows,
        parent: { conversationId: 'p', runId: 'q', toolCallId: 't' },
      }),
    ).toBe(true)
    expect(await store.get('c')).toMatchObject({
      title: 'Two mugs',
      createdAt: 3,
      updatedAt: 4,
      lastSeq: 2,
      openRunId: null,
      importId: 'i',
      epoch: epoch + 1,
      parent: { conversationId: 'p' },
    })
    expect((await rowsOf(store)).map(({ seq, type }) => [seq, type])).toEqual([
      [1, 'run-started'],
      [2, 'run-ended'],
    ])
    expect(await store.place({ ...place, importId: 'j', rows })).toBe(false)
    expect((await store.get('c'))?.importId).toBe('i')
    const claim = await store.claim('c', 5)
    expect(claim.epoch).toBe(epoch + 2)
    await append(store, claim, started('s', 'on'))
    expect(await store.get('c')).toMatchObject({ lastSeq: 3, importId: 'i' })
  })

  it('are locked for everyone else until their last part arrives', async () => {
    const store = await open()
    expect(await store.place({ ...place, isLast: false, rows: [started('r', 'hi')] })).toBe(true)
    expect(await store.get('c')).toMatchObject({ broken: INCOMPLETE_IMPORT, lastSeq: 1 })
    expect(await codeOf(store.claim('c', 1))).toBe('conversation-broken')
    expect(await codeOf(store.place({ ...place, after: 2, rows: [] }))).toBe('ownership-lost')
    expect(await codeOf(store.place({ ...place, after: 1, importId: 'j', rows: [] }))).toBe(
      'ownership-lost',
    )
    expect(await store.place({ ...place, after: 1, rows: [ended('r')] })).toBe(true)
    expect((await store.get('c'))?.broken).toBeUndefined()
    expect(await codeOf(store.place({ ...place, after: 2, rows: [] }))).toBe('ownership-lost')
    expect(await rowsOf(store)).toHaveLength(2)
  })

  it('replace unfinished imports, and are not continued after a deletion', async () => {
    const store = await open()
    const first = { ...place, isLast: false }
    await store.place({ ...first, rows: [started('r', 'hi'), ended('r'), started('s', 'on')] })
    expect(await store.place({ ...first, importId: 'j', rows: [started('r', 'hi')] })).toBe(true)
    expect(await rowsOf(store)).toHaveLength(1)
    expect(await codeOf(store.place({ ...first, after: 3, rows: [] }))).toBe('ownership-lost')
    await store.delete('c')
    expect(await codeOf(store.place({ ...first, importId: 'j', after: 1, rows: [] }))).toBe(
      'ownership-lost',
    )
    expect((await store.list()).records).toEqual([])
  })

  it('are read in parts', async () => {
    const store = await open()
    const rows = Array.from({ length: 2500 }, (_, at) => ended(`r${at}`))
    await store.place({ ...place, rows })
    const seqs = async (after: number, count: number) =>
      ((await store.read('c', { after, limit: count })).rows as { seq: number }[]).map(
        ({ seq }) => seq,
      )
    expect(await seqs(0, 3)).toEqual([1, 2, 3])
    expect(await seqs(2498, 10)).toEqual([2499, 2500])
    expect(await seqs(2500, 10)).toEqual([])
    expect((await seqs(10, 2100)).length).toBe(2100)
    expect((await seqs(10, 2100)).at(-1)).toBe(2110)
  })
})
