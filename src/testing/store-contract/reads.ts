import type { NewRow } from '../../protocol/fact.ts'
import type { ListedRecords, Store, StoreChange } from '../../worker/store/store.ts'
import {
  appendOf,
  runEnded,
  expectTrue,
  newId,
  expectRefusal,
  type Requirement,
  rowsIn,
  expectSame,
  seqsOf,
  runStarted,
} from './expectations.ts'

const PARENT = { runId: 'r', toolCallId: 't' } as const

async function write(store: Store, conversationId: string, updatedAt: number): Promise<void> {
  const { epoch } = await store.claim(conversationId, updatedAt)
  await store.append(appendOf(conversationId, epoch, [runEnded('r', updatedAt)]))
}

export const READS: Record<string, Requirement> = {
  'reads all, a page, the end, or the record alone': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const rows = Array.from({ length: 1200 }, (_, at) => runEnded(`r${at}`))
    await store.append(appendOf('c', epoch, rows))
    const seqs = async (range: Parameters<Store['read']>[1]): Promise<number[]> =>
      seqsOf((await other.read('c', range)).rows)
    expectSame((await seqs({})).length, 1200, 'how many rows there are')
    expectSame(await seqs({ after: 3, limit: 2 }), [4, 5], 'a page')
    expectSame(await seqs({ after: 1198, limit: 9 }), [1199, 1200], 'the last page')
    expectSame(await seqs({ after: 1200 }), [], 'what is after the end')
    expectSame(await seqs({ newest: 3 }), [1198, 1199, 1200], 'the end')
    expectSame((await seqs({ newest: 5000 })).length, 1200, 'an end that is longer than all')
    const { record, rows: noRows } = await other.read('c', { limit: 0 })
    expectSame([record?.lastSeq, noRows], [1200, []], 'the record alone')
    expectSame(await other.read('nobody'), { record: null, rows: [] }, 'what is not there')
    expectSame(await other.get('nobody'), null, 'the record of what is not there')
  },
  'reads what was committed, with a record that fits': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const writing = (async () => {
      for (let at = 0; at < 25; at++) await store.append(appendOf('c', epoch, [runEnded(`r${at}`)]))
    })()
    for (let at = 0; at < 25; at++) {
      const { record, rows } = await other.read('c')
      expectSame(rows.length, record?.lastSeq, 'how many rows the record says there are')
    }
    await writing
  },
  'lists the newest change first, in pages': async ({ store, other }) => {
    const ids = Array.from({ length: 7 }, (_, at) => `c${at}`)
    // A page ends at 1e-7, a number that is written with an exponent.
    const times = [0, 1e-7, 2, 3, 4, 5, 5]
    for (const [at, id] of ids.entries()) await write(store, id, times[at] ?? 0)
    const expectedIds = ['c5', 'c6', 'c4', 'c3', 'c2', 'c1', 'c0']
    const foundIds: string[] = []
    for (let after: string | null | undefined; after !== null;) {
      const page: ListedRecords = await other.list({
        limit: 3,
        ...(after !== undefined && { after }),
      })
      expectTrue(page.records.length <= 3, 'a page is no longer than was asked for')
      foundIds.push(...page.records.map((record) => record.conversationId))
      expectTrue(foundIds.length <= expectedIds.length, 'each conversation is on one page')
      after = page.next
    }
    expectSame(foundIds, expectedIds, 'the ids of all pages')
  },
  'gives a title as a fact, to whoever owns the conversation': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    await store.append(appendOf('c', epoch, [runStarted('r', 'Mugs'), runEnded('r')]))
    expectSame(
      await other.rename('c', { title: 'Late', at: 9, ifLastSeq: 1 }),
      false,
      'a late title',
    )
    expectSame(await other.rename('c', { title: 'Two mugs', at: 9, ifLastSeq: 2 }), true, 'a title')
    const record = await store.get('c')
    expectSame(
      [record?.title, record?.lastSeq, record?.updatedAt],
      ['Two mugs', 3, 6],
      'the record',
    )
    expectSame((await rowsIn(store)).at(-1)?.type, 'renamed', 'the newest row')
    expectSame(
      seqsOf(await store.append(appendOf('c', epoch, [runStarted('s', 'on')]))),
      [4],
      'what follows',
    )
    expectSame(await other.rename('nobody', { title: 'x', at: 9 }), false, 'a title of nothing')
  },
  'deletes a conversation with those that its calls started': async ({ store, other }) => {
    await write(store, 'top', 1)
    await store.claim('child', 2, { parent: { conversationId: 'top', ...PARENT } })
    await store.claim('below', 3, { parent: { conversationId: 'child', ...PARENT } })
    await write(store, 'else', 4)
    expectSame((await other.descendants('top')).toSorted(), ['below', 'child'], 'what is below')
    expectSame(await other.delete('top'), true, 'the answer')
    expectSame(await store.delete('top'), false, 'the answer to a repeat')
    expectSame(await store.read('top'), { record: null, rows: [] }, 'what is read')
    const ids = (await store.list()).records.map((record) => record.conversationId)
    expectSame(ids, ['else'], 'what is left')
  },
  'takes conversations from elsewhere, whole or not at all': async ({ store, other }) => {
    const base = { conversationId: 'c', importId: 'i', createdAt: 3, updatedAt: 4 }
    const [first, second] = [[runStarted('r', 'hi')], [runEnded('r')]]
    const part = { ...base, after: 0, rows: first, isLast: false }
    expectSame(await store.place(part), true, 'a part')
    expectSame(await store.place(part), true, 'a repeat of the part')
    await expectRefusal(other.claim('c', 1), 'conversation-broken', 'a claim of a part')
    const foreign = { ...base, importId: 'j', after: 1, rows: second, isLast: true }
    await expectRefusal(store.place(foreign), 'ownership-lost', 'a part of another import')
    const lastPart = { ...base, after: 1, rows: second, isLast: true }
    expectSame(await store.place(lastPart), true, 'the rest')
    expectSame(await other.place(part), true, 'a repeat of the part after the rest')
    expectSame(await other.place(lastPart), true, 'a repeat of the rest')
    const duplicate = { ...base, importId: newId('i'), after: 0, rows: first, isLast: true }
    expectSame(await store.place(duplicate), false, 'another one of its id')
    const record = await other.get('c')
    expectSame([record?.lastSeq, record?.updatedAt, record?.createdAt], [2, 4, 3], 'the record')
    expectSame(record?.broken, undefined, 'what is wrong with it')
    await other.claim('c', 5)
  },
  'refuses an import with a row that could not be read again': async ({ store }) => {
    const base = { conversationId: 'c', importId: 'i', createdAt: 3, updatedAt: 4, after: 0 }
    const rows = [
      { ...runEnded('r'), end: { outcome: 'aborted', reason: {} } } as unknown as NewRow,
    ]
    await expectRefusal(
      store.place({ ...base, rows, isLast: true }),
      'invalid-input',
      'an unsound row',
    )
    expectSame(await store.read('c'), { record: null, rows: [] }, 'what is read')
  },
}

