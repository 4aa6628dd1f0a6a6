import type { NewRow } from '../../protocol/fact.ts'
import type { Requirement, StorePair } from './cases.ts'
import { appendOf, ended, rowsIn, same, started } from './expectations.ts'

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
