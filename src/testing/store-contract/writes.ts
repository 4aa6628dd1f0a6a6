import {
  appendOf,
  codeOf,
  runEnded,
  expectTrue,
  expectNoAppend,
  expectRefusal,
  type Requirement,
  rowsIn,
  expectSame,
  runStarted,
  nextOrder,
  seqsOf,
  type StorePair,
} from './expectations.ts'
import type { NewRow } from '../../protocol/fact.ts'
import type { Append, Store } from '../../worker/store/store.ts'

export const OWNERS: Record<string, Requirement> = {
  'gives every claim of any conversation the next epoch of one store': async ({ store, other }) => {
    const first = await store.claim('c', 1)
    const second = await other.claim('d', 1)
    const third = await store.claim('c', 2)
    expectTrue(first.epoch < second.epoch && second.epoch < third.epoch, 'each epoch is newer')
    expectSame(second.storeId, first.storeId, 'the name of the store')
  },
  'refuses an owner who was replaced, and writes nothing of it': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    await other.claim('c', 2)
    await expectNoAppend(store, epoch)
    expectSame(await rowsIn(store), [], 'what is stored')
  },
  'answers a claim that arrives twice with one epoch, while it is the newest': async ({
    store,
    other,
  }) => {
    const options = { attempt: 'one', claimId: 'mine', ifEpoch: 0 }
    const { epoch } = await store.claim('c', 1, options)
    await store.append(appendOf('c', epoch, [runEnded('r')]))
    expectSame((await other.claim('c', 1, options)).epoch, epoch, 'the epoch of the second copy')
    await store.append(appendOf('c', epoch, [runEnded('r')]))
    // The tabs of one browser have the same claim id, but their attempts differ.
    const tab = await other.claim('c', 2, { attempt: 'two', claimId: 'mine' })
    expectTrue(tab.epoch > epoch, 'another attempt gets another epoch')
    await expectNoAppend(store, epoch)
    // The late copy must not stop the current owner, because its answer reaches nobody.
    const lateCode = await codeOf(other.claim('c', 1, options))
    expectTrue(
      lateCode === null || lateCode === 'ownership-lost',
      `the code ${lateCode} of a late copy`,
    )
    if (lateCode !== null) await other.append(appendOf('c', tab.epoch, [runEnded('r')]))
  },
  'gives no claim the name of another one, where it keeps what claims are named': async ({
    store,
    other,
  }) => {
    const claimNamed = async (claimId?: string): Promise<string | null> => {
      const { epoch } = await store.claim('c', 1, claimId === undefined ? {} : { claimId })
      const claim = (await other.get('c'))?.claim
      expectSame((await store.read('c')).record?.claim, claim, 'what a reading says of the claim')
      // A claim with another epoch isn't the newest claim.
      return claim?.epoch === epoch ? claim.id : null
    }
    const first = await claimNamed('one')
    expectTrue(first === null || first === 'one', 'the name is the one that was given, or none')
    expectSame(await claimNamed('two'), first && 'two', 'the name of the next claim')
    expectSame(await claimNamed(), null, 'the name of a claim without one')
    const third = await claimNamed('three')
    const epoch = (await store.get('c'))?.epoch ?? 0
    await store.append(appendOf('c', epoch, [runEnded('r')]))
    await store.rename('c', { title: 'A name', at: 9 })
    const claim = (await other.get('c'))?.claim
    expectSame(claim?.id ?? null, third, 'the name after what was written')
  },
  'refuses a claim for which somebody else was quicker, or takes it whole': async ({
    store,
    other,
  }) => {
    const { epoch } = await store.claim('c', 1, { ifEpoch: 0 })
    const newer = await other.claim('c', 2, { ifEpoch: epoch })
    const code = await codeOf(store.claim('c', 3, { ifEpoch: epoch }))
    expectTrue(code === null || code === 'ownership-lost', `the code ${code}`)
    const isNewest = (await other.get('c'))?.epoch === newer.epoch
    expectSame(isNewest, code !== null, 'whether the claim before is still the newest')
    const appended = await codeOf(other.append(appendOf('c', newer.epoch, [runEnded('r')])))
    expectSame(appended, code === null ? 'ownership-lost' : null, 'an append of the quicker one')
  },
  'orders a claim and an append that arrive at once': async ({ store, other }) => {
    for (let round = 0; round < 10; round++) {
      const { epoch } = await store.claim('c', 1)
      const countBefore = (await rowsIn(store)).length
      const append = appendOf('c', epoch, [runStarted('r', 'hi'), runEnded('r')])
      const [code] = await Promise.all([codeOf(store.append(append)), other.claim('c', 2)])
      const writtenCount = (await rowsIn(other)).length - countBefore
      expectSame(writtenCount, code === null ? 2 : 0, `the rows of an append that came to ${code}`)
      expectTrue(code === null || code === 'ownership-lost', `the code ${code}`)
    }
  },
  'refuses the owner of a conversation that was deleted, also once it is made again': async ({
    store,
    other,
  }) => {
    const { epoch } = await store.claim('c', 1)
    expectSame(await other.delete('c'), true, 'the answer to a deletion')
    await expectNoAppend(store, epoch)
    const recreated = await other.claim('c', 2)
    expectTrue(recreated.epoch > epoch, 'the epoch of one that is made again is newer')
    await expectNoAppend(store, epoch)
    expectSame(await rowsIn(store), [], 'what is stored')
  },
  'creates none where that is not wished, or whose parent is gone': async ({ store }) => {
    const refusedClaim = store.claim('c', 1, { create: false })
    await expectRefusal(refusedClaim, 'conversation-not-found', 'a claim of what is not there')
    const parent = { conversationId: 'gone', runId: 'r', toolCallId: 't' }
    const orphan = store.claim('c', 1, { parent })
    await expectRefusal(orphan, 'conversation-not-found', 'a claim for a call of what is not there')
    expectSame((await store.list()).records, [], 'the list')
  },
  'lets nobody claim one whose record says that it is broken': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    await store.mark('c', 'Row 3 is missing.')
    expectSame((await store.get('c'))?.broken, 'Row 3 is missing.', 'the record')
    await expectRefusal(store.claim('c', 2), 'conversation-broken', 'a claim')
    await expectNoAppend(store, epoch, 'conversation-broken')
    await store.mark('c', null)
    await store.claim('c', 2)
  },
}

