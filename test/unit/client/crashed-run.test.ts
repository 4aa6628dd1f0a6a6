import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import type { Run } from '../../../src/client/runs/run.ts'
import type {
  AbortRun,
  ExtractRequest,
  ResumeRun,
  StartRun,
} from '../../../src/protocol/worker-calls.ts'
import type { Fact } from '../../../src/protocol/fact.ts'
import type { RunResult } from '../../../src/protocol/run.ts'
import {
  call,
  type FakeWorker,
  fakeWorkerFactory,
  type Item,
  output,
  sleep,
  started,
  text,
  until,
} from './fake-worker.ts'

/** The clock of the page, which a test may set forward. */
const clock = vi.hoisted(() => ({ aheadMs: 0 }))
vi.mock('../../../src/lib/monotonic-ms.ts', () => ({
  monotonicMs: () => performance.now() + clock.aheadMs,
}))

const stepEnd: Item = { type: 'step-started', step: 2, resumed: false }
const risk = { toolName: 'lookup', patterns: ['^(a+)+$'] }

/** Agents that share workers, which do with a resumed run what the test says. */
function shared(
  count: number,
  resumed: (worker: FakeWorker, command: ResumeRun) => void = () => undefined,
  script: Parameters<typeof fakeWorkerFactory>[0] = {},
  heartbeatMs = 15,
): { readonly agents: readonly Agent[]; readonly workers: FakeWorker[] } {
  const workers: FakeWorker[] = []
  const worker = fakeWorkerFactory(
    {
      resumeRun: (of, command) => {
        resumed(of, command)
        return { conversationId: command.conversationId!, runId: command.runId! }
      },
      ...script,
    },
    workers,
  )
  const model = { provider: 'scripted', model: 'test' }
  const agents = Array.from({ length: count }, () => createAgent({ model, worker, heartbeatMs }))
  onTestFinished(async () => {
    await Promise.all(agents.map((agent) => agent.dispose()))
    for (const each of workers) each.die()
  })
  return { agents, workers }
}

/** A run that has begun in the newest worker. */
async function begun(agent: Agent, workers: readonly FakeWorker[]) {
  const run = agent.run('x')
  const find = (): StartRun | undefined =>
    workers
      .flatMap((worker) => worker.of<StartRun>('startRun'))
      .find(({ runId }) => runId === run.runId)
  await until(find)
  const command = find()!
  workers.at(-1)!.tell(command, started(command), text('a'))
  await until(() => agent.conversation(run.conversationId))
  await sleep(5)
  return { run, command }
}

test('a run with a hanging check fails by name, and restarts no other run', async () => {
  const { agents, workers } = shared(2)
  const other = await begun(agents[1]!, workers)
  for (let death = 1; death <= 6; death++) {
    const { run, command } = await begun(agents[0]!, workers)
    const { agentId, runId } = command
    workers.at(-1)!.notify({ type: 'risk', agentId, runId, risk })
    await sleep(5)
    workers.at(-1)!.die()
    const result = await run.result
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'worker-hung', details: risk },
    })
    expect(result).toMatchObject({ error: { message: expect.stringContaining('lookup') } })
    await until(() => workers.length === death + 1)
    const next = workers.at(-1)!
    await until(() => next.of('resumeRun').length && next.of('abortRun').length)
    expect(next.of<AbortRun>('abortRun')).toMatchObject([{ runId, error: { code: 'worker-hung' } }])
    expect(next.of<ResumeRun>('resumeRun')).toMatchObject([{ runId: other.run.runId }])
    // Events of the next worker about this run don't start a new one.
    next.tell(command, stepEnd)
    next.end(command, { outcome: 'aborted', reason: 'it ended' })
  }
  workers.at(-1)!.end(other.command)
  expect((await other.run.result).outcome).toBe('completed')
})

test('a run with a hanging check is ended by a later worker if the next one does not start', async () => {
  const workers: FakeWorker[] = []
  const spawn = fakeWorkerFactory({}, workers)
  let missing = 0
  let isMissing = false
  const worker = (): ReturnType<typeof spawn> => {
    if (!isMissing) return spawn()
    missing += 1
    throw new Error('The file is missing.')
  }
  const model = { provider: 'scripted', model: 'test' }
  const agent = createAgent({ model, worker, heartbeatMs: 15 })
  onTestFinished(async () => {
    await agent.dispose()
    for (const each of workers) each.die()
  })
  const { run, command } = await begun(agent, workers)
  const { agentId, runId } = command
  workers[0]!.notify({ type: 'risk', agentId, runId, risk })
  await sleep(5)
  isMissing = true
  workers[0]!.die()
  expect(await run.result).toMatchObject({ outcome: 'failed', error: { code: 'worker-hung' } })
  await until(() => missing)
  isMissing = false
  const list = (): Promise<unknown> => agent.conversations.list().catch(() => null)
  await expect.poll(list, { timeout: 20_000 }).not.toBeNull()
  const ended = { runId, error: { code: 'worker-hung' } }
  await expect.poll(() => workers.at(-1)!.of<AbortRun>('abortRun')).toMatchObject([ended])
})

