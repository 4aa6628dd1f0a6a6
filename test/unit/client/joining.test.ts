import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import { olderThan, windowed } from '../../../src/conversation/checkpoint.ts'
import type { AbortRun } from '../../../src/protocol/worker-calls.ts'
import type { ConversationRecord, ConversationScope } from '../../../src/protocol/conversation.ts'
import type { Fact } from '../../../src/protocol/fact.ts'
import {
  call,
  execution,
  type FakeWorker,
  fakeWorkerFactory,
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

const c1 = { conversationId: 'c1' }
const before = { ...c1, runId: 'r0' }
const COMPLETED = { type: 'run-ended', end: { outcome: 'completed' } } as const

/** Runs that ended, each with a message of the person and one of the model. */
function history(worker: FakeWorker, runs: number): void {
  for (let at = 0; at < runs; at++) {
    const message = { id: `u${at}`, parts: [{ type: 'text' as const, text: `Question ${at}` }] }
    const answer = output(`Answer ${at}`, { step: at }) as Fact
    worker.skip({ ...c1, runId: `old${at}` }, started({ message }) as Fact, answer, COMPLETED)
  }
}

/** A conversation of 60 runs that is published by its newest messages. */
function long() {
  return stage(
    {},
    {
      connect: (worker) => (history(worker, 60), HELLO),
      join: (worker, scope) => {
        const { state } = worker.stateOf(scope)
        worker.publish(scope, windowed(state))
      },
      olderMessages: (worker, { before: id, count, ...scope }) =>
        olderThan(worker.stateOf(scope).state, id, Math.min(count, 40)),
    },
  )
}

describe('a joined conversation', () => {
  test('shows the text of an open run so far, and what follows', async () => {
    const set = stage()
    const { command, worker } = await startedRun(set, 'Hello', c1)
    worker.tell(command, started(command), ...step(), text('One'))
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => undefined)
    await until(() => getSnapshot().status === 'running')
    expect(getSnapshot()).toMatchObject({
      runId: command.runId,
      ownership: 'this-tab',
      run: { step: 1, attempt: 1, messageId: 'm1' },
      messages: [{ role: 'user' }, { role: 'assistant', parts: [{ text: 'One' }] }],
    })
    worker.tell(command, text(' two'), output('One two', { calls: ['t1'] }), call.started('t1'))
    await until(() => getSnapshot().messages.at(-1)?.calls?.[0]?.status === 'executing')
    expect(getSnapshot().messages.at(-1)).toMatchObject({
      id: 'm1',
      calls: [{ toolCallId: 't1', toolName: 'tool', input: { a: 1 }, path: ['t1'] }],
    })
    worker.end(command)
    await until(() => getSnapshot().status === 'idle')
    expect(getSnapshot().ended).toMatchObject({ outcome: 'completed', runId: command.runId })
  })

  test('shows the newest messages first, and older ones as they arrive', async () => {
    const set = long()
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => undefined)
    await until(() => getSnapshot().messages.length === 120)
    expect(getSnapshot().older).toBe(0)
    expect(
      getSnapshot()
        .messages.map(({ id }) => id)
        .slice(0, 4),
    ).toEqual(['u0', 'm0', 'u1', 'm1'])
    expect(set.worker.of('olderMessages').length).toBe(2)
  })

  test('keeps older messages when it is joined again', async () => {
    const page = new EventTarget()
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
    onTestFinished(() => void vi.unstubAllGlobals())
    const set = long()
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => undefined)
    await until(() => getSnapshot().messages.length === 120)
    set.worker.skip(
      before,
      started({ message: { id: 'u', parts: [] } }) as Fact,
      output('New.') as Fact,
    )
    const shown = new Set<number>()
    for (const type of ['pagehide', 'pageshow'])
      page.dispatchEvent(Object.assign(new Event(type), { persisted: true }))
    await until(() => shown.add(getSnapshot().messages.length).has(121))
    expect([...shown]).toEqual([120, 121])
    expect(set.worker.of('olderMessages').length).toBe(2)
  })

  test('is joined again by the next worker', async () => {
    const set = stage({ heartbeatMs: 20 })
    const { command, worker } = await startedRun(set, 'Hello', c1)
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => undefined)
    worker.tell(command, started(command), ...step(), text('One'))
    await until(() => JSON.stringify(getSnapshot()).includes('One'))
    worker.skip(command, output('One, and more.') as Fact)
    worker.die()
    await set.started(2)
    await until(() => JSON.stringify(getSnapshot()).includes('and more'))
    expect(set.worker.of('join').length).toBe(1)
  })

  test('is joined again when a fact concerns messages missing on the page', async () => {
    const set = stage(
      {},
      {
        connect: (worker) => (history(worker, 3), HELLO),
        join: (worker, scope) => worker.publish(scope, windowed(worker.stateOf(scope).state, 2)),
      },
    )
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => undefined)
    await until(() => getSnapshot().messages.length === 2)
    set.worker.tell(before, { type: 'head-moved', to: 'm0' })
    await until(() => set.worker.of('join').length === 2)
    await until(() => getSnapshot().messages.at(-1)?.id === 'm0')
  })

  test('is joined once for two agents, again without the first, left with the last', async () => {
    const workers: FakeWorker[] = []
    const worker = fakeWorkerFactory({}, workers)
    const model = { provider: 'scripted', model: 'test' }
    const [first, second] = [createAgent({ model, worker }), createAgent({ model, worker })]
    for (const agent of [first, second]) {
      agent.conversation('c1').subscribe(() => undefined)
      await until(() => agent.conversation('c1').getSnapshot().status === 'idle')
    }
    const joins = () => workers[0]!.of<ConversationScope>('join').map(({ agentId }) => agentId)
    expect(joins().length).toBe(1)
    await first.dispose()
    await until(() => joins().length === 2)
    expect(joins()[1]).not.toBe(joins()[0])
    workers[0]!.tell(
      before,
      started({ message: { id: 'u', parts: [{ type: 'text', text: 'x' }] } }),
    )
    await until(() => second.conversation('c1').getSnapshot().messages.length === 1)
    await second.dispose()
  })

  test('is left some time after the last listener, but not by a remount', async () => {
    const set = stage()
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    const undo = subscribe(() => undefined)
    await until(() => getSnapshot().status === 'idle')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    undo()
    await vi.advanceTimersByTimeAsync(1000)
    const again = subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(60_000)
    again()
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    await until(() => set.worker.of('leave').length)
    expect(set.worker.of('join').length).toBe(1)
    expect(getSnapshot().status).toBe('idle')
  })

  test('ends the open run, whichever tab drives it', async () => {
    const set = stage()
    const conversation = set.agent.conversation('c1')
    expect(await conversation.abort()).toBe(false)
    conversation.subscribe(() => undefined)
    await until(() => conversation.getSnapshot().status === 'idle')
    set.worker.tell(before, started(), { type: 'ownership-changed', ownership: 'other-tab' })
    await until(() => conversation.getSnapshot().ownership === 'other-tab')
    expect(conversation.getSnapshot()).toMatchObject({ status: 'running', runId: 'r0' })
    expect(await conversation.abort('enough')).toBe(true)
    expect(set.worker.of<AbortRun>('abortRun')).toMatchObject([{ ...before, reason: 'enough' }])
  })

  test('reports the outcome of an abort, though its handle ended at once', async () => {
    const set = stage({}, { abortRun: () => false })
    const { run, command, worker } = await startedRun(set, 'Hello', c1)
    worker.tell(command, started(command), ...step(), text('One'))
    await sleep(5)
    expect(await set.agent.conversation('c1').abort('enough')).toBe(false)
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    expect(worker.of('abortRun')).toHaveLength(1)
  })

  test('switches to another branch', async () => {
    const set = stage()
    const conversation = set.agent.conversation('c1')
    expect(await conversation.switchBranch('m7')).toBe(true)
    expect(set.worker.of('switchBranch')).toMatchObject([{ ...c1, messageId: 'm7' }])
  })

  test('keeps what the open run shows when another run is refused', async () => {
    const set = stage()
    const { command, worker } = await startedRun(set, 'Hello', c1)
    const { subscribe, getSnapshot } = set.agent.conversation('c1')
    subscribe(() => undefined)
    worker.tell(command, started(command), ...step(), text('One'))
    await until(() => getSnapshot().status === 'running')
    const refused = await set.agent.run('').result
    expect(refused.outcome).toBe('failed')
    const busy = { code: 'conversation-busy', message: 'Busy.', retryable: true } as const
    worker.tell(
      { ...c1, runId: 'r9' },
      { type: 'run-left', outcome: { outcome: 'failed', error: busy } },
    )
    worker.tell(command, text(' two'))
    await until(() => JSON.stringify(getSnapshot()).includes('One two'))
    expect(getSnapshot().status).toBe('running')
  })
})

