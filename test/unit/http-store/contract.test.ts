import 'fake-indexeddb/auto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { httpStore } from '../../../src/http-store/index.ts'
import { storeContract, type StoreUnderTest } from '../../../src/testing/index.ts'
import type { Store } from '../../../src/worker/start-worker.ts'
import { PageVisibilityTarget } from '../../../src/worker/store/stores.ts'
import { startFaultProxy, type FaultProxy } from '../../browser/support/fault-proxy.ts'
import { openPostgres, openSqlite, type TestDatabase } from '../../http-store/databases.ts'
import { NO_POSTGRES } from '../../http-store/postgres.mjs'
import { someOf } from '../more.ts'
import { serveStore, type StoreServer } from '../../http-store/serve-store.ts'

let tenants = 0

/** Called with the requests of each store as they are sent. */
const onRequest = new WeakMap<Store, (deliver: () => Promise<void>) => void>()

async function openStore(url: string, tenant: string): Promise<Store> {
  const { open } = httpStore({
    url,
    headers: () => ({ 'x-tenant': tenant }),
    fetch: (...asked) => {
      if (asked[1].method === 'POST') onRequest.get(store)?.(() => sendCopy(...asked))
      return fetch(...asked)
    },
  })
  const store = await open(
    { type: 'http', device: `${(tenants += 1)}` },
    () => undefined,
    new PageVisibilityTarget(),
  )
  return store
}

async function sendCopy(url: string, init: RequestInit): Promise<void> {
  await (await fetch(url, init)).text()
}

/** A copy of the first request, as a proxy has it. */
function copyNextRequest(store: Store): () => Promise<void> {
  const copies: (() => Promise<void>)[] = []
  onRequest.set(store, (copy) => void copies.push(copy))
  return async () => {
    const [first] = copies
    if (first === undefined) throw new Error('Nothing was sent.')
    await first()
  }
}

describe.each([
  ['SQLite', openSqlite, null],
  ['PostgreSQL', openPostgres, NO_POSTGRES],
] as const)('the contract of stores over HTTP, with %s', (name, openDatabase, missing) => {
  if (missing !== null) {
    it.skip(`${name}: ${missing}`)
    return
  }
  let kept: TestDatabase
  let server: StoreServer
  let proxy: FaultProxy
  const errors: string[] = []

  beforeAll(async () => {
    kept = await openDatabase()
    server = await serveStore(kept.database, {
      onError: (error) => void errors.push(String(error)),
    })
    proxy = await startFaultProxy(new URL(server.url).origin)
  }, 120_000)
  afterAll(async () => {
    await proxy.close()
    await server.close()
    await kept.close()
  })

  const tested: StoreUnderTest = {
    open: async () => {
      const tenant = `tenant-${(tenants += 1)}`
      // The first one's answers can be lost.
      return {
        store: await openStore(`${proxy.url}/history`, tenant),
        other: await openStore(server.url, tenant),
      }
    },
    copyNextRequest,
    loseNextAnswer: () => proxy.enqueue({ type: 'reset', after: 0 }),
    ...(name === 'SQLite' && {
      fill: async () => (await kept.fill?.()) ?? (async () => undefined),
    }),
  }
  afterEach(() => expect(errors.splice(0).filter((each) => !/disk is full/.test(each))).toEqual([]))
  for (const { group, name: rule, run } of storeContract(tested)) {
    const seed = Number(/seed (\d+)$/.exec(rule)?.[1] ?? 0)
    it.skipIf(group === 'random histories' && seed > someOf(15))(rule, run)
  }
})