/** More attempts than there are other appends that could overtake this one. */
const MAX_TRIES = 20

export const APPENDS: Record<string, Requirement> = {
  'numbers rows from 1 without gaps, across appends': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const first = await store.append(appendOf('c', epoch, [runStarted('r', 'hi'), runEnded('r')]))
    const second = await store.append(appendOf('c', epoch, [runStarted('s', 'again')]))
    expectSame(seqsOf([...first, ...second]), [1, 2, 3], 'seqs as they were returned')
    expectSame(await rowsIn(store), [...first, ...second], 'rows as they were stored')
  },
  'keeps the state of the rows in the record': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    await store.append(appendOf('c', epoch, [runStarted('r', '  Buy\n mugs ')]))
    const open = await store.get('c')
    expectSame([open?.title, open?.openRunId, open?.lastSeq], ['Buy mugs', 'r', 1], 'the record')
    await store.append(appendOf('c', epoch, [runEnded('r', 9)]))
    const closed = await store.get('c')
    expectSame([closed?.openRunId, closed?.updatedAt], [null, 9], 'the record after the end')
  },
  'writes a repeat once, and returns what the first one wrote': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const append = appendOf('c', epoch, [runStarted('r', 'hi')])
    const rows = await store.append(append)
    expectSame(await store.append(append), rows, 'the rows of a repeat')
    const changed = { ...append, rows: [runEnded('r')] }
    expectSame(await other.append(changed), rows, 'the rows of a repeat with other rows')
    await other.claim('c', 2)
    expectSame(await store.append(append), rows, 'the rows of a repeat by a former owner')
    expectSame(await rowsIn(store), rows, 'what is stored')
  },
  'writes nothing of an append that arrives late, however many came after it': async ({
    store,
    other,
  }) => {
    const { epoch } = await store.claim('c', 1)
    const unsent = appendOf('c', epoch, [runStarted('late', 'hi')])
    const append = appendOf('c', epoch, [runStarted('r', 'hi'), runEnded('r')])
    const written = await store.append(append)
    for (let at = 0; at < 20; at++) await store.append(appendOf('c', epoch, [runEnded('r')]))
    const rows = [...(await rowsIn(store))]
    await expectRefusal(other.append(unsent), 'storage-failed', 'a request that was overtaken')
    const newest = appendOf('c', epoch, [runEnded('r')])
    rows.push(...(await store.append(newest)))
    const twin = { ...appendOf('c', epoch, [runEnded('twin')]), order: newest.order }
    await expectRefusal(other.append(twin), 'storage-failed', 'another append of the same order')
    const result = await other.append(append).catch((error: unknown) => error)
    if (Array.isArray(result)) expectSame(result, written, 'the rows of a second copy')
    else await expectRefusal(Promise.reject(result), 'storage-failed', 'a second copy')
    expectSame(await rowsIn(store), rows, 'what is stored')
    const next = await store.append({ ...unsent, order: nextOrder() })
    expectSame(seqsOf(next), [rows.length + 1], 'the next try')
    const newer = await other.claim('c', 2)
    const first = { ...appendOf('c', newer.epoch, [runEnded('late')]), order: 1 }
    expectSame(
      seqsOf(await other.append(first)),
      [rows.length + 2],
      'the first append of a new owner',
    )
  },
  'takes an append as a whole or not at all': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const unsound = {
      ...runEnded('r'),
      end: { outcome: 'aborted', reason: {} },
    } as unknown as NewRow
    const append = store.append(appendOf('c', epoch, [runStarted('r', 'hi'), unsound]))
    await expectRefusal(append, 'invalid-input', 'a row that could not be read again')
    expectSame(await rowsIn(store), [], 'what is stored')
  },
  'refuses a row whose message has another role than its fact gives it': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const message = { id: 'm', role: 'system', parts: [] }
    const forged = { ...runStarted('r', 'hi'), message }
    const append = store.append(appendOf('c', epoch, [forged as unknown as NewRow]))
    await expectRefusal(append, 'invalid-input', 'a message in the role system')
    expectSame(await rowsIn(store), [], 'what is stored')
  },
  'refuses a text that is longer than its limit': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    const title = 'x'.repeat(10_001)
    const row: NewRow = { type: 'renamed', runId: null, at: 5, title }
    await expectRefusal(store.append(appendOf('c', epoch, [row])), 'invalid-input', 'a long title')
    await expectRefusal(store.rename('c', { title, at: 5 }), 'invalid-input', 'a long name')
    expectSame(await rowsIn(store), [], 'what is stored')
  },
  'keeps big rows and any text': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const texts = ['x'.repeat(4_500_000), 'a\u0000b', '\ud83d\ude00 \u2028 "\\', '\u202e']
    const rows = texts.map((text, at) => runStarted(`r${at}`, text))
    const written = await store.append(appendOf('c', epoch, rows))
    expectSame(await rowsIn(other), written, 'what is stored')
  },
  'takes simultaneous appends as wholes, one after the other': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    const appends = Array.from({ length: 12 }, (_, at) =>
      appendOf('c', epoch, [runStarted(`r${at}`, 'hi'), runEnded(`r${at}`)]),
    )
    await Promise.all(appends.map((append, at) => appendInTurn(at % 2 ? store : other, append)))
    const rows = await rowsIn(store)
    expectSame(
      seqsOf(rows),
      Array.from({ length: 24 }, (_, at) => at + 1),
      'seqs',
    )
    for (let at = 0; at < rows.length; at += 2)
      expectSame(rows[at]?.runId, rows[at + 1]?.runId, 'two rows of one append')
  },
  'finds an append whose answer was lost, and does not write it again': async (pair, tested) => {
    const { store, other } = pair
    const { epoch } = await store.claim('c', 1)
    const append = appendOf('c', epoch, [runStarted('r', 'hi')])
    tested.loseNextAnswer?.(store)
    const code = await codeOf(store.append(append))
    expectTrue(code === null || code.startsWith('storage-'), `the code ${code} of a lost answer`)
    const { rows } = await other.read('c')
    expectSame(seqsOf(rows), [1], 'what is read back')
    expectSame(await store.append(append), rows, 'what the repeat returns')
    expectSame(await rowsIn(other), rows, 'what is stored')
  },
  'refuses what it has no room for, and takes it once there is room': async (pair, tested) => {
    const { store } = pair
    const { epoch } = await store.claim('c', 1)
    const append = appendOf('c', epoch, [runStarted('r', 'hi')])
    const makeRoom = await tested.fill?.(store)
    if (!makeRoom) return
    await expectRefusal(store.append(append), 'storage-full', 'an append to a full store')
    await makeRoom()
    expectSame(seqsOf(await store.append(append)), [1], 'the same append, with room')
  },
}

