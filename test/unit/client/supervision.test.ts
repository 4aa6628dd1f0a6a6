import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import type { Run } from '../../../src/client/runs/run.ts'
import type { ResumeRun, StartRun } from '../../../src/protocol/worker-calls.ts'
import {
  HELLO,
  execution,
  fakeWorkerFactory,
  sleep,
  stage,
  started,
  startedRun,
  step,
  text,
  until,
} from './fake-worker.ts'

const never = () => new Promise<never>(() => {})

describe('a worker that dies', () => {
  test('is replaced; the run is resumed, and its tool is joined, not run again', async () => {
    const execute = vi.fn(async () => {
      await until(() => set.workers.length === 2)
      return 'once'
    })
    const set = stage(
      { heartbeatMs: 30, tools: [{ name: 'tool', description: 'A tool.', execute }] },
      {
        resumeRun: (_worker, { conversationId, runId }) => ({
          conversationId: conversationId!,
          runId: runId!,
        }),
      },
    )
    const { run, command, worker } = await startedRun(set, 'x')
    worker.tell(command, text('a'))
    const call = execution(command)
    void worker.page.executeTool(call)
    await until(() => execute.mock.calls.length)
    worker.die()

    const second = await set.started(2)
    await until(() => second.of('resumeRun').length)
    expect(second.of<ResumeRun>('resumeRun')[0]).toMatchObject({
      conversationId: run.conversationId,
      runId: run.runId,
      interrupted: 'tell-model',
      waitForToolsMs: 10_000,
    })
    expect(second.pageId).toBe(worker.pageId)
    expect(await second.page.knownExecutions({ executionIds: [call.executionId] })).toEqual([
      call.executionId,
    ])
    expect(await second.page.executeTool({ ...call, epoch: 1 })).toMatchObject({
      output: { value: 'once' },
    })
    expect(execute).toHaveBeenCalledTimes(1)
    second.tell(command, text('b'))
    second.end(command)
    expect((await run.result).outcome).toBe('completed')
  })

  test('is replaced at once, and with growing delays after further deaths', async () => {
    const times: number[] = []
    const set = stage(
      { heartbeatMs: 500 },
      {
        connect: () => {
          times.push(performance.now())
          return HELLO
        },
        getConversation: (worker) => (worker.die(), never()),
      },
    )
    const asked = set.agent.conversations.get('c1')
    await expect(asked).rejects.toMatchObject({ code: 'worker-lost' })
    const [first = 0, second = 0, third = 0, fourth = 0] = times
    expect(times).toHaveLength(4)
    // By timers, which never fire earlier: the lower bounds hold on any machine.
    expect(third - second).toBeGreaterThanOrEqual(99)
    expect(fourth - third).toBeGreaterThanOrEqual(499)
    expect(second).toBeGreaterThan(first)
  })

  test("rejects requests that can't be repeated with worker-lost", async () => {
    const set = stage({ heartbeatMs: 20 }, { answerCall: never })
    const asked = set.agent.approve('call-1')
    const worker = await set.started()
    await until(() => worker.of('answerCall').length)
    worker.die()
    await expect(asked).rejects.toMatchObject({ code: 'worker-lost', retryable: true })
    await set.agent.prepare()
    expect(set.workers.length).toBe(2)
    expect(set.worker.of('answerCall')).toEqual([])
  })

  test.each([
    ['resumeRun', (agent: Agent) => agent.resume('c1')],
    ['listConversations', (agent: Agent) => agent.conversations.list()],
    ['getConversation', (agent: Agent) => agent.conversations.get('c1')],
    ['prepare', (agent: Agent) => agent.prepare()],
  ] as const)('has %s sent again to the next worker', async (method, question) => {
    const answers: Partial<Record<string, unknown>> = {
      resumeRun: { conversationId: 'c1', runId: 'r1' },
      listConversations: [],
    }
    const set = stage(
      { heartbeatMs: 20 },
      {
        [method]: () => (set.workers.length === 1 ? never() : (answers[method] as never)),
      },
    )
    const asked = question(set.agent)
    const worker = await set.started()
    await until(() => worker.of(method).length)
    worker.die()
    const answered = await asked
    expect(set.worker.of(method)).toEqual(worker.of(method))
    if (method === 'resumeRun') expect(answered).toMatchObject({ runId: 'r1' })
  })

  test('has a request repeated three times, then rejected', async () => {
    const set = stage({ heartbeatMs: 10 }, { getConversation: (worker) => (worker.die(), never()) })
    await expect(set.agent.conversations.get('c1')).rejects.toMatchObject({ code: 'worker-lost' })
    expect(set.workers.length).toBe(4)
  })

  test('before it accepted the run has it sent to the next worker', async () => {
    let dead = false
    const set = stage(
      { heartbeatMs: 20 },
      {
        startRun: (worker) => {
          if (dead) return undefined
          dead = true
          worker.die()
          return never()
        },
      },
    )
    const run = set.agent.run('x')
    const second = await set.started(2)
    await until(() => second.of('startRun').length)
    expect(second.of('startRun')[0]).toMatchObject({ runId: run.runId })
    expect(second.of('resumeRun')).toEqual([])
  })

  test('has an abort that it did not confirm sent to the next worker', async () => {
    const set = stage(
      { heartbeatMs: 20 },
      { abortRun: (worker) => (set.workers.length === 1 ? (worker.die(), never()) : true) },
    )
    const { run } = await startedRun(set, 'x')
    run.abort('stop')
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'stop' })
    const second = await set.started(2)
    await until(() => second.of('abortRun').length)
    expect(second.of('abortRun')[0]).toMatchObject({ runId: run.runId, reason: 'stop' })
    expect(second.of('resumeRun')).toEqual([])
  })

  test('repeatedly ends the run as worker-lost, after three restarts', async () => {
    const set = stage(
      { heartbeatMs: 10 },
      {
        resumeRun: (worker) => {
          worker.die()
          return never()
        },
      },
    )
    const { run, command, worker } = await startedRun(set, 'x')
    worker.tell(command, started(command), ...step(), text('a'))
    await until(() => run)
    worker.die()
    expect(await run.result).toMatchObject({
      outcome: 'failed',
      error: { code: 'worker-lost' },
      text: 'a',
    })
    expect(set.workers.length).toBe(4)
  })

  test('with only memory ends the run as worker-lost, since its journal is gone', async () => {
    const set = stage({ heartbeatMs: 20, storage: 'memory' })
    const { run, command, worker } = await startedRun(set, 'x')
    worker.tell(command, text('a'))
    worker.die()
    expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'worker-lost' } })
  })

  test('is announced', async () => {
    const set = stage({ heartbeatMs: 20 })
    const states: string[] = []
    set.agent.on('worker', ({ state }) => states.push(state))
    const { worker } = await startedRun(set, 'x')
    worker.die()
    await set.started(2)
    await until(() => states.length === 5)
    expect(states).toEqual(['starting', 'ready', 'lost', 'starting', 'ready'])
  })

  test('is detected by its lock at once where there are locks', async () => {
    const { locks, free } = fakeLocks()
    vi.stubGlobal('navigator', { locks })
    onTestFinished(() => void vi.unstubAllGlobals())
    const set = stage({}, { holdLock: () => true })
    const { worker } = await startedRun(set, 'x')
    await until(() => locks.request.mock.calls.length)
    const [name] = worker.held
    expect(locks.request.mock.calls[0]![0]).toBe(name)
    free()
    await set.started(2)
  })

  test('holds its lock only while something is open', async () => {
    const { locks, aborted } = fakeLocks()
    vi.stubGlobal('navigator', { locks })
    onTestFinished(() => void vi.unstubAllGlobals())
    const set = stage({ heartbeatMs: 20 }, { holdLock: () => true })
    const { worker, command } = await startedRun(set, 'x')
    await until(() => locks.request.mock.calls.length)
    expect(worker.released).toEqual([])
    worker.end(command)
    await until(() => worker.released.length)
    expect(worker.released).toEqual(worker.held)
    expect(aborted()).toBe(true)
    await startedRun(set, 'y')
    await until(() => worker.held.length === 2)
    expect(set.workers.length).toBe(1)
  })
})