/** Longest time until a change must be reported, even on a slow machine. Milliseconds. */
const REPORT_TIMEOUT_MS = 20_000

export const FOLLOWS: Record<string, Requirement> = {
  'calls back after what another one has changed, until it is not wished': async ({
    store,
    other,
  }) => {
    if (!other.follow) return
    const changes: StoreChange[] = []
    const stop = other.follow((change) => changes.push(change))
    const isReported = (conversationId: string, lastSeq: number): boolean =>
      changes.some(
        (each) =>
          each.conversationId === null ||
          (each.conversationId === conversationId && each.lastSeq === lastSeq),
      )
    try {
      // Writes until a change is reported, because changes before the store follows aren't.
      let lastSeq = 0
      const { epoch } = await store.claim('c', 1)
      await waitUntil(async () => {
        const rows = await store.append(appendOf('c', epoch, [runEnded(newId('r'))]))
        lastSeq = rows.at(-1)?.seq ?? 0
        return changes.length > 0
      })
      changes.length = 0
      await store.append(appendOf('c', epoch, [runEnded('r')]))
      await waitUntil(() => isReported('c', lastSeq + 1))
      await store.rename('c', { title: 'A name', at: 9 })
      await waitUntil(() => isReported('c', lastSeq + 2))
      await store.delete('c')
      await waitUntil(() => isReported('c', 0))
    } finally {
      stop()
    }
    await store.claim('d', 1)
    const countAfterStop = changes.length
    await new Promise((resolve) => setTimeout(resolve, 50))
    expectTrue(changes.length === countAfterStop, 'nothing is called back afterwards')
  },
}

async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + REPORT_TIMEOUT_MS
  while (!(await condition())) {
    expectTrue(Date.now() < deadline, `a change is reported within ${REPORT_TIMEOUT_MS} ms`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
