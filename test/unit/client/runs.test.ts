import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { RunEvent } from '../../../src/protocol/event.ts'
import {
  HELLO,
  call,
  fakeWorkerFactory,
  output,
  sleep,
  stage,
  started,
  startedRun,
  step,
  text,
  until,
} from './fake-worker.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'

async function collect(events: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

describe('a run', () => {
  test('is a handle at once, sends its command and resolves from run-end', async () => {
    const set = stage({ maxSteps: 4 })
    const { run, command, worker } = await startedRun(set, 'Hello', { conversationId: 'c1' })
    expect(command).toMatchObject({
      conversationId: 'c1',
      runId: run.runId,
      message: { id: expect.any(String), parts: [{ type: 'text', text: 'Hello' }] },
      limits: { maxSteps: 4, retries: 3 },
      storage: { name: 'offstage' },
      ifBusy: 'refuse',
    })
    worker.tell(command, started(command), ...step(), text('Hi'), output('Hi'))
    worker.end(command)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Hi', runId: run.runId })
    const events = await collect(run)
    expect(events.map((event) => event.type)).toEqual([
      'run-start',
      'step-start',
      'text-start',
      'text-delta',
      'step-end',
      'run-end',
    ])
    expect(events.map((event) => event.seq)).toEqual([0, 1, 2, 3, 4, 5])
  })

  test('merges unread deltas, and leaves read ones unchanged', async () => {
    const set = stage()
    const { run, command, worker } = await startedRun(set, 'x')
    const iterator = run[Symbol.asyncIterator]()
    worker.tell(command, text('a'))
    expect((await iterator.next()).value).toMatchObject({ delta: 'a', seq: 0 })
    worker.tell(command, text('b'), text('c'), text('z', 'p2'))
    worker.tell(command, text('y', 'p2'))
    worker.end(command)
    await run.result
    const seen = (events: RunEvent[]) =>
      events.map((event) => [event.seq, 'delta' in event ? event.delta : event.type])
    const all = [
      [0, 'a'],
      [1, 'bc'],
      [2, 'zy'],
      [3, 'run-end'],
    ]
    expect(seen(await collect(run))).toEqual(all)
    const rest: RunEvent[] = []
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      rest.push(next.value)
    expect(seen(rest)).toEqual(all.slice(1))
  })

  test('continues when an iterator breaks off', async () => {
    const set = stage()
    const { run, command, worker } = await startedRun(set, 'x')
    worker.tell(command, text('a'))
    for await (const event of run) if (event.type === 'text-delta') break
    await sleep(20)
    expect(worker.of('abortRun')).toEqual([])
    worker.end(command)
    expect((await run.result).outcome).toBe('completed')
  })

  test('without content fails with invalid-input and starts no worker', async () => {
    const { agent, workers } = stage()
    for (const input of ['', '  \n', [], [{ type: 'text', text: '' } as const]]) {
      const run = agent.run(input)
      expect(await run.result).toMatchObject({
        outcome: 'failed',
        error: { code: 'invalid-input' },
      })
      expect((await collect(run)).map((event) => event.type)).toEqual(['run-end'])
    }
    expect(workers).toEqual([])
  })

  test('named by the worker gets a handle, which resume returns once', async () => {
    const ref = { conversationId: 'c1', runId: 'r1' }
    const set = stage({}, { resumeRun: () => ref })
    const first = await set.agent.resume('c1')
    const again = await set.agent.resume('c1')
    expect(first).toBe(again)
    expect(first).toMatchObject(ref)
    set.worker.tell(ref, text('a'))
    set.worker.end(ref)
    expect(await first!.result).toMatchObject({ outcome: 'completed' })
  })

  test('is returned by resume even if it ends before resume is answered', async () => {
    const ref = { conversationId: 'c1', runId: 'r1' }
    const set = stage(
      {},
      {
        resumeRun: async (worker) => {
          worker.takeUp(ref)
          worker.end(ref)
          await sleep(20)
          return ref
        },
      },
    )
    const run = await set.agent.resume()
    expect(await run!.result).toMatchObject({ outcome: 'completed' })
  })

  test.each([
    ['left', true],
    ['returned', false],
    ['returned', 'worker-lost'],
  ] as const)(
    'that continues elsewhere: a message is %s if storing it resolves to %s',
    async (status, answer) => {
      let end = (): void => undefined
      const ended = new Promise<void>((resolve) => (end = resolve))
      const sendMessage = async (): Promise<boolean> => {
        await ended
        if (typeof answer === 'boolean') return answer
        throw { code: answer, message: 'Gone.', retryable: true }
      }
      const { run, command, worker } = await startedRun(stage({}, { sendMessage }), 'x')
      const before = run.send('Also a fork')
      await until(() => worker.of('sendMessage').length)
      worker.end(command, { outcome: 'aborted', reason: 'taken-over' })
      await run.result
      const after = run.send('Also a spoon')
      end()
      expect(await before.outcome).toMatchObject({ status })
      expect(await after.outcome).toMatchObject({ status })
    },
  )

  test('fails with the worker’s error when the command is refused', async () => {
    const set = stage(
      {},
      {
        startRun: () => {
          throw { code: 'storage-failed', message: 'No room.', retryable: true }
        },
      },
    )
    const result = await set.agent.run('x').result
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'storage-failed', message: 'No room.' },
    })
  })
})