/** A page's lock manager, whose newest request is granted by `free()`. */
function fakeLocks() {
  const request = vi.fn(
    (_name: string, _options: { readonly signal: AbortSignal }, _granted: () => void) =>
      Promise.resolve(),
  )
  return {
    locks: { request },
    free: () => request.mock.lastCall![2](),
    aborted: () => request.mock.lastCall![1].signal.aborted,
  }
}

/** Expects that the heartbeat ends, whenever a busy machine has ended what was open. */
async function expectQuiet(worker: { of(name: string): readonly unknown[] }): Promise<void> {
  const pings = (): number => worker.of('ping').length
  const countMore = async (): Promise<number> => {
    const before = pings()
    await sleep(60)
    return pings() - before
  }
  await expect.poll(countMore).toBe(0)
}

describe('the heartbeat', () => {
  test('is quiet while nothing is open', async () => {
    const set = stage({ heartbeatMs: 10 })
    await set.agent.prepare()
    await expectQuiet(set.worker)
    const { run, command, worker } = await startedRun(set, 'x')
    await until(() => worker.of('ping').length > 1)
    worker.end(command)
    await run.result
    await expectQuiet(worker)
  })

  test('does not mistake a blocked page for a dead worker', async () => {
    const set = stage({ heartbeatMs: 30 }, { ping: () => sleep(5) })
    const { worker } = await startedRun(set, 'x')
    for (let round = 0; round < 3; round++) {
      await until(() => worker.of('ping').length > round)
      const free = performance.now() + 300
      while (performance.now() < free);
      await sleep(20)
    }
    await sleep(150)
    expect(set.workers.length).toBe(1)
  })
})