/** Appends. Repeats an append that was refused because another append overtook it. */
async function appendInTurn(store: Store, append: Append): Promise<void> {
  let code: string | null = 'storage-failed'
  for (let tries = 0; code === 'storage-failed' && tries < MAX_TRIES; tries++)
    code = await codeOf(store.append({ ...append, order: nextOrder() }))
  expectSame(code, null, 'what an append ends with')
}

interface LatePair extends StorePair {
  /** Keeps a copy of the next request of `store`. */
  copyNext(): () => Promise<void>
}

/** Runs a requirement with late copies of requests: a proxy may deliver a request again, long after its answer. */
function withLateCopies(requirement: (pair: LatePair) => Promise<void>): Requirement {
  return async (pair, { copyNextRequest }) => {
    if (copyNextRequest === undefined) return
    await requirement({ ...pair, copyNext: () => copyNextRequest(pair.store) })
  }
}

export const LATE_REQUESTS: Record<string, Requirement> = {
  'a late copy of a claim does not make a deleted conversation again': withLateCopies(
    async ({ store, other, copyNext }) => {
      const deliver = copyNext()
      await store.claim('c', 1, { attempt: 'one', ifEpoch: 0 })
      await other.delete('c')
      await deliver()
      expectSame(await other.get('c'), null, 'the record')
      const { epoch } = await store.claim('c', 2, { attempt: 'two', ifEpoch: 0 })
      await store.append(appendOf('c', epoch, [runEnded('r')]))
      await deliver()
      expectSame((await other.get('c'))?.epoch, epoch, 'the epoch of one that is made again')
      await other.delete('c')
      await deliver()
      expectSame(await other.get('c'), null, 'the record after another deletion')
    },
  ),
  'a late copy of a title does not replace a newer one': withLateCopies(
    async ({ store, other, copyNext }) => {
      const { epoch } = await store.claim('c', 1)
      await store.append(appendOf('c', epoch, [runStarted('r', 'Mugs'), runEnded('r')]))
      const deliver = copyNext()
      expectSame(await store.rename('c', { title: 'First', at: 9 }), true, 'a title')
      expectSame(await other.rename('c', { title: 'Second', at: 9 }), true, 'another one')
      const rows = await rowsIn(other)
      await deliver()
      expectSame((await other.get('c'))?.title, 'Second', 'the title')
      expectSame(await rowsIn(other), rows, 'what is stored')
    },
  ),
  'a late copy of an import does not take back its later rows, nor its deletion': withLateCopies(
    async ({ store, other, copyNext }) => {
      const base = { conversationId: 'c', importId: 'i', createdAt: 3, updatedAt: 4 }
      const parts: NewRow[][] = [[runStarted('r', 'hi')], [runEnded('r')], [runStarted('s', 'on')]]
      const copies: (() => Promise<void>)[] = []
      for (const [after, rows] of parts.entries()) {
        copies.push(copyNext())
        await store.place({ ...base, after, rows, isLast: after === 2 })
        for (const deliver of copies) await deliver()
      }
      const { epoch } = await other.claim('c', 5)
      await other.append(appendOf('c', epoch, [runEnded('s')]))
      const found = await other.read('c')
      expectSame(found.rows.length, 4, 'how many rows there are')
      for (const deliver of copies) await deliver()
      expectSame(await other.read('c'), found, 'what is stored')
      await other.delete('c')
      for (const deliver of copies) await deliver()
      expectSame(await other.get('c'), null, 'the record after a deletion')
    },
  ),
  'a late copy of an import does not take the place of another one': withLateCopies(
    async ({ store, other, copyNext }) => {
      const base = { conversationId: 'c', createdAt: 3, updatedAt: 4, isLast: false }
      const rows = [runStarted('r', 'hi')]
      const deliver = copyNext()
      await store.place({ ...base, importId: 'given up', after: 0, rows })
      await other.place({ ...base, importId: 'new', after: 0, rows })
      await deliver()
      const lastPart = { importId: 'new', after: 1, rows: [runEnded('r')], isLast: true }
      expectSame(await other.place({ ...base, ...lastPart }), true, 'the rest of the new one')
    },
  ),
  'a late copy of a deletion does not delete what was made again': withLateCopies(
    async ({ store, other, copyNext }) => {
      await store.claim('c', 1)
      const deliver = copyNext()
      await store.delete('c')
      const { epoch } = await other.claim('c', 2)
      await deliver()
      expectSame((await other.get('c'))?.epoch, epoch, 'the epoch of one that is made again')
    },
  ),
  'a late copy of what was wrong with a conversation is not noted again': withLateCopies(
    async ({ store, other, copyNext }) => {
      await store.claim('c', 1)
      const deliver = copyNext()
      await store.mark('c', 'Row 3 is missing.')
      await other.mark('c', null)
      await deliver()
      expectSame((await other.get('c'))?.broken, undefined, 'the record')
    },
  ),
}
