import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Execution, outcomeOfThrown } from '../../../src/client/execution/execution.ts'
import { watchLeaving, retryWhenLeaving } from '../../../src/client/page-life/page-leaving.ts'
import { prepareTool } from '../../../src/client/tools/prepare-tool.ts'
import type { ExecuteTool } from '../../../src/protocol/page-calls.ts'

interface WatchOptions {
  readonly signal: AbortSignal
}

let page: EventTarget

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const happens = (type: string) => page.dispatchEvent(new Event(type))
/** Messages are no timers: they come by themselves. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a failure on a page that stays is a failure', async () => {
  const work = vi.fn(() => Promise.reject(new Error('no')))
  await expect(retryWhenLeaving(work)).rejects.toThrow('no')
  expect(work).toHaveBeenCalledTimes(1)
})

test('work that the browser interrupted is repeated if the page stays', async () => {
  const work = vi
    .fn<() => Promise<string>>()
    .mockImplementationOnce(async () => {
      happens('beforeunload')
      throw new TypeError('NetworkError')
    })
    .mockImplementation(async () => 'fetched')
  const done = retryWhenLeaving(work)
  await turn()
  await turn()
  expect(work).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(4000)
  expect(await done).toBe('fetched')
  expect(work).toHaveBeenCalledTimes(2)
})

test('on a page that is gone, nothing is decided until it comes back', async () => {
  const leaving = watchLeaving()
  happens('beforeunload')
  happens('pagehide')
  const settled = vi.fn()
  void leaving.mayBeCause().then(settled)
  await turn()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(settled).not.toHaveBeenCalled()
  happens('pageshow')
  await turn()
  expect(settled).toHaveBeenCalledExactlyOnceWith(true)
})

test('an unknown outcome quotes no error: it does not taint, and the error may be untrusted', async () => {
  const leaving = watchLeaving()
  happens('beforeunload')
  const { signal } = new AbortController()
  const outcome = outcomeOfThrown({ prepared: {}, signal, leaving } as never, new Error('evil'))
  await turn()
  await turn()
  await vi.advanceTimersByTimeAsync(4000)
  expect(await outcome).toMatchObject({ status: 'unknown', output: { type: 'error' } })
  expect(JSON.stringify(await outcome)).not.toContain('evil')
  leaving.stop()
})

test('a tool that ignores its timeout no longer watches the page', async () => {
  const signals: AbortSignal[] = []
  vi.stubGlobal('addEventListener', (_type: string, _on: unknown, { signal }: WatchOptions) => {
    signals.push(signal)
  })
  const owner = { agentId: 'a', hooks: () => undefined }
  const execution = new Execution({ timeoutMs: 300 } as ExecuteTool, owner)
  const prepared = prepareTool({ name: 't', description: 'T.', execute: () => 1 })
  void execution.run(prepared, () => new Promise(() => {}))
  expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false])
  await vi.advanceTimersByTimeAsync(300)
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true])
})