describe('a worker that does not start', () => {
  const model = { provider: 'scripted', model: 'test' }

  test('because its function throws reports the error', async () => {
    const agent = createAgent({
      model,
      worker() {
        throw new Error('blocked by CSP')
      },
    })
    const result = await agent.run('x').result
    expect(result).toMatchObject({
      outcome: 'failed',
      error: {
        code: 'worker-load-failed',
        message: expect.stringContaining('blocked by CSP'),
        details: { reason: 'worker-option' },
      },
    })
    await expect(agent.prepare()).rejects.toMatchObject({ code: 'worker-load-failed' })
    await agent.dispose()
  })

  test('because its file fails to load rejects at once', async () => {
    const { port1 } = new MessageChannel()
    const terminate = vi.fn(() => port1.close())
    const worker = Object.assign(port1, { terminate })
    const agent = createAgent({ model, worker: () => worker })
    setTimeout(() => worker.dispatchEvent(new Event('error')), 20)
    await expect(agent.prepare()).rejects.toMatchObject({ code: 'worker-load-failed' })
    expect(terminate).toHaveBeenCalled()
    await agent.dispose()
  })

  test('because there are no workers (server rendering) reports that', async () => {
    const agent = createAgent({ model })
    await expect(agent.prepare()).rejects.toMatchObject({
      code: 'worker-load-failed',
      message: expect.stringMatching(/no Worker here.*offstage\/testing/),
      details: { reason: 'no-worker' },
    })
    await agent.dispose()
  })

  test('F16 because it speaks another version is a protocol mismatch', async () => {
    const set = stage({}, { connect: () => ({ ...HELLO, protocolVersion: 99 }) })
    await expect(set.agent.prepare()).rejects.toMatchObject({ code: 'protocol-mismatch' })
    const refusing = stage(
      {},
      {
        connect: () => {
          throw { code: 'protocol-mismatch', message: 'Old file.', retryable: false }
        },
      },
    )
    await expect(refusing.agent.prepare()).rejects.toMatchObject({
      code: 'protocol-mismatch',
      message: 'Old file.',
    })
    // Nobody knows the addresses of these: there is nothing to load anew.
    expect([set.workers.length, refusing.workers.length]).toEqual([1, 1])
  })

  for (const [begins, seconds] of [
    [false, 30],
    [true, 60],
  ] as const)
    test(`because it stays silent${begins ? ', once it has begun,' : ''} is given up after ${seconds} seconds`, async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const { port1, port2 } = new MessageChannel()
      const terminate = vi.fn(() => port1.close())
      const agent = createAgent({ model, worker: () => Object.assign(port1, { terminate }) })
      let thrown: unknown
      agent.prepare().catch((error: unknown) => (thrown = error))
      if (begins) port2.postMessage('offstage-begun')
      // In small steps: the messages, and what is loaded to look for the cause, take real time.
      for (let passed = 0; passed < seconds - 1; passed += 0.5) {
        await vi.advanceTimersByTimeAsync(500)
        await new Promise((resolve) => setImmediate(resolve))
      }
      expect(terminate).not.toHaveBeenCalled()
      while (thrown === undefined) await vi.advanceTimersByTimeAsync(500)
      vi.useRealTimers()
      expect(thrown).toMatchObject({
        code: 'worker-load-failed',
        retryable: true,
        details: { reason: 'no-answer' },
        message: expect.stringContaining(
          begins ? 'called startWorker()' : 'startWorker() at its top',
        ),
      })
      await agent.dispose()
    })

  test('can be aborted with a signal', async () => {
    const set = stage({}, { prepare: never })
    const controller = new AbortController()
    const preparing = set.agent.prepare({ signal: controller.signal })
    controller.abort(new Error('changed my mind'))
    await expect(preparing).rejects.toMatchObject({ code: 'aborted' })
  })
})

