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
  'only its own claim belongs to a browser after a reload: in a store %s',
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
  'after a lost claim, the next belongs to another device: in a store %s',
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
] as const)('a claim whose response was lost is %s', async (_name, store, isKnown) => {
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

test('a claim by a server without claim names is not mistaken for an earlier one', async () => {
  const store = createMemoryStore()
  const [one, other] = [browser(store), browser(withoutNames(store))]
  await one.claim()
  await other.claim()
  expect([await one.isOwn(), await other.isOwn()]).toEqual([false, true])
})

test('two tabs that claim with the same stored name never get the same epoch', async () => {
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

test('a claim delivered twice by the network keeps its owner', async () => {
  const store = createMemoryStore()
  const one = browser(store)
  const { epoch } = await one.claim(async (named) => {
    const claim = await store.claim('c', 1, { ...named, ifEpoch: 0 })
    expect(await store.claim('c', 1, { ...named, ifEpoch: 0 })).toEqual(claim)
    return claim
  })
  expect((await store.get('c'))?.epoch).toBe(epoch)
})

test('each claim has a different name', async () => {
  const one = browser()
  const names: unknown[] = []
  for (let at = 1; at <= 3; at++)
    await one.claim(async ({ claimId }) => {
      names.push(claimId)
      return { storeId: 's', epoch: at }
    })
  expect(new Set(names).size).toBe(3)
})

test("after restoring an older store, a browser's claims are its own again", async () => {
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

test('a claim reported by another tab belongs to this browser, even if not recorded', async () => {
  const store = createMemoryStore()
  const [one, tab] = [browser(store), browser(store)]
  const { epoch } = await tab.claim()
  expect([await one.isOwn(epoch), await one.isOwn(epoch - 1)]).toEqual([true, false])
})

test('the newer claim of two tabs is kept, whichever is recorded last', async () => {
  const store = withoutNames(createMemoryStore())
  const one = browser(store)
  for (const epoch of [9, 8]) await one.claim(async () => ({ storeId: 's', epoch }))
  const own = (epoch: number) => one.open().isOwn({ epoch, id: null }, 0)
  expect([await own(8), await own(9)]).toEqual([false, true])
})

test('a store of this browser alone is not shared', () => {
  const { follow: _follow, ...alone } = createMemoryStore()
  expect(browser(alone).open().isShared).toBe(false)
  expect(browser().open('memory:').isShared).toBe(false)
  expect(browser().open('durable:shop').isShared).toBe(false)
  expect(browser().open().isShared).toBe(true)
})
