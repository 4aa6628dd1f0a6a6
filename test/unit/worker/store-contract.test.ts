import 'fake-indexeddb/auto'
import { describe, expect, it } from 'vitest'
import {
  createMemoryStore,
  storeContract,
  type StoreUnderTest,
} from '../../../src/testing/index.ts'
import { OffstageError } from '../../../src/protocol/error.ts'
import { openIdbStore } from '../../../src/worker/store/idb-store.ts'
import type { Store } from '../../../src/worker/store/store.ts'
import { append, newId, nextOrder, started } from './store-support.ts'
import { someOf } from '../more.ts'

/** A store whose next append is committed without an answer. */
function lossy(store: Store): Store & { loses: boolean } {
  return Object.assign(
    { ...store },
    {
      loses: false,
      async append(this: { loses: boolean }, append: Parameters<Store['append']>[0]) {
        const rows = await store.append(append)
        if (!this.loses) return rows
        this.loses = false
        throw new OffstageError('storage-failed', 'The answer was lost.')
      },
    },
  )
}

const tested: [string, StoreUnderTest][] = [
  [
    'memory',
    {
      open: async () => {
        const store = createMemoryStore()
        return { store: lossy(store), other: store }
      },
      loseNextAnswer: (store) => void Object.assign(store, { loses: true }),
    },
  ],
  [
    'IndexedDB',
    {
      open: async () => {
        const name = newId()
        return { store: lossy(await openIdbStore(name)), other: await openIdbStore(name) }
      },
      loseNextAnswer: (store) => void Object.assign(store, { loses: true }),
    },
  ],
]

/** A store of an older version, or an app's own. Such a store ignores claim names and conditions. */
const plain: [string, StoreUnderTest] = [
  'one that gives every claim without a word',
  {
    open: async () => {
      const store = createMemoryStore()
      const claim: Store['claim'] = (id, at, { claimId: _id, ifEpoch: _epoch, ...options } = {}) =>
        store.claim(id, at, options)
      return { store: { ...store, claim }, other: { ...store, claim } }
    },
  },
]

describe.each([...tested, plain])('the contract of stores, kept by %s', (_name, store) => {
  for (const { group, name: rule, run } of storeContract(store)) {
    const seed = Number(/seed (\d+)$/.exec(rule)?.[1] ?? 0)
    it.skipIf(group === 'random histories' && seed > someOf(30))(rule, run)
  }
})

it.each(tested)('%s keeps the name of a claim and checks its condition', async (_name, tests) => {
  const { store, other } = await tests.open()
  const { epoch } = await store.claim('c', 1, { claimId: 'mine', ifEpoch: 0 })
  expect((await other.get('c'))?.claim).toEqual({ id: 'mine', epoch })
  const late = other.claim('c', 1, { claimId: 'late', ifEpoch: 0 })
  await expect(late).rejects.toMatchObject({ code: 'ownership-lost' })
  expect(await store.get('c')).toMatchObject({ epoch, claim: { id: 'mine', epoch } })
  const next = await store.claim('c', 1, { ifEpoch: epoch, ifSeq: 0 })
  expect(next.epoch).toBe(epoch + 1)
  await append(other, { epoch: next.epoch }, started('r', 'hi'))
  const unseen = store.claim('c', 1, { ifEpoch: next.epoch, ifSeq: 0 })
  await expect(unseen).rejects.toMatchObject({ code: 'ownership-lost' })
  // A browser sends the same claim again by itself, where the connection broke.
  const asked = { claimId: 'again', attempt: 'one', ifEpoch: next.epoch, ifSeq: 1 }
  const first = await store.claim('c', 1, asked)
  expect(await store.claim('c', 1, asked)).toEqual(first)
  const record = await other.get('c')
  expect(record).toMatchObject({ epoch: first.epoch, claim: { id: 'again', epoch: first.epoch } })
  expect(record).not.toHaveProperty('owner')
  await expect(other.claim('c', 1, { ...asked, attempt: 'two' })).rejects.toMatchObject({
    code: 'ownership-lost',
  })
})