test('progress of a tool is shown at once, and sent to other tabs', async () => {
  let report: ((progress: unknown) => void) | undefined
  const set = stage({
    tools: [
      {
        name: 'tool',
        description: 'A tool.',
        execute: (_input, { progress }) => {
          report = progress
          return new Promise(() => undefined)
        },
      },
    ],
  })
  const { run, command, worker } = await startedRun(set, 'x', c1)
  const { subscribe, getSnapshot } = set.agent.conversation('c1')
  subscribe(() => undefined)
  worker.tell(command, started(command), output('', { calls: ['t1'] }), call.started('t1'))
  void worker.page.executeTool(execution(command, { toolCallId: 't1' }))
  await until(() => report && getSnapshot().messages.length === 2)
  report!({ done: 1 })
  expect(getSnapshot().messages[1]!.calls![0]!.progress).toEqual({ done: 1 })
  const reported = () => worker.notices.filter(({ type }) => type === 'tool-progress')
  await until(() => reported().length)
  expect(reported()).toMatchObject([
    { type: 'tool-progress', ...c1, runId: run.runId, path: ['t1'], progress: { done: 1 } },
  ])
  report!(() => 'no plain data')
  for await (const event of run)
    if (event.type === 'tool-progress' && typeof event.progress === 'function') break
})

