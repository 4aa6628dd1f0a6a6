import { transfer, wrap } from 'comlink'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PROTOCOL_VERSION, type WorkerApi } from '../../../src/protocol/worker-calls.ts'
import { type PageNotice } from '../../../src/protocol/notices.ts'
import { startWorker } from '../../../src/worker/start-worker.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import { until } from '../client/fake-worker.ts'

/** A worker in this process whose locks are on record. */
async function connected() {
  const held = new Set<string>()
  const request = vi.fn(async (name: string, granted: () => Promise<void>) => {
    held.add(name)
    await granted()
    held.delete(name)
  })
  vi.stubGlobal('navigator', { locks: { request } })
  const main = new MessageChannel()
  const pages = new MessageChannel()
  const events = new MessageChannel()
  onTestFinished(() => {
    vi.unstubAllGlobals()
    for (const { port1 } of [main, pages, events]) port1.close()
  })
  startWorker({ endpoint: main.port2, openDurable: async () => createMemoryStore() })
  const worker = wrap<WorkerApi>(main.port1)
  const ports = { pagePort: pages.port2, eventPort: events.port2 }
  await worker.connect(
    transfer({ protocolVersion: PROTOCOL_VERSION, pageId: 'page', ...ports }, Object.values(ports)),
  )
  const release = (name: string): void =>
    events.port1.postMessage({ type: 'release-lock', name } satisfies PageNotice)
  return { worker, held, release }
}

test('a lock is held until it is released', async () => {
  const { worker, held, release } = await connected()
  expect(await worker.holdLock({ name: 'life' })).toBe(true)
  expect([...held]).toEqual(['life'])
  release('life')
  await until(() => held.size === 0)
})

test('a lock released before its request arrives is not held', async () => {
  const { worker, held, release } = await connected()
  release('life')
  await new Promise((resolve) => setTimeout(resolve, 20))
  await worker.holdLock({ name: 'life' })
  await until(() => held.size === 0)
})
