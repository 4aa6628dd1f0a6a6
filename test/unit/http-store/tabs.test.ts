import 'fake-indexeddb/auto'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { PageVisibilityTarget } from '../../../src/worker/store/stores.ts'
import type { Store, StoreChange } from '../../../src/worker/start-worker.ts'
import { openSqlite, type TestDatabase } from '../../http-store/databases.ts'
import { serveStore, type StoreServer } from '../../http-store/serve-store.ts'
import type { Clock } from '../worker/ownership/world/clock.ts'
import { LockManagerOfOrigin } from '../worker/ownership/world/lock-manager.ts'
import type { Process } from '../worker/ownership/world/process.ts'
import { newId, openHttpStore } from './support.ts'

// Tabs of one browser: stores with one channel, and with the locks of one origin.

let kept: TestDatabase
let server: StoreServer

beforeAll(async () => {
  kept = await openSqlite()
  server = await serveStore(kept.database)
})
afterAll(async () => {
  await server.close()
  await kept.close()
})

const LATE = { timeout: 20_000 }
const HEARTBEAT_MS = 15_000

interface Tab {
  readonly name: string
  readonly store: Store
  readonly visibility: PageVisibilityTarget
  readonly changes: StoreChange[]
}

/** A browser, whose tabs have one user unless said otherwise. */
class Browser {
  readonly device = newId('device')
  readonly tenant = newId('tenant')
  readonly #streams: {
    readonly tab: string
    readonly signal: AbortSignal
    readonly from: string
  }[] = []
  readonly #tabs: Tab[] = []

  async open({ isVisible = true, tenant = this.tenant } = {}): Promise<Tab> {
    const visibility = new PageVisibilityTarget()
    visibility.isVisible = isVisible
    const tab = newId('tab')
    const store = await openHttpStore(server.url, {
      tenant,
      device: this.device,
      visibility,
      copy: false,
      fetch: (url, init) => {
        const from = new Headers(init.headers).get('last-event-id') ?? ''
        if (init.method === undefined) this.#streams.push({ tab, signal: init.signal!, from })
        return fetch(url, init)
      },
    })
    const changes: StoreChange[] = []
    store.follow?.((change) => changes.push(change))
    const opened = { name: tab, store, visibility, changes }
    this.#tabs.push(opened)
    return opened
  }

  /** The tabs that hold a stream open. */
  get leaders(): string[] {
    return this.#streams.filter(({ signal }) => !signal.aborted).map(({ tab }) => tab)
  }

  /** Where the newest stream began. */
  get from(): string | undefined {
    return this.#streams.at(-1)?.from
  }

  async led(): Promise<Tab> {
    await expect.poll(() => this.leaders.length, LATE).toBe(1)
    return this.#tabs.find(({ name }) => name === this.leaders[0])!
  }

  /** Each listens: it read everything once, since it can't know what it missed before. */
  async joined(tabs: readonly Tab[]): Promise<void> {
    const hasJoined = ({ changes }: Tab): boolean => changes.length > 0
    await expect.poll(() => tabs.filter(hasJoined).length, LATE).toBe(tabs.length)
  }

  /** Another device changes a conversation, and each of these tabs hears of it. */
  async hears(tabs: readonly Tab[], tenant = this.tenant): Promise<void> {
    const other = await openHttpStore(server.url, { tenant, copy: false })
    const id = newId('conversation')
    await other.claim(id, 1)
    other.close()
    const heard = ({ changes }: Tab): boolean => changes.some((each) => each.conversationId === id)
    await expect.poll(() => tabs.filter(heard).length, LATE).toBe(tabs.length)
  }

  close(): void {
    for (const { store } of this.#tabs) store.close()
  }
}

let browser: Browser

/** Web Locks, which Node has in newer versions only. */
function withLocks(): LockManager {
  const clock = { after: (ms: number, run: () => void) => setTimeout(run, ms) }
  const process = { isAlive: true, isOpaque: false, task: clock.after }
  const manager = new LockManagerOfOrigin(clock as unknown as Clock)
  const locks = manager.of(process as unknown as Process)
  vi.stubGlobal('navigator', { locks })
  return locks
}

afterEach(() => {
  browser.close()
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

describe('the tabs of one browser', () => {
  it('share one stream, and each gets the changes of another device', async () => {
    withLocks()
    browser = new Browser()
    const tabs = await Promise.all(Array.from({ length: 12 }, () => browser.open()))
    await browser.joined(tabs)
    await browser.hears(tabs)
    expect(browser.leaders).toHaveLength(1)
  })

  it('replace a leader that is hidden or closed, without losing the position', async () => {
    withLocks()
    browser = new Browser()
    const [one, ...others] = [await browser.open(), await browser.open(), await browser.open()]
    await expect.poll(() => browser.leaders, LATE).toEqual([one!.name])
    await browser.joined([one!, ...others])
    for (const { changes } of others) changes.length = 0
    one!.visibility.set(false)
    await expect.poll(() => browser.leaders.includes(one!.name), LATE).toBe(false)
    const leader = await browser.led()
    expect(browser.from).not.toBe('')
    await browser.hears([one!, ...others])
    // Only a tab that can't know what it missed reads everything again.
    expect(others.flatMap(({ changes }) => changes)).not.toContainEqual(
      expect.objectContaining({ conversationId: null }),
    )
    leader.store.close()
    const [last] = others.filter((tab) => tab !== leader)
    await expect.poll(() => browser.leaders, LATE).toEqual([last!.name])
    await browser.hears([one!, last!])
  })

  it('replace a leader that is silent for two heartbeats', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const held: string[] = []
    const locks = withLocks()
    const request = locks.request.bind(locks) as (...given: unknown[]) => Promise<unknown>
    const frozen: typeof request = (name, options, granted) => {
      if (held.length > 0) return request(name, options, granted)
      held.push(String(name))
      void request(name, {}, () => new Promise(() => undefined)).catch(() => undefined)
      return request(name, options, granted)
    }
    vi.stubGlobal('navigator', { locks: { request: frozen } })
    browser = new Browser()
    const tab = await browser.open()
    await expect.poll(() => held.length, LATE).toBe(1)
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(browser.leaders).toEqual([])
    await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
    await expect.poll(() => browser.leaders, LATE).toEqual([tab.name])
    await browser.hears([tab])
  })

  it('without Web Locks, let only the visible tab follow and tell the others', async () => {
    vi.stubGlobal('navigator', {})
    browser = new Browser()
    const hidden = await browser.open({ isVisible: false })
    const shown = await browser.open()
    await browser.joined([hidden, shown])
    expect(browser.leaders).toEqual([shown.name])
    await browser.hears([hidden, shown])
    shown.visibility.set(false)
    hidden.visibility.set(true)
    await expect.poll(() => browser.leaders, LATE).toEqual([hidden.name])
    await browser.hears([hidden, shown])
  })

  it('with other users have one stream per user, and get nothing of the others', async () => {
    withLocks()
    browser = new Browser()
    const theirs = newId('tenant')
    const tabs = [await browser.open(), await browser.open({ tenant: theirs })] as const
    await browser.joined(tabs)
    expect(browser.leaders).toHaveLength(2)
    await browser.hears([tabs[0]])
    await browser.hears([tabs[1]], theirs)
    const ids = tabs.map(({ changes }) => changes.flatMap((each) => each.conversationId ?? []))
    expect(ids.map(({ length }) => length)).toEqual([1, 1])
  })
})
