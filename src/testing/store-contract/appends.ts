import type { NewRow } from '../../protocol/fact.ts'
import type { Append, Store } from '../../worker/store/store.ts'
import {
  appendOf,
  codeOf,
  ended,
  holds,
  nextOrder,
  refused,
  type Requirement,
  rowsIn,
  same,
  seqsOf,
  started,
  type StorePair,
} from './expectations.ts'

/** More tries than there are other appends that could overtake it. */
const MOST_TRIES = 20

export const APPENDS: Record<string, Requirement> = {
  'numbers rows from 1 without gaps, across appends': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const first = await store.append(appendOf('c', epoch, [started('r', 'hi'), ended('r')]))
    const second = await store.append(appendOf('c', epoch, [started('s', 'again')]))
    same(seqsOf([...first, ...second]), [1, 2, 3], 'seqs as they were returned')
    same(await rowsIn(store), [...first, ...second], 'rows as they were stored')
  },
  'keeps the state of the rows in the record': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    await store.append(appendOf('c', epoch, [started('r', '  Buy\n mugs ')]))
    const open = await store.get('c')
    same([open?.title, open?.openRunId, open?.lastSeq], ['Buy mugs', 'r', 1], 'the record')
    await store.append(appendOf('c', epoch, [ended('r', 9)]))
    const closed = await store.get('c')
    same([closed?.openRunId, closed?.updatedAt], [null, 9], 'the record after the end')
  },
  'writes a repeat once, and returns what the first one wrote': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const append = appendOf('c', epoch, [started('r', 'hi')])
    const rows = await store.append(append)
    same(await store.append(append), rows, 'the rows of a repeat')
    const changed = { ...append, rows: [ended('r')] }
    same(await other.append(changed), rows, 'the rows of a repeat with other rows')
    await other.claim('c', 2)
    same(await store.append(append), rows, 'the rows of a repeat by a former owner')
    same(await rowsIn(store), rows, 'what is stored')
  },
  'writes nothing of an append that arrives late, however many came after it': async ({
    store,
    other,
  }) => {
    const { epoch } = await store.claim('c', 1)
    const unsent = appendOf('c', epoch, [started('late', 'hi')])
    const append = appendOf('c', epoch, [started('r', 'hi'), ended('r')])
    const written = await store.append(append)
    for (let at = 0; at < 20; at++) await store.append(appendOf('c', epoch, [ended('r')]))
    const rows = [...(await rowsIn(store))]
    await refused(other.append(unsent), 'storage-failed', 'a request that was overtaken')
    const newest = appendOf('c', epoch, [ended('r')])
    rows.push(...(await store.append(newest)))
    const twin = { ...appendOf('c', epoch, [ended('twin')]), order: newest.order }
    await refused(other.append(twin), 'storage-failed', 'another append of the same order')
    const again = await other.append(append).catch((error: unknown) => error)
    if (Array.isArray(again)) same(again, written, 'the rows of a second copy')
    else await refused(Promise.reject(again), 'storage-failed', 'a second copy')
    same(await rowsIn(store), rows, 'what is stored')
    const next = await store.append({ ...unsent, order: nextOrder() })
    same(seqsOf(next), [rows.length + 1], 'the next try')
    const newer = await other.claim('c', 2)
    const first = { ...appendOf('c', newer.epoch, [ended('late')]), order: 1 }
    same(seqsOf(await other.append(first)), [rows.length + 2], 'the first append of a new owner')
  },
  'takes an append as a whole or not at all': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const unsound = { ...ended('r'), end: { outcome: 'aborted', reason: {} } } as unknown as NewRow
    const late = store.append(appendOf('c', epoch, [started('r', 'hi'), unsound]))
    await refused(late, 'invalid-input', 'a row that could not be read again')
    same(await rowsIn(store), [], 'what is stored')
  },
  'refuses a row whose message has another role than its fact gives it': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const message = { id: 'm', role: 'system', parts: [] }
    const forged = { ...started('r', 'hi'), message }
    const append = store.append(appendOf('c', epoch, [forged as unknown as NewRow]))
    await refused(append, 'invalid-input', 'a message in the role system')
    same(await rowsIn(store), [], 'what is stored')
  },
  'refuses a text that is longer than its limit': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const title = 'x'.repeat(10_001)
    const row: NewRow = { type: 'renamed', runId: null, at: 5, title }
    await refused(store.append(appendOf('c', epoch, [row])), 'invalid-input', 'a long title')
    await refused(store.rename('c', { title, at: 5 }), 'invalid-input', 'a long name')
    same(await rowsIn(store), [], 'what is stored')
  },
  'keeps big rows and any text': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const texts = ['x'.repeat(4_500_000), 'a\u0000b', '\ud83d\ude00 \u2028 "\\', '\u202e']
    const rows = texts.map((text, at) => started(`r${at}`, text))
    const written = await store.append(appendOf('c', epoch, rows))
    same(await rowsIn(other), written, 'what is stored')
  },
  'takes simultaneous appends as wholes, one after the other': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const appends = Array.from({ length: 12 }, (_, at) =>
      appendOf('c', epoch, [started(`r${at}`, 'hi'), ended(`r${at}`)]),
    )
    await Promise.all(appends.map((append, at) => inTurn(at % 2 ? store : other, append)))
    const rows = await rowsIn(store)
    same(
      seqsOf(rows),
      Array.from({ length: 24 }, (_, at) => at + 1),
      'seqs',
    )
    for (let at = 0; at < rows.length; at += 2)
      same(rows[at]?.runId, rows[at + 1]?.runId, 'two rows of one append')
  },
  'finds an append whose answer was lost, and does not write it again': async (pair, tested) => {
    const { store, other } = pair
    const { epoch } = await store.claim('c', 1)
    const append = appendOf('c', epoch, [started('r', 'hi')])
    tested.loseNextAnswer?.(store)
    const code = await codeOf(store.append(append))
    holds(code === null || code.startsWith('storage-'), `the code ${code} of a lost answer`)
    const { rows } = await other.read('c')
    same(seqsOf(rows), [1], 'what is read back')
    same(await store.append(append), rows, 'what the repeat returns')
    same(await rowsIn(other), rows, 'what is stored')
  },
  'refuses what it has no room for, and takes it once there is room': async (pair, tested) => {
    const { store } = pair
    const { epoch } = await store.claim('c', 1)
    const append = appendOf('c', epoch, [started('r', 'hi')])
    const makeRoom = await tested.fill?.(store)
    if (!makeRoom) return
    await refused(store.append(append), 'storage-full', 'an append to a full store')
    await makeRoom()
    same(seqsOf(await store.append(append)), [1], 'the same append, with room')
  },
}

