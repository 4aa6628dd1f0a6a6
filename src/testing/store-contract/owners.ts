import {
  appendOf,
  codeOf,
  ended,
  holds,
  refused,
  type Requirement,
  rowsIn,
  same,
  started,
} from './expectations.ts'

export const OWNERS: Record<string, Requirement> = {
  'gives every claim of any conversation the next epoch of one store': async ({ store, other }) => {
    const first = await store.claim('c', 1)
    const second = await other.claim('d', 1)
    const third = await store.claim('c', 2)
    holds(first.epoch < second.epoch && second.epoch < third.epoch, 'each epoch is newer')
    same(second.storeId, first.storeId, 'the name of the store')
  },
  'refuses an owner who was replaced, and writes nothing of it': async ({ store, other }) => {
    const { epoch } = await store.claim('c', 1)
    await other.claim('c', 2)
    await refused(store.append(appendOf('c', epoch, [ended('r')])), 'ownership-lost', 'an append')
    same(await rowsIn(store), [], 'what is stored')
  },
  'answers a claim that arrives twice with one epoch, while it is the newest': async ({
    store,
    other,
  }) => {
    const options = { attempt: 'one', claimId: 'mine', ifEpoch: 0 }
    const { epoch } = await store.claim('c', 1, options)
    await store.append(appendOf('c', epoch, [ended('r')]))
    same((await other.claim('c', 1, options)).epoch, epoch, 'the epoch of the second copy')
    await store.append(appendOf('c', epoch, [ended('r')]))
    // Two tabs of one browser share a name, but their attempts differ.
    const tab = await other.claim('c', 2, { attempt: 'two', claimId: 'mine' })
    holds(tab.epoch > epoch, 'another attempt gets another epoch')
    await refused(store.append(appendOf('c', epoch, [ended('r')])), 'ownership-lost', 'an append')
    // Nobody receives the answer to the late copy, so it must not stop the current owner.
    const late = await codeOf(other.claim('c', 1, options))
    holds(late === null || late === 'ownership-lost', `the code ${late} of a late copy`)
    if (late !== null) await other.append(appendOf('c', tab.epoch, [ended('r')]))
  },
  'gives no claim the name of another one, where it keeps what claims are named': async ({
    store,
    other,
  }) => {
    const named = async (claimId?: string): Promise<string | null> => {
      const { epoch } = await store.claim('c', 1, claimId === undefined ? {} : { claimId })
      const claim = (await other.get('c'))?.claim
      same((await store.read('c')).record?.claim, claim, 'what a reading says of the claim')
      // A claim of another epoch says nothing about the newest claim.
      return claim?.epoch === epoch ? claim.id : null
    }
    const first = await named('one')
    holds(first === null || first === 'one', 'the name is the one that was given, or none')
    same(await named('two'), first && 'two', 'the name of the next claim')
    same(await named(), null, 'the name of a claim without one')
    const again = await named('three')
    const epoch = (await store.get('c'))?.epoch ?? 0
    await store.append(appendOf('c', epoch, [ended('r')]))
    await store.rename('c', { title: 'A name', at: 9 })
    const kept = (await other.get('c'))?.claim
    same(kept?.id ?? null, again, 'the name after what was written')
  },
  'refuses a claim for which somebody else was quicker, or takes it whole': async ({
    store,
    other,
  }) => {
    const { epoch } = await store.claim('c', 1, { ifEpoch: 0 })
    const newer = await other.claim('c', 2, { ifEpoch: epoch })
    const code = await codeOf(store.claim('c', 3, { ifEpoch: epoch }))
    holds(code === null || code === 'ownership-lost', `the code ${code}`)
    const isNewest = (await other.get('c'))?.epoch === newer.epoch
    same(isNewest, code !== null, 'whether the claim before is still the newest')
    const appended = await codeOf(other.append(appendOf('c', newer.epoch, [ended('r')])))
    same(appended, code === null ? 'ownership-lost' : null, 'an append of the quicker one')
  },
  'orders a claim and an append that arrive at once': async ({ store, other }) => {
    for (let round = 0; round < 10; round++) {
      const { epoch } = await store.claim('c', 1)
      const before = (await rowsIn(store)).length
      const append = appendOf('c', epoch, [started('r', 'hi'), ended('r')])
      const [code] = await Promise.all([codeOf(store.append(append)), other.claim('c', 2)])
      const written = (await rowsIn(other)).length - before
      same(written, code === null ? 2 : 0, `the rows of an append that came to ${code}`)
      holds(code === null || code === 'ownership-lost', `the code ${code}`)
    }
  },
  'refuses the owner of a conversation that was deleted, also once it is made again': async ({
    store,
    other,
  }) => {
    const { epoch } = await store.claim('c', 1)
    same(await other.delete('c'), true, 'the answer to a deletion')
    await refused(store.append(appendOf('c', epoch, [ended('r')])), 'ownership-lost', 'an append')
    const again = await other.claim('c', 2)
    holds(again.epoch > epoch, 'the epoch of one that is made again is newer')
    await refused(store.append(appendOf('c', epoch, [ended('r')])), 'ownership-lost', 'an append')
    same(await rowsIn(store), [], 'what is stored')
  },
  'creates none where that is not wished, or whose parent is gone': async ({ store }) => {
    const none = store.claim('c', 1, { create: false })
    await refused(none, 'conversation-not-found', 'a claim of what is not there')
    const parent = { conversationId: 'gone', runId: 'r', toolCallId: 't' }
    const orphan = store.claim('c', 1, { parent })
    await refused(orphan, 'conversation-not-found', 'a claim for a call of what is not there')
    same((await store.list()).records, [], 'the list')
  },
  'lets nobody claim one whose record says that it is broken': async ({ store }) => {
    const { epoch } = await store.claim('c', 1)
    await store.mark('c', 'Row 3 is missing.')
    same((await store.get('c'))?.broken, 'Row 3 is missing.', 'the record')
    await refused(store.claim('c', 2), 'conversation-broken', 'a claim')
    await refused(
      store.append(appendOf('c', epoch, [ended('r')])),
      'conversation-broken',
      'an append',
    )
    await store.mark('c', null)
    await store.claim('c', 2)
  },
}