test('an extraction with a hanging check is rejected by name, others are not', async () => {
  const { agents, workers } = shared(2, undefined, { extract: () => new Promise(() => {}) })
  const other = await begun(agents[1]!, workers)
  const ask = (agent: Agent) => agent.extract({ schema: {}, input: 'x' })
  const blamed = expect(ask(agents[0]!)).rejects.toMatchObject({
    code: 'worker-hung',
    retryable: false,
    details: risk,
  })
  await until(() => workers[0]!.of('extract').length)
  const others = [agents[0]!, agents[1]!].map((agent) =>
    expect(ask(agent)).rejects.toMatchObject({ code: 'worker-lost' }),
  )
  await until(() => workers[0]!.of('extract').length === 3)
  const { agentId, extractId } = workers[0]!.of<ExtractRequest>('extract')[0]!
  workers[0]!.notify({ type: 'risk', agentId, runId: '', extractId, risk })
  await sleep(5)
  workers[0]!.die()
  await blamed
  await Promise.all(others)
  await until(() => workers[1]?.of('resumeRun').length)
  workers[1]!.end(other.command)
  expect((await other.run.result).outcome).toBe('completed')
})

test('a finished check is not blamed for a later crash', async () => {
  const { agents, workers } = shared(1)
  const { run, command } = await begun(agents[0]!, workers)
  const { agentId, runId } = command
  workers[0]!.notify({ type: 'risk', agentId, runId, risk })
  workers[0]!.notify({ type: 'risk', agentId, runId, risk: null })
  await sleep(5)
  workers[0]!.die()
  await until(() => workers[1]?.of('resumeRun').length)
  workers[1]!.end(command)
  expect((await run.result).outcome).toBe('completed')
})

test('when a run silently kills every worker, no other run dies', async () => {
  const crashing = new Set<string>()
  const resumed = (worker: FakeWorker, command: ResumeRun): void => {
    if (crashing.has(command.runId!)) worker.die()
    else
      void sleep(5).then(() => {
        const { agentId, runId, conversationId } = command
        const run = { agentId, runId: runId!, conversationId: conversationId! } as StartRun
        worker.tell(run, stepEnd)
        worker.end(run)
      })
  }
  const { agents, workers } = shared(3, resumed, {}, 80)
  const crashes = await begun(agents[1]!, workers)
  crashing.add(crashes.run.runId)
  const others = [
    await begun(agents[0]!, workers),
    await begun(agents[1]!, workers),
    await begun(agents[2]!, workers),
  ]
  workers[0]!.die()
  expect(await crashes.run.result).toMatchObject({
    outcome: 'failed',
    error: { code: 'worker-hung' },
  })
  for (const { run } of others) expect((await run.result).outcome).toBe('completed')
  await until(() => workers.at(-1)!.of('abortRun').length)
  expect(workers.length).toBeLessThanOrEqual(4)
})

test.each([
  [
    'a step that makes no progress is in a loop at its third resume',
    'nothing',
    [false, false, 'loop'],
  ],
  ['a new step starts the count again', 'a step', [false, false, false, false]],
  ['a page that comes back from the cache counts as no death', 'the cache', [false, false, false]],
] as const)('when workers die minutes apart, %s', async (_title, between, expected) => {
  const page = new EventTarget()
  vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
  onTestFinished(() => void vi.unstubAllGlobals())
  const { agents, workers } = shared(1)
  const { command } = await begun(agents[0]!, workers)
  const resumes: ResumeRun['afterCrash'][] = []
  for (let death = 1; death <= expected.length; death++) {
    // Right before the death: a worker that lives on would be silent for minutes.
    clock.aheadMs += 120_000
    if (between === 'the cache')
      for (const type of ['pagehide', 'pageshow'])
        page.dispatchEvent(Object.assign(new Event(type), { persisted: true }))
    else workers.at(-1)!.die()
    await until(() => workers[death]?.of('resumeRun').length)
    resumes.push(workers[death]!.of<ResumeRun>('resumeRun')[0]!.afterCrash)
    if (between === 'a step')
      workers[death]!.tell(command, { type: 'step-started', step: death + 1, resumed: false })
    await sleep(5)
  }
  expect(resumes).toEqual(expected)
})