/** Appends, and repeats an append that was refused because another one overtook it. */
async function inTurn(store: Store, append: Append): Promise<void> {
  let code: string | null = 'storage-failed'
  for (let tries = 0; code === 'storage-failed' && tries < MOST_TRIES; tries++)
    code = await codeOf(store.append({ ...append, order: nextOrder() }))
  same(code, null, 'what an append ends with')
}

interface Late extends StorePair {
  /** Keeps a copy of the next request of `store`. */
  copyNext(): () => Promise<void>
}

/**
 * Runs a requirement with late copies of requests: a proxy may deliver one again, long after everybody has moved on.
 */
function late(requirement: (late: Late) => Promise<void>): Requirement {
  return async (pair, { copyNextRequest }) => {
    if (copyNextRequest === undefined) return
    await requirement({ ...pair, copyNext: () => copyNextRequest(pair.store) })
  }
}

export const LATE_REQUESTS: Record<string, Requirement> = {
  'a late copy of a claim does not make a deleted conversation again': late(
    async ({ store, other, copyNext }) => {
      const deliver = copyNext()
      await store.claim('c', 1, { attempt: 'one', ifEpoch: 0 })
      await other.delete('c')
      await deliver()
      same(await other.get('c'), null, 'the record')
      const { epoch } = await store.claim('c', 2, { attempt: 'two', ifEpoch: 0 })
      await store.append(appendOf('c', epoch, [ended('r')]))
      await deliver()
      same((await other.get('c'))?.epoch, epoch, 'the epoch of one that is made again')
      await other.delete('c')
      await deliver()
      same(await other.get('c'), null, 'the record after another deletion')
    },
  ),
  'a late copy of a title does not replace a newer one': late(
    async ({ store, other, copyNext }) => {
      const { epoch } = await store.claim('c', 1)
      await store.append(appendOf('c', epoch, [started('r', 'Mugs'), ended('r')]))
      const deliver = copyNext()
      same(await store.rename('c', { title: 'First', at: 9 }), true, 'a title')
      same(await other.rename('c', { title: 'Second', at: 9 }), true, 'another one')
      const rows = await rowsIn(other)
      await deliver()
      same((await other.get('c'))?.title, 'Second', 'the title')
      same(await rowsIn(other), rows, 'what is stored')
    },
  ),
  'a late copy of an import does not take back its later rows, nor its deletion': late(
    async ({ store, other, copyNext }) => {
      const place = { conversationId: 'c', importId: 'i', createdAt: 3, updatedAt: 4 }
      const parts: NewRow[][] = [[started('r', 'hi')], [ended('r')], [started('s', 'on')]]
      const copies: (() => Promise<void>)[] = []
      for (const [after, rows] of parts.entries()) {
        copies.push(copyNext())
        await store.place({ ...place, after, rows, isLast: after === 2 })
        for (const deliver of copies) await deliver()
      }
      const { epoch } = await other.claim('c', 5)
      await other.append(appendOf('c', epoch, [ended('s')]))
      const found = await other.read('c')
      same(found.rows.length, 4, 'how many rows there are')
      for (const deliver of copies) await deliver()
      same(await other.read('c'), found, 'what is stored')
      await other.delete('c')
      for (const deliver of copies) await deliver()
      same(await other.get('c'), null, 'the record after a deletion')
    },
  ),
  'a late copy of an import does not take the place of another one': late(
    async ({ store, other, copyNext }) => {
      const place = { conversationId: 'c', createdAt: 3, updatedAt: 4, isLast: false }
      const rows = [started('r', 'hi')]
      const deliver = copyNext()
      await store.place({ ...place, importId: 'given up', after: 0, rows })
      await other.place({ ...place, importId: 'new', after: 0, rows })
      await deliver()
      const rest = { importId: 'new', after: 1, rows: [ended('r')], isLast: true }
      same(await other.place({ ...place, ...rest }), true, 'the rest of the new one')
    },
  ),
  'a late copy of a deletion does not delete what was made again': late(
    async ({ store, other, copyNext }) => {
      await store.claim('c', 1)
      const deliver = copyNext()
      await store.delete('c')
      const { epoch } = await other.claim('c', 2)
      await deliver()
      same((await other.get('c'))?.epoch, epoch, 'the epoch of one that is made again')
    },
  ),
  'a late copy of what was wrong with a conversation is not noted again': late(
    async ({ store, other, copyNext }) => {
      await store.claim('c', 1)
      const deliver = copyNext()
      await store.mark('c', 'Row 3 is missing.')
      await other.mark('c', null)
      await deliver()
      same((await other.get('c'))?.broken, undefined, 'the record')
    },
  ),
}