describe('abort', () => {
  test('takes the worker’s result when it comes in time', async () => {
    const set = stage()
    const { run, command, worker } = await startedRun(set, 'x')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    run.abort('enough')
    while (worker.of('abortRun').length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(worker.of('abortRun')[0]).toMatchObject({ runId: run.runId, reason: 'enough' })
    worker.tell(command, started(command), output('exact'))
    worker.end(command, { outcome: 'aborted', reason: 'enough' })
    expect(await run.result).toMatchObject({ outcome: 'aborted', text: 'exact' })
  })

  test('F7 ends within 100 ms when the worker is silent, with the text so far', async () => {
    const set = stage({}, { abortRun: () => new Promise<never>(() => {}) })
    const { run, command, worker } = await startedRun(set, 'x')
    worker.tell(
      command,
      started(command),
      ...step(),
      text('part'),
      output('part', { calls: ['t1'] }),
      call.started('t1'),
    )
    const seen: RunEvent[] = []
    const reading = (async () => {
      for await (const event of run) seen.push(event)
    })()
    await until(() => seen.length === 6)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    run.abort('stop')
    await vi.advanceTimersByTimeAsync(100)
    vi.useRealTimers()
    const result = await Promise.race([run.result, Promise.resolve('still open')])
    expect(result).toMatchObject({
      outcome: 'aborted',
      reason: 'stop',
      text: 'part',
      toolCalls: [{ toolCallId: 't1', input: { a: 1 }, status: 'interrupted' }],
    })
    await reading
    expect(seen.at(-1)!.type).toBe('run-end')
    worker.tell(command, text('late'))
    worker.end(command)
    await sleep(20)
    expect((await collect(run)).length).toBe(seen.length)
  })

  test('before the worker has started ends the run, and still reaches the worker', async () => {
    const set = stage({}, { connect: () => sleep(150).then(() => HELLO) })
    const run = set.agent.run('x')
    run.abort()
    expect((await run.result).outcome).toBe('aborted')
    const worker = await set.started()
    await until(() => worker.of('abortRun').length)
    expect(worker.commands.map(({ method }) => method)).toEqual(['connect', 'startRun', 'abortRun'])
  })

  test("makes the conversation's next run wait until the worker is done", async () => {
    const aborts: ((done: boolean) => void)[] = []
    const set = stage({}, { abortRun: () => new Promise((resolve) => aborts.push(resolve)) })
    const { run, worker } = await startedRun(set, 'x', { conversationId: 'c1' })
    run.abort()
    await run.result
    const next = set.agent.run('y', { conversationId: 'c1' })
    const dropped = set.agent.run('z', { conversationId: 'c1' })
    const elsewhere = set.agent.run('z', { conversationId: 'c2' })
    dropped.abort()
    const started = () => worker.of<{ runId: string }>('startRun').map(({ runId }) => runId)
    await until(() => started().includes(elsewhere.runId))
    expect(started()).not.toContain(next.runId)
    for (const confirm of aborts) confirm(true)
    await until(() => started().includes(next.runId))
    expect((await dropped.result).outcome).toBe('aborted')
    expect(started()).not.toContain(dropped.runId)
  })

  test('works by signal, also by one aborted before', async () => {
    const set = stage()
    const controller = new AbortController()
    const { run, worker } = await startedRun(set, 'x', { signal: controller.signal })
    controller.abort(new Error('left the page'))
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'left the page' })
    const late = set.agent.run('y', { signal: controller.signal })
    expect(await late.result).toMatchObject({ outcome: 'aborted' })
    expect(worker.of('startRun').length).toBe(1)
  })

  test('on the agent ends all its runs', async () => {
    const set = stage()
    const { run } = await startedRun(set, 'x')
    const other = set.agent.run('y')
    set.agent.abort('all')
    expect((await Promise.all([run.result, other.result])).map((result) => result.outcome)).toEqual(
      ['aborted', 'aborted'],
    )
  })
})

describe('dispose', () => {
  test('ends handles as disposed, releases the agent, and is idempotent', async () => {
    const set = stage()
    const { run, worker, command } = await startedRun(set, 'x')
    const disposing = set.agent.dispose()
    expect(set.agent.dispose()).toBe(disposing)
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'disposed' })
    await disposing
    expect(worker.of('releaseAgent')).toEqual([{ agentId: command.agentId }])
    expect(worker.of('abortRun')).toEqual([])
    expect(await set.agent.run('y').result).toMatchObject({
      outcome: 'failed',
      error: { code: 'disposed' },
    })
    await expect(set.agent.prepare()).rejects.toMatchObject({ code: 'disposed' })
  })

  test('does nothing more without a worker', async () => {
    const { agent, workers } = stage()
    await agent.dispose()
    expect(workers).toEqual([])
  })

  test('on one of two agents leaves their worker to the other', async () => {
    const set = stage()
    const workers: never[] = []
    const worker = fakeWorkerFactory({}, workers)
    const model = { provider: 'scripted', model: 'test' }
    const [first, second] = [createAgent({ model, worker }), createAgent({ model, worker })]
    await Promise.all([first.prepare(), second.prepare()])
    expect(workers.length).toBe(1)
    await first.dispose()
    await second.prepare()
    await second.dispose()
    const third = createAgent({ model, worker })
    await third.prepare()
    expect(workers.length).toBe(2)
    await third.dispose()
    await set.agent.dispose()
  })

  test('F17 followed at once by another agent (a component mounted twice) keeps one worker', async () => {
    const workers: never[] = []
    const worker = fakeWorkerFactory({}, workers)
    const model = { provider: 'scripted', model: 'test' }
    const first = createAgent({ model, worker })
    await first.prepare()
    const leaving = first.dispose()
    const second = createAgent({ model, worker })
    await Promise.all([leaving, second.prepare()])
    await second.prepare()
    expect(workers.length).toBe(1)
    await second.dispose()
  })
})