test('agents with the same worker function share one worker, and others do not', async () => {
  const workers: never[] = []
  const worker = fakeWorkerFactory({}, workers)
  const model = { provider: 'scripted', model: 'test' }
  const agents = [
    createAgent({ model, worker }),
    createAgent({ model, worker }),
    createAgent({ model, worker: () => worker() }),
  ]
  await Promise.all(agents.map((agent) => agent.prepare()))
  expect(workers.length).toBe(2)
  await Promise.all(agents.map((agent) => agent.dispose()))
})

describe('a run started while the next worker starts', () => {
  test('is sent to it once', async () => {
    const set = stage({ heartbeatMs: 20 })
    const { worker, command } = await startedRun(set, 'x')
    worker.tell(command, text('a'))
    const late: Run[] = []
    set.agent.on('worker', ({ state }) => {
      if (state === 'lost' || (state === 'starting' && late.length)) late.push(set.agent.run('y'))
    })
    worker.die()
    const second = await set.started(2)
    await until(() => second.of('startRun').length >= 2 && second.of('resumeRun').length)
    await sleep(50)
    const sent = second.of<StartRun>('startRun').map(({ runId }) => runId)
    expect(sent).toEqual(late.map(({ runId }) => runId))
  })

  test('and delayed by an abort when the worker died is sent to it once', async () => {
    const set = stage(
      { heartbeatMs: 20 },
      { abortRun: () => (set.workers.length > 1 ? true : never()) },
    )
    const { run, worker } = await startedRun(set, 'x')
    run.abort()
    const next = set.agent.run('y', { conversationId: run.conversationId })
    await sleep(5)
    worker.die()
    const second = await set.started(2)
    await until(() => second.of('startRun').length)
    await sleep(50)
    expect(second.of<StartRun>('startRun')).toMatchObject([{ runId: next.runId }])
  })
})
