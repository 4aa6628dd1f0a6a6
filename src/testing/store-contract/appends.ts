import type { NewRow } from '../../protocol/fact.ts'
import type { Requirement } from './cases.ts'
import {
  appendOf,
  codeOf,
  ended,
  holds,
  refused,
  rowsIn,
  same,
  seqsOf,
  started,
} from './expectations.ts'

export const APPENDS: Record<string, Requirement> = {
  'numbers rows from 1 without gaps, across appends': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const first = await store.append(appendOf('c', epoch, [started('r', 'hi'), ended('r')]))
    const second = await store.append(appendOf('c', epoch, [started('s', 'again')]))
    same(seqsOf([...first, ...second]), [1, 2, 3], 'seqs as they were returned')
    same(await rowsIn(store), [...first, ...second], 'rows as they were stored')
  },
  'keeps what the rows come to in the record': async ({ store }) => {
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
    const texts = ['x'.repeat(1_000_000), 'a\u0000b', '\ud83d\ude00 \u2028 "\\', '\u202e']
    const rows = texts.map((text, at) => started(`r${at}`, text))
    const written = await store.append(appendOf('c', epoch, rows))
    same(await rowsIn(other), written, 'what is stored')
  },
  'of appends at once takes each as a whole, one after the other': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const appends = Array.from({ length: 12 }, (_, at) =>
      appendOf('c', epoch, [started(`r${at}`, 'hi'), ended(`r${at}`)]),
    )
    await Promise.all(appends.map((append, at) => (at % 2 ? store : other).append(append)))
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
