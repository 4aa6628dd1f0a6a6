import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createSnapshotStore } from '../../../src/client/runs/snapshot-store.ts'
import { OffstageError } from '../../../src/index.ts'
import type { Fact } from '../../../src/protocol/fact.ts'
import {
  call,
  execution,
  type FakeWorker,
  HELLO,
  output,
  sleep,
  stage,
  started,
  startedRun,
  step,
  text,
  until,
} from './fake-worker.ts'

const old = { id: 'r0', parts: [{ type: 'text', text: 'Before' }] } as const

/** Conversation c1 with a message, before this page was loaded. */
function begin(worker: FakeWorker): void {
  const run = { runId: 'r0', conversationId: 'c1' }
  worker.skip(run, started({ message: old }) as Fact, { type: 'run-ended', end: COMPLETED })
}
const COMPLETED = { outcome: 'completed' } as const
const joining = {
  connect: (worker: FakeWorker) => (begin(worker), HELLO),
}

describe('conversation(id)', () => {
  test('is the same object each time, and reading it starts no worker', async () => {
    const { agent, workers } = stage()
    const conversation = agent.conversation('c1')
    expect(agent.conversation('c1')).toBe(conversation)
    expect(conversation.getSnapshot()).toMatchObject({ status: 'loading', messages: [] })
    expect(conversation.getSnapshot()).toBe(conversation.getSnapshot())
    await sleep(10)
    expect(workers).toEqual([])
  })

  test('loads what is stored when someone subscribes', async () => {
    const { agent } = stage({}, joining)
    const { subscribe, getSnapshot } = agent.conversation('c1')
    const listener = vi.fn()
    subscribe(listener)
    await until(() => listener.mock.calls.length)
    expect(getSnapshot()).toMatchObject({ status: 'idle', messages: [{ role: 'user', ...old }] })
  })

  test('shows a sent file as it is stored, not as the data URL that was given', async () => {
    const { agent } = stage({}, joining)
    const { subscribe, getSnapshot, send } = agent.conversation('c1')
    const shown: unknown[] = []
    subscribe(() => shown.push(getSnapshot().messages.at(-1)?.parts))
    await until(() => shown.length)
    send([{ type: 'file', mediaType: 'image/png', data: 'data:image/png;base64,aGk=' }])
    await until(() => getSnapshot().status === 'running')
    shown.push(getSnapshot().messages.at(-1)?.parts)
    expect(shown).toContainEqual([{ type: 'file', mediaType: 'image/png', data: 'aGk=' }])
    expect(JSON.stringify(shown)).not.toContain('data:image')
  })

  test.each([
    ['is loaded again while it is shown, after a failure that may pass', true, 2],
    ['is not loaded again after a failure that stays', false, 1],
  ])('a snapshot %s', async (_what, retryable, count) => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const open = vi.fn(async () => ({ read: () => 'opened', touch: () => undefined }))
    open.mockRejectedValueOnce(new OffstageError('worker-load-failed', 'Offline.', { retryable }))
    const host = { isStarted: () => true, open, failed: () => 'failed' }
    const { getSnapshot, subscribe } = createSnapshotStore('loading', host)
    subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(0)
    expect(getSnapshot()).toBe('failed')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(open).toHaveBeenCalledTimes(count)
    expect(getSnapshot()).toBe(retryable ? 'opened' : 'failed')
  })

  test('gives the reason when it could not be loaded', async () => {
    const error = { code: 'storage-failed', message: 'Corrupt.', retryable: false } as const
    const { agent } = stage(
      {},
      {
        join: () => {
          throw error
        },
      },
    )
    const { subscribe, getSnapshot } = agent.conversation('c1')
    subscribe(() => {})
    await until(() => getSnapshot().error)
    expect(getSnapshot()).toMatchObject({ status: 'idle', messages: [], error })
  })

  test('shows a paused run that nobody has resumed', async () => {
    const pending = [{ toolCallId: 't1', toolName: 'tool', input: {}, kind: 'approval' as const }]
    const facts = [started(), output('', { calls: ['t1'] }), call.asked('t1')] as Fact[]
    const { agent } = stage(
      {},
      {
        connect: (worker) => {
          worker.skip({ runId: 'r9', conversationId: 'c1' }, ...facts)
          return HELLO
        },
      },
    )
    const { subscribe, getSnapshot } = agent.conversation('c1')
    subscribe(() => {})
    await until(() => getSnapshot().status !== 'loading')
    expect(getSnapshot()).toMatchObject({ status: 'waiting', pending })
  })

  test('loses no event while it loads, and shows none twice', async () => {
    let release: (() => void) | undefined
    const set = stage(
      {},
      {
        ...joining,
        join: async (worker, scope) => {
          await new Promise<void>((resolve) => (release = resolve))
          worker.checkpoint(scope)
        },
      },
    )
    const { worker, command } = await startedRun(set, 'x', { conversationId: 'c1' })
    worker.tell(command, started(command), ...step(), text('a'))
    await sleep(10)
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => {})
    await until(() => release)
    worker.tell(command, text('b'))
    await sleep(10)
    expect(getSnapshot().status).toBe('loading')
    release!()
    await until(() => getSnapshot().status !== 'loading')
    worker.tell(command, text('c'))
    await until(() => JSON.stringify(getSnapshot()).includes('abc'))
    expect(getSnapshot().messages.map(({ id }) => id)).toEqual(['r0', command.message!.id, 'm1'])
  })

  test('notifies at most once per frame, for any number of batches', async () => {
    const set = stage({}, joining)
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    const listener = vi.fn()
    const undo = subscribe(listener)
    const { worker, command } = await startedRun(set, 'x', { conversationId: 'c1' })
    await until(() => getSnapshot().status !== 'loading')
    await sleep(30)
    listener.mockClear()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    worker.tell(command, started(command), ...step())
    for (let at = 0; at < 50; at++) worker.tell(command, text('x'))
    while (!JSON.stringify(getSnapshot()).includes('x'.repeat(50)))
      await new Promise((resolve) => setImmediate(resolve))
    expect(listener).not.toHaveBeenCalled()
    vi.advanceTimersByTime(20)
    expect(listener).toHaveBeenCalledTimes(1)
    vi.useRealTimers()
    undo()
    listener.mockClear()
    worker.tell(command, text('y'))
    await sleep(40)
    expect(listener).not.toHaveBeenCalled()
    expect(JSON.stringify(getSnapshot())).toContain('xy')
  })

  test('is up to date before a tool starts', async () => {
    const seen: string[] = []
    const set = stage({
      tools: [{ name: 'tool', description: 'A tool.', execute: () => void seen.push('tool') }],
    })
    const { worker, command } = await startedRun(set, 'x', { conversationId: 'c1' })
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => void seen.push(JSON.stringify(getSnapshot().messages)))
    await until(() => getSnapshot().status !== 'loading')
    await sleep(30)
    seen.length = 0
    const afterBatch = worker.tell(command, started(command), ...step(), text('first'))
    await worker.page.executeTool(execution(command, { afterBatch }))
    expect(seen).toEqual([expect.stringContaining('first'), 'tool'])
  })

  test('keeps the other listeners when one throws', async () => {
    const thrown: unknown[] = []
    const catching = (error: unknown) => void thrown.push(error)
    process.once('uncaughtException', catching)
    const set = stage({}, joining)
    const { subscribe } = set.agent.conversation('c1')
    const other = vi.fn()
    const throwing = vi.fn().mockImplementationOnce(() => {
      throw new Error('listener')
    })
    subscribe(throwing)
    subscribe(other)
    await until(() => other.mock.calls.length && thrown.length)
    process.removeListener('uncaughtException', catching)
    expect(String(thrown[0])).toContain('listener')
  })

  test('shows nothing after clearHistory and delete', async () => {
    let forgotten = {}
    const set = stage(
      {},
      {
        ...joining,
        join: (worker, scope) => void worker.checkpoint(scope, { state: forgotten }),
        clearHistory: (worker, scope) => {
          worker.tell({ runId: '', ...scope }, { type: 'history-cleared' })
          return true
        },
      },
    )
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => {})
    await until(() => getSnapshot().messages.length)
    expect(await set.agent.conversations.clearHistory('c1')).toBe(true)
    await until(() => !getSnapshot().messages.length)
    set.worker.tell({ runId: 'r1', conversationId: 'c1' }, started({ message: old }))
    await until(() => getSnapshot().messages.length)
    forgotten = { path: [], run: null }
    expect(await set.agent.conversations.delete('c1')).toBe(true)
    await until(() => !getSnapshot().messages.length)
  })

  test('stays known for a while without subscribers, and reloads after many others', async () => {
    const ids = Array.from({ length: 12 }, (_, at) => `of-many-${at}`)
    const { agent } = stage(
      {},
      {
        connect: (worker) => {
          for (const [at, conversationId] of ids.entries())
            worker.skip(
              { runId: `r${at}`, conversationId },
              started({ message: { ...old, id: conversationId } }) as Fact,
              { type: 'run-ended', end: COMPLETED },
            )
          return HELLO
        },
      },
    )
    const isKnown = (id: string): boolean =>
      agent.conversation(id).getSnapshot().messages[0]?.id === id
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const settled = async (isDone: () => boolean): Promise<void> => {
      while (!isDone()) {
        vi.advanceTimersByTime(20)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    for (const id of ids) {
      const undo = agent.conversation(id).subscribe(() => {})
      await settled(() => isKnown(id))
      undo()
      // Nobody follows it any more.
      vi.advanceTimersByTime(10_000)
    }
    const known = ids.filter(isKnown)
    expect(known).toContain(ids.at(-1))
    expect(known).not.toContain(ids[0])
    expect(known.length).toBeLessThan(10)
    agent.conversation('of-many-0').subscribe(() => {})
    await settled(() => isKnown('of-many-0'))
    vi.useRealTimers()
  })
})