describe('conversations', () => {
  const record = (conversationId: string, title: string): ConversationRecord => ({
    format: 2,
    conversationId,
    title,
    createdAt: 1,
    updatedAt: 2,
    lastSeq: 3,
    epoch: 1,
    era: 0,
    openRunId: null,
    openCalls: [],
  })

  test('are listed for subscribers, and read again when they change anywhere', async () => {
    let records = [record('a', 'A'), record('b', 'B')]
    const set = stage({}, { listConversations: () => records })
    const { subscribe, getSnapshot } = set.agent.conversations
    expect(getSnapshot()).toEqual([])
    expect(getSnapshot()).toBe(getSnapshot())
    const listener = vi.fn()
    const undo = subscribe(listener)
    await until(() => getSnapshot().length === 2)
    const [a, b] = getSnapshot()
    await until(() => listener.mock.calls.length === 1)
    set.worker.notify({ type: 'conversations-changed', storage: 'durable:other' })
    set.worker.notify({ type: 'conversations-changed', storage: 'durable:offstage' })
    await until(() => set.worker.of('listConversations').length === 2)
    await sleep(40)
    expect(getSnapshot()[0]).toBe(a)
    expect(listener).toHaveBeenCalledTimes(1)
    records = [record('b', 'Renamed'), record('a', 'A')]
    set.worker.notify({ type: 'conversations-changed', storage: 'durable:offstage' })
    await until(() => getSnapshot()[0]?.title === 'Renamed')
    expect(getSnapshot()[1]).toBe(a)
    expect(getSnapshot()[0]).not.toBe(b)
    await until(() => listener.mock.calls.length === 2)
    undo()
    set.worker.notify({ type: 'conversations-changed', storage: 'durable:offstage' })
    await sleep(20)
    expect(set.worker.of('listConversations').length).toBe(3)
  })

  test('are listed later when they could not be read at first', async () => {
    const listConversations = vi.fn(() => [record('a', 'A')])
    listConversations.mockImplementationOnce(() => {
      throw { code: 'storage-blocked', message: 'Another tab.', retryable: true }
    })
    const { agent } = stage({}, { listConversations })
    agent.conversations.subscribe(() => undefined)
    await until(() => agent.conversations.getSnapshot().length, 10_000)
    expect(listConversations).toHaveBeenCalledTimes(2)
  })

  test('get their own ids', () => {
    const { agent } = stage()
    expect(agent.newConversationId()).not.toBe(agent.newConversationId())
  })
})
