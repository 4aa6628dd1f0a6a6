import { expect, test } from 'vitest'
import { randomId } from '../../../../src/lib/random-id.ts'
import { OffstageError } from '../../../../src/protocol/error.ts'
import { SharedClaims, memoryClaimBook } from '../../../../src/worker/store/claims.ts'
import { createMemoryStore } from '../../../../src/worker/store/memory-store.ts'
import type { Claim, ClaimOptions, Store } from '../../../../src/worker/store/store.ts'

const storage = 'custom:shop'

type Ask = (named: ClaimOptions) => Promise<Claim>

/** A store of an older version, which ignores claim names. */
function withoutNames(store: Store): Store {
  return { ...store, claim: (id, at) => store.claim(id, at) }
}

/** The claims of one browser, before and after a reload. */
function browser(store = createMemoryStore()) {
  const claims = memoryClaimBook()
  const open = (of = storage): SharedClaims =>
    new SharedClaims({
      conversationId: 'c',
      storage: of,
      store,
      claims,
      newId: (prefix) => prefix + randomId(),
    })
  const ask: Ask = (named) => store.claim('c', 1, named)
  return {
    open,
    claim: (by = ask) => open().claim(by),
    /** The newest claim is this browser's, as far as known after a reload. */
    isOwn: async (tabs = 0) => open().isOwn(await open().newest(), tabs),
    lostRequest: async (): Promise<Claim> => {
      throw new OffstageError('storage-offline', 'Out of reach.')
    },
    lostAnswer: async (named: ClaimOptions): Promise<Claim> => {
      await ask(named)
      throw new OffstageError('storage-offline', 'Out of reach.')
    },
  }
}

const stores = [
  ['that keeps the names of claims', (store: Store) => store],
  ['of an older version', withoutNames],
] as const

test.each(stores)(
  'a claim is this browser’s after a reload, and another one is not: in a store %s',
  async (_name, kept) => {
    const store = kept(createMemoryStore())
    const [one, other] = [browser(store), browser(store)]
    await one.claim()
    expect([await one.isOwn(), await other.isOwn()]).toEqual([true, false])
    await other.claim()
    expect([await one.isOwn(), await other.isOwn()]).toEqual([false, true])
    expect(await one.open('custom:other').isOwn({ epoch: 1, id: null }, 0)).toBe(false)
  },
)

test.each(stores)(
  'after a claim that never reached it, the next one is still another device’s: in a store %s',
  async (_name, kept) => {
    const store = kept(createMemoryStore())
    const [one, other] = [browser(store), browser(store)]
    await expect(one.claim(one.lostRequest)).rejects.toMatchObject({ code: 'storage-offline' })
    void one.claim(() => new Promise(() => undefined))
    await other.claim()
    expect([await one.isOwn(), await other.isOwn()]).toEqual([false, true])
  },
)

test.each([
  ['known as this browser’s where it was named', createMemoryStore(), true],
  ['another device’s where nothing tells', withoutNames(createMemoryStore()), false],
] as const)('a claim whose answer was lost is %s', async (_name, store, isKnown) => {
  const [one, other] = [browser(store), browser(store)]
  await expect(one.claim(one.lostAnswer)).rejects.toMatchObject({ code: 'storage-offline' })
  expect([await one.isOwn(), await other.isOwn()]).toEqual([isKnown, false])
  // And stays so, however often it is tried in vain.
  for (let tries = 0; tries < 100; tries++) await one.claim(one.lostRequest).catch(() => undefined)
  expect(await one.isOwn()).toBe(isKnown)
  await other.claim()
  expect(await one.isOwn()).toBe(false)
  await one.claim()
  expect(await one.isOwn()).toBe(true)
})

test('a claim by a server that knows no names is not taken for the one before it', async () => {
  const store = createMemoryStore()
  const [one, other] = [browser(store), browser(withoutNames(store))]
  await one.claim()
  await other.claim()
  expect([await one.isOwn(), await other.isOwn()]).toEqual([false, true])
})

test('two tabs that claim with one stored name never get one epoch', async () => {
  const store = createMemoryStore()
  const one = browser(store)
  // The name stays the browser's own until an answer comes.
  await one.claim(one.lostRequest).catch(() => undefined)
  const sent: ClaimOptions[] = []
  const claimed = await Promise.all(
    [0, 1].map(() => one.claim((named) => (sent.push(named), store.claim('c', 1, named)))),
  )
  expect(sent[0]?.claimId).toBe(sent[1]?.claimId)
  expect(claimed[0]?.epoch).not.toBe(claimed[1]?.epoch)
})

test('a claim that the network delivers twice leaves its owner the conversation', async () => {
  const store = createMemoryStore()
  const one = browser(store)
  const { epoch } = await one.claim(async (named) => {
    const claim = await store.claim('c', 1, { ...named, ifEpoch: 0 })
    expect(await store.claim('c', 1, { ...named, ifEpoch: 0 })).toEqual(claim)
    return claim
  })
  expect((await store.get('c'))?.epoch).toBe(epoch)
})

test('each claim has another name', async () => {
  const one = browser()
  const names: unknown[] = []
  for (let at = 1; at <= 3; at++)
    await one.claim(async ({ claimId }) => {
      names.push(claimId)
      return { storeId: 's', epoch: at }
    })
  expect(new Set(names).size).toBe(3)
})

test('of an older copy of the store that is put back, the claims of a browser are its own again', async () => {
  const [one, other] = [browser(), browser()]
  const claims: { epoch: number; id: string }[] = []
  const noted = (by: typeof one, epoch: number) =>
    by.claim(async ({ claimId = '' }) => {
      claims.push({ epoch, id: claimId })
      return { storeId: 's', epoch }
    })
  await noted(one, 5)
  await noted(one, 7)
  const [older] = claims
  expect(await one.open().isOwn(older!, 7)).toBe(true)
  // The store counts on from there: an epoch comes again, and is another device's.
  await noted(other, 7)
  expect(await one.open().isOwn(claims.at(-1)!, 7)).toBe(false)
})

test('a claim that another tab tells of is this browser’s, though the book lacks it', async () => {
  const store = createMemoryStore()
  const [one, tab] = [browser(store), browser(store)]
  const { epoch } = await tab.claim()
  expect([await one.isOwn(epoch), await one.isOwn(epoch - 1)]).toEqual([true, false])
})

test('of two tabs the newer claim is kept, whichever is noted last', async () => {
  const store = withoutNames(createMemoryStore())
  const one = browser(store)
  for (const epoch of [9, 8]) await one.claim(async () => ({ storeId: 's', epoch }))
  const own = (epoch: number) => one.open().isOwn({ epoch, id: null }, 0)
  expect([await own(8), await own(9)]).toEqual([false, true])
})

test('a store of this browser alone has no others', () => {
  const { follow: _follow, ...alone } = createMemoryStore()
  expect(browser(alone).open().isShared).toBe(false)
  expect(browser().open('memory:').isShared).toBe(false)
  expect(browser().open('durable:shop').isShared).toBe(false)
  expect(browser().open().isShared).toBe(true)
})
