import { describe, expect, it } from 'vitest'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { Row } from '../../../src/protocol/fact.ts'
import type { Append } from '../../../src/worker/store/store.ts'
import { StorageRetry } from '../../../src/worker/store/storage-retry.ts'
import { realEffects } from '../../../src/worker/effects.ts'
import {
  createWorld,
  openConversation,
  SCOPE,
  startCommand,
  startLife,
  type World,
} from './simulation.ts'

/** Refuses appends for a full storage; the first one not before `refuse` is called. */
function refusing(world: World, when: (append: Append) => boolean = () => true) {
  const reached = new Signal()
  const refused = new Signal()
  const gate = { isFull: true, reached: reached.given, refuse: refused.give }
  const { append } = world.store
  world.store.append = async (command) => {
    if (!gate.isFull || !when(command)) return append(command)
    reached.give()
    await refused.given
    throw new OffstageError('storage-full', 'No.', { retryable: true })
  }
  return gate
}

class Signal {
  give: () => void = () => undefined
  readonly given = new Promise<void>((resolve) => {
    this.give = resolve
  })
}

describe('a commit that starts to wait for the storage', () => {
  it('does not block readers that came while it was tried', async () => {
    const world = createWorld([], {})
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    await live.ended()
    const gate = refusing(world)
    void live.host.startRun(startCommand('next', 'go'))
    await gate.reached
    const seen = live.host.library.getConversation(SCOPE)
    // Until it stands behind the commit.
    await new Promise((resolve) => setTimeout(resolve, 10))
    gate.refuse()
    expect(await seen).toMatchObject({ conversationId: 'talk' })
    await live.until('run-paused')
    expect(await live.host.library.getConversation(SCOPE)).toMatchObject({ conversationId: 'talk' })
    gate.isFull = false
  })

  it('does not block an answer that came while it was tried', async () => {
    const world = createWorld([], {})
    const talk = openConversation(world)
    await talk.claim()
    const gate = refusing(world, (append) => append.rows[0]?.type === 'run-ended')
    const stop = new AbortController()
    talk.storageRetry.waiter = {
      signal: stop.signal,
      onPause: () => undefined,
      onContinue: () => undefined,
    }
    const end = { type: 'run-ended', end: { outcome: 'completed' } } as const
    const ended = talk.append([end])
    const next = talk.append([{ type: 'history-cleared' }])
    await gate.reached
    const answered = talk.append([{ type: 'run-continued' }], { waits: false })
    gate.refuse()
    expect(await answered).toBe(true)
    await talk.storageRetry.whenWaiting()
    const late = talk.append([{ type: 'run-continued' }], { waits: false })
    await expect(late).rejects.toMatchObject({ code: 'storage-full' })
    gate.isFull = false
    talk.storageRetry.retry()
    await Promise.all([ended, next])
    const { rows } = await world.store.read('talk')
    const types = (rows as readonly Row[]).map(({ type }) => type)
    expect(types).toEqual(['run-continued', 'run-ended', 'history-cleared'])
  })
})

describe('a run that waits for a part of the worker', () => {
  it('does not block an answer', async () => {
    const talk = openConversation(createWorld([], {}))
    await talk.claim()
    const stop = new AbortController()
    const { signal } = stop
    const waiter = { signal, onPause: () => undefined, onContinue: () => undefined }
    const load = (): Promise<never> =>
      Promise.reject(new OffstageError('worker-load-failed', 'No.'))
    const loaded = talk.storageRetry.persist(load, { waiter })
    await talk.storageRetry.whenWaiting()
    expect(await talk.append([{ type: 'run-continued' }], { waits: false })).toBe(true)
    expect(talk.storageRetry.reason).toBe('part-unavailable')
    stop.abort()
    await expect(loaded).rejects.toMatchObject({ code: 'worker-load-failed' })
  })
})

describe('a commit that fails for unknown reasons', () => {
  it('is not retried once it is given up', async () => {
    const storageRetry = new StorageRetry({
      ...realEffects,
      sleep: (_ms, signal) => untilAborted(signal),
    })
    const stop = new AbortController()
    storageRetry.waiter = {
      signal: stop.signal,
      onPause: () => expect.unreachable(),
      onContinue: () => expect.unreachable(),
    }
    let tries = 0
    const done = storageRetry.persist(async () => {
      tries += 1
      throw new OffstageError('storage-failed', 'No.')
    })
    await expect.poll(() => tries).toBe(1)
    stop.abort()
    await expect(done).rejects.toMatchObject({ code: 'storage-failed' })
    expect(tries).toBe(1)
  })

  it("is tried four times for a run's first commit", async () => {
    const world = createWorld([], {})
    let tries = 0
    world.store.append = async () => {
      tries += 1
      throw new OffstageError('storage-failed', 'No.')
    }
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    expect((await live.ended()).outcome).toBe('failed')
    expect(tries).toBe(4)
  })
})

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => signal?.addEventListener('abort', () => resolve()))
}