describe('a run that is retried alone after a second death', () => {
  /** Two open runs whose worker died twice; what the third worker is to do with them. */
  async function afterTwoDeaths(
    resumed: (worker: FakeWorker, run: StartRun, isFirst: boolean) => void,
  ) {
    const { agents, workers } = shared(2, (worker, { agentId, runId, conversationId }) => {
      if (workers.length < 3) return
      const run = { agentId, runId: runId!, conversationId: conversationId! } as StartRun
      resumed(worker, run, runId === first.run.runId)
    })
    const first = await begun(agents[0]!, workers)
    const second = await begun(agents[1]!, workers)
    workers[0]!.die()
    await until(() => workers[1]?.of('resumeRun').length === 2)
    workers[1]!.die()
    await until(() => workers[2]?.of('resumeRun').length)
    return { workers, ended: watchEnds([first.run, second.run]) }
  }

  test('is not blamed for a worker that ended because the page was left', async () => {
    const page = new EventTarget()
    vi.stubGlobal('addEventListener', page.addEventListener.bind(page))
    onTestFinished(() => void vi.unstubAllGlobals())
    const { workers, ended } = await afterTwoDeaths(() => undefined)
    for (const type of ['pagehide', 'pageshow'])
      page.dispatchEvent(Object.assign(new Event(type), { persisted: true }))
    await until(() => workers[3]?.of('resumeRun').length)
    expect(ended()).toEqual([])
  })

  test.each([
    ['waits for a person', [output('', { calls: ['c'] }), call.asked('c')], true],
    ['asks a person', [output('', { calls: ['c'] }), call.asked('c')], false],
    ['is paused', [{ type: 'run-paused', reason: 'crash-loop' }], false],
  ] as [string, Item[], boolean][])(
    'and %s is not blamed for a later death',
    async (_how, items, isStored) => {
      const { workers, ended } = await afterTwoDeaths((worker, run, isFirst) => {
        if (!isFirst) worker.tell(run, stepEnd)
        else if (!isStored) worker.tell(run, ...items)
        else {
          worker.skip(run, ...(items as Fact[]))
          worker.checkpoint(run, { reason: 'resumed' })
        }
      })
      await until(() => workers[2]!.of('resumeRun').length === 2)
      await sleep(20)
      workers[2]!.die()
      await until(() => workers[3]?.of('resumeRun').length)
      expect(ended()).toEqual([])
    },
  )

  test('and makes no progress in time is not blamed, nor is the next one', async () => {
    const { workers, ended } = await afterTwoDeaths(() => undefined)
    await until(() => workers[2]!.of('resumeRun').length === 2)
    workers[2]!.die()
    await until(() => workers[3]?.of('resumeRun').length)
    expect(ended()).toEqual([])
  })

  test('and is no longer found does not delay the next one', async () => {
    const request = vi.fn((_name: string, _options: object, _granted: () => void) =>
      Promise.resolve(),
    )
    vi.stubGlobal('navigator', { locks: { request } })
    onTestFinished(() => void vi.unstubAllGlobals())
    const gone = new Set<string>()
    const { agents, workers } = shared(
      2,
      undefined,
      {
        holdLock: () => true,
        resumeRun: (_worker, { conversationId, runId }) =>
          gone.has(runId!) ? null : { conversationId: conversationId!, runId: runId! },
      },
      60_000,
    )
    const first = await begun(agents[0]!, workers)
    const second = await begun(agents[1]!, workers)
    for (let deaths = 1; deaths <= 2; deaths++) {
      await until(() => request.mock.calls.length === deaths)
      if (deaths === 2) gone.add(first.run.runId)
      request.mock.lastCall![2]()
      await until(() => workers[deaths]?.of('resumeRun').length === 2)
    }
    expect((await first.run.result).outcome).toBe('failed')
    workers[2]!.end(second.command)
    expect((await second.run.result).outcome).toBe('completed')
  })
})

/** How the runs that end from now on do. */
function watchEnds(runs: readonly Run[]): () => readonly RunResult[] {
  const ends: RunResult[] = []
  for (const { result } of runs) void result.then((end) => ends.push(end))
  return () => ends
}

test('a run aborted while the worker was dead is not resumed by any agent', async () => {
  let confirm = (_done: boolean): void => undefined
  const abortRun = (): Promise<boolean> => new Promise((resolve) => (confirm = resolve))
  const { agents, workers } = shared(2, undefined, { abortRun })
  const { run, command } = await begun(agents[0]!, workers)
  workers[0]!.checkpoint(command)
  const second = agents[1]!.conversation(run.conversationId)
  second.subscribe(() => undefined)
  await until(() => second.getSnapshot().runId === run.runId)
  workers[0]!.die()
  const aborted = second.abort('stop it')
  await until(() => workers.at(-1)!.of('abortRun').length)
  await sleep(30)
  const next = workers.at(-1)!
  expect(next).not.toBe(workers[0])
  expect(next.of('resumeRun')).toEqual([])
  next.end(command, { outcome: 'aborted', reason: 'stop it' })
  confirm(true)
  expect(await aborted).toBe(true)
  await until(() => next.of('getConversation').length || second.getSnapshot().ended)
  expect(next.of('abortRun')).toMatchObject([{ runId: run.runId, reason: 'stop it' }])
})
