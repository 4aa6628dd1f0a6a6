import { expect, it } from 'vitest'
import type { Effects } from '../../../src/worker/effects.ts'
import { createWorld, SCOPE, startLife, startCommand } from './simulation.ts'

const resume = { ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 20 } as const

/** Web Locks that are never stolen, for several workers in this process. */
function fakeLocks(): LockManager {
  const held = new Set<string>()
  const request = async (
    name: string,
    { signal }: { readonly signal: AbortSignal },
    granted: () => Promise<void>,
  ): Promise<void> => {
    while (held.has(name)) {
      signal.throwIfAborted()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    held.add(name)
    await granted()
    held.delete(name)
  }
  return { request } as unknown as LockManager
}

/** The channel of several workers in this process. */
function fakeChannel(): Effects['openTabPort'] {
  const listeners = new Set<(event: MessageEvent<unknown>) => void>()
  return () => {
    let own: ((event: MessageEvent<unknown>) => void) | null = null
    return {
      addEventListener: (_type, listener) => {
        own = listener
        listeners.add(listener)
      },
      postMessage: (data) => {
        const event = new MessageEvent('message', { data: structuredClone(data) })
        for (const listener of listeners) {
          if (listener !== own) queueMicrotask(() => listener(event))
        }
      },
      close: () => void (own && listeners.delete(own)),
    }
  }
}

it('when another tab owns a run, the page that shows it ends it as taken-over', async () => {
  const world = createWorld([{ text: 'x' }], {})
  world.locks = fakeLocks()
  world.openTabPort = fakeChannel()
  world.silent = true
  const owner = startLife(world)
  void owner.host.startRun(startCommand('run', 'go'))
  await owner.until('step-start')

  const other = startLife(world)
  const ref = { conversationId: SCOPE.conversationId, runId: 'run' }
  expect(await other.host.resumeRun({ ...resume, runId: 'run' })).toEqual(ref)
  expect(await other.ended()).toMatchObject({ ...ref, outcome: 'aborted', reason: 'taken-over' })
  expect(await other.host.library.getConversation(SCOPE)).toMatchObject({ openRunId: 'run' })
  // Resuming without a run id returns null, and the caller gets no end either.
  const third = startLife(world)
  expect(await third.host.resumeRun(resume)).toBe(null)
  expect(third.events).toEqual([])
  await owner.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })
})

it("workers with in-memory conversations of one name don't wait for each other", async () => {
  const world = createWorld([{ text: 'x' }], {})
  world.locks = fakeLocks()
  world.openTabPort = fakeChannel()
  world.silent = true
  const inMemory = { ...SCOPE, storage: 'memory' } as const
  const lives = [startLife(world), startLife(world)]
  for (const { host, until } of lives) {
    void host.startRun({ ...startCommand('run', 'go'), ...inMemory })
    await until('step-start')
  }
  for (const { host } of lives) await host.abortRun({ ...inMemory, runId: 'run', reason: 'enough' })
})