/** Each breaks one rule, and at least one case notices. */
const broken: [string, (store: Store) => Partial<Store>][] = [
  [
    'takes appends of former owners',
    (store) => ({
      append: async (append) =>
        store.append({ ...append, epoch: (await store.get(append.conversationId))?.epoch ?? 0 }),
    }),
  ],
  [
    'writes repeats again',
    (store) => ({
      append: (append) => store.append({ ...append, appendId: newId() }),
    }),
  ],
  [
    'takes appends that arrive late',
    (store) => ({
      append: (append) => store.append({ ...append, order: nextOrder() }),
    }),
  ],
  [
    'gives every copy of a claim another epoch',
    (store) => ({
      claim: (id, at, { attempt: _attempt, ...options } = {}) => store.claim(id, at, options),
    }),
  ],
  [
    'forgets the newest row',
    (store) => ({
      read: async (id, range) => {
        const found = await store.read(id, range)
        return { ...found, rows: found.rows.slice(0, -1) }
      },
    }),
  ],
  [
    'lists the oldest first',
    (store) => ({
      list: async (page) => {
        const listed = await store.list(page)
        return { ...listed, records: listed.records.toReversed() }
      },
    }),
  ],
  [
    'deletes nothing below',
    (store) => ({ descendants: async () => [], delete: async () => true, mark: store.mark }),
  ],
  [
    'says of every claim that it is the first one',
    (store) => {
      let first: string | undefined
      return {
        claim: (id, at, { claimId, ...options } = {}) => {
          first ??= claimId
          return store.claim(id, at, { ...options, ...(first && { claimId: first }) })
        },
      }
    },
  ],
  [
    'refuses a claim that came too late, and makes it',
    (store) => ({
      claim: async (id, at, { ifEpoch, ...options } = {}) => {
        const before = (await store.get(id))?.epoch ?? 0
        const claim = await store.claim(id, at, options)
        if (before === (ifEpoch ?? before)) return claim
        throw new OffstageError('ownership-lost', 'Too late.')
      },
    }),
  ],
  [
    'says of a repeated part of an import that there is a conversation',
    (store) => ({
      place: async (placement) =>
        (await store.get(placement.conversationId))?.importId !== placement.importId ||
        placement.after > 0
          ? store.place(placement)
          : false,
    }),
  ],
  [
    'gives late titles',
    (store) => ({
      rename: (id, { title, at }) => store.rename(id, { title, at }),
    }),
  ],
]

describe('the contract of stores', () => {
  it.each(broken)('is not kept by a store that %s', async (_what, fault) => {
    const open = async () => {
      const store = createMemoryStore()
      const wrong = { ...store, ...fault(store) }
      return { store: wrong, other: wrong }
    }
    const cases = storeContract({ open }).filter(
      ({ group }) => group !== 'random histories' && group !== 'following',
    )
    const failed: string[] = []
    for (const { name, run } of cases) await run().catch(() => failed.push(name))
    expect(failed).not.toEqual([])
  })

  it('is not kept in any case of late requests by a store that executes them', async () => {
    const sent: (() => Promise<unknown>)[] = []
    const open = async () => {
      const other = createMemoryStore()
      const store = new Proxy(other, {
        get: (_, name) => {
          const method: unknown = Reflect.get(other, name)
          if (typeof method !== 'function' || name === 'close') return method
          return (...asked: unknown[]) => {
            const send = async (): Promise<unknown> => method.apply(other, asked) as unknown
            sent.push(send)
            return send()
          }
        },
      })
      return { store, other }
    }
    const copyNextRequest = () => {
      const at = sent.length
      return async () => void (await sent[at]?.().catch(() => undefined))
    }
    const cases = storeContract({ open, copyNextRequest })
    const late = cases.filter(({ group }) => group === 'late requests')
    expect(late.length).toBeGreaterThan(4)
    for (const { name, run } of late) await expect(run(), name).rejects.toThrow()
  })
})
