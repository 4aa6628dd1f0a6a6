import { describe, expect, onTestFinished, test } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import type { Run } from '../../../src/client/runs/run.ts'
import type { StartRun } from '../../../src/protocol/worker-calls.ts'
import type { RunEvent } from '../../../src/protocol/event.ts'
import type { Fact } from '../../../src/protocol/fact.ts'
import {
  call,
  type FakeWorker,
  fakeWorkerFactory,
  output,
  sleep,
  stage,
  started,
  step,
  text,
  until,
} from './fake-worker.ts'

const ref = { conversationId: 'c1', runId: 'r1' }

async function eventsOf(run: Run): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

const shortly = ({ type, ...rest }: RunEvent): string =>
  'delta' in rest ? `${type} ${rest.delta}` : 'text' in rest ? `${type} "${rest.text}"` : type

/** A worker that resumes r1, which has a written step, on request. */
function taking(resume: (worker: FakeWorker) => Promise<void>) {
  return stage(
    {},
    {
      resumeRun: async (worker) => {
        worker.skip(ref, started() as Fact, output('Before.', { calls: ['t1'] }) as Fact)
        await resume(worker)
        return ref
      },
    },
  )
}

describe('a resumed run', () => {
  test('gets everything published before the answer, after its snapshot', async () => {
    const set = taking(async (worker) => {
      worker.takeUp(ref)
      const waits = { type: 'tool-unavailable', toolName: 'tool', path: ['t1'], waitMs: 9 } as const
      worker.tell(ref, waits, ...step(2), text('On'))
      await sleep(20)
      worker.tell(ref, text(' it goes.'))
      await sleep(20)
    })
    const run = (await set.agent.resume('c1'))!
    set.worker.tell(ref, text(' Still.'))
    set.worker.end(ref)
    await run.result
    const events = await eventsOf(run)
    expect(events.map(shortly)).toEqual([
      'run-snapshot ""',
      'tool-unavailable',
      'step-end',
      'step-start',
      'text-start',
      'text-delta On it goes. Still.',
      'run-end',
    ])
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at))
  })

  test('gets everything published after an answer that overtook it', async () => {
    let worker: FakeWorker | undefined
    const set = taking(async (of) => {
      worker = of
      of.takenUp.add('c1')
    })
    const run = (await set.agent.resume('c1'))!
    await sleep(10)
    worker!.takenUp.clear()
    worker!.takeUp(ref)
    worker!.tell(ref, call.started('t1'))
    worker!.end(ref)
    expect((await eventsOf(run)).map(shortly)).toEqual([
      'run-snapshot ""',
      'tool-execution-start',
      'step-end',
      'run-end',
    ])
    expect(await run.result).toMatchObject({ text: 'Before.', steps: 1 })
  })

  test('begins where it is resumed, though its conversation was joined meanwhile', async () => {
    const set = taking(async (worker) => {
      worker.checkpoint({ conversationId: 'c1' })
      worker.tell(ref, {
        type: 'run-left',
        outcome: { outcome: 'aborted', reason: 'disposed' },
      })
      worker.takeUp(ref)
      await sleep(20)
    })
    const run = (await set.agent.resume('c1'))!
    set.worker.end(ref)
    expect((await eventsOf(run)).map(shortly)).toEqual(['run-snapshot ""', 'step-end', 'run-end'])
    expect(await run.result).toMatchObject({ outcome: 'completed' })
  })

  test('gives every iterator the same events, whenever it begins', async () => {
    const set = taking(async (worker) => worker.takeUp(ref))
    const run = (await set.agent.resume('c1'))!
    const early = eventsOf(run)
    set.worker.tell(ref, ...step(2), text('a'))
    await sleep(20)
    const late = eventsOf(run)
    set.worker.tell(ref, text('b'))
    set.worker.end(ref)
    expect(await late).toEqual(await early)
    expect(await eventsOf(run)).toEqual(await early)
  })

  test('ends with its stored result when it ended while its worker died', async () => {
    const set = stage(
      { heartbeatMs: 20 },
      {
        resumeRun: (worker) => {
          worker.skip(ours, output('Stored.') as Fact, {
            type: 'run-ended',
            end: { outcome: 'completed' },
          })
          return ours
        },
      },
    )
    const run = set.agent.run('x', { conversationId: 'c1' })
    const ours = { conversationId: 'c1', runId: run.runId }
    const worker = await set.started()
    await until(() => worker.of('startRun').length)
    worker.tell(ours, started({}), ...step())
    for await (const event of run) if (event.type === 'step-start') break
    worker.die()
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Stored.' })
  })

  test('after supplyOutput, reports its events from its start', async () => {
    const set = stage(
      {},
      {
        supplyOutput: async (worker, { nextRunId }) => {
          const next = { conversationId: 'c1', runId: nextRunId }
          worker.skip({ ...next, runId: 'r0' }, started() as Fact, output('Do it.') as Fact)
          worker.tell(next, started(), ...step())
          await sleep(10)
          return next
        },
      },
    )
    const run = (await set.agent.supplyOutput('t1', 'done'))!
    const next = { conversationId: 'c1', runId: run.runId }
    set.worker.tell(next, output('Thanks.', { step: 1 }))
    set.worker.end(next)
    expect((await eventsOf(run)).map(({ type }) => type)).toEqual([
      'run-start',
      'step-start',
      'text-start',
      'step-end',
      'run-end',
    ])
    expect(await run.result).toMatchObject({ text: 'Thanks.' })
  })

  test('after takeOver, is the run that another tab drove', async () => {
    const set = stage({}, { takeOver: () => ref })
    const run = (await set.agent.conversation('c1').takeOver({ interrupted: 'ask' }))!
    expect(set.worker.of('takeOver')).toMatchObject([{ interrupted: 'ask', afterCrash: false }])
    set.worker.tell(ref, output('Mine now.'))
    set.worker.end(ref)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Mine now.' })
    expect((await eventsOf(run))[0]).toMatchObject({ type: 'run-snapshot' })
  })
})

describe('two agents of one page', () => {
  /** Creates two agents: one that runs, and one that has resumed the same run. */
  async function following() {
    const workers: FakeWorker[] = []
    const model = { provider: 'scripted', model: 'test' }
    const worker = fakeWorkerFactory(
      {
        resumeRun: (of, { conversationId, agentId }) => {
          const { run } = of.stateOf({ conversationId: conversationId! }).state
          if (!run) return null
          const named = { conversationId: conversationId!, runId: run.runId }
          if (drivers.get(run.runId) === undefined) drivers.set(run.runId, agentId)
          else {
            of.takenUp.add(conversationId!)
            of.checkpoint(named)
          }
          return named
        },
        releaseAgent: (of, { agentId }) => {
          for (const [runId, driver] of drivers)
            if (driver === agentId) {
              drivers.delete(runId)
              const run = { conversationId: 'c1', runId }
              of.tell(
                run,
                { type: 'run-left', outcome: { outcome: 'aborted', reason: 'disposed' } },
                { type: 'ownership-changed', ownership: 'none' },
              )
            }
        },
      },
      workers,
    )
    const drivers = new Map<string, string>()
    const agents = [createAgent({ model, worker }), createAgent({ model, worker })] as const
    onTestFinished(async () => {
      await Promise.all(agents.map((agent) => agent.dispose()))
      for (const each of workers) each.die()
    })
    const [first, second] = agents
    const run = first.run('x', { conversationId: 'c1' })
    await until(() => workers[0]?.of('startRun').length)
    const [command] = workers[0]!.of<StartRun>('startRun')
    drivers.set(run.runId, command!.agentId)
    workers[0]!.tell(command!, started(command!), ...step(), text('Half'))
    for await (const event of run) if (event.type === 'text-delta') break
    const followed = (await second.resume('c1'))!
    return { first, second, run, followed, command: command!, worker: workers[0]! }
  }

  test('both get the events of one run, and its end', async () => {
    const { run, followed, command, worker } = await following()
    expect(followed).not.toBe(run)
    worker.tell(command, text(' a word.'), output('Half a word.'))
    worker.end(command)
    expect((await eventsOf(run)).map(shortly)).toEqual([
      'run-start',
      'step-start',
      'text-start',
      'text-delta Half',
      'text-delta  a word.',
      'step-end',
      'run-end',
    ])
    expect((await eventsOf(followed)).map(shortly)).toEqual([
      'run-snapshot "Half"',
      'text-delta  a word.',
      'step-end',
      'run-end',
    ])
    expect(await followed.result).toEqual(await run.result)
  })

  test.each<[string, (agents: { first: Agent; second: Agent }) => Promise<unknown>]>([
    ['the driving one', ({ first }) => first.dispose()],
    [
      'the driving one, then the other',
      ({ first, second }) => first.dispose().then(() => second.dispose()),
    ],
    [
      'the other, then the driving one',
      ({ first, second }) => second.dispose().then(() => first.dispose()),
    ],
    ['both at once', ({ first, second }) => Promise.all([first.dispose(), second.dispose()])],
  ])('all handles end as disposed with %s', async (_which, dispose) => {
    const { run, followed, ...agents } = await following()
    await dispose(agents)
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'disposed', text: 'Half' })
    expect(await followed.result).toMatchObject({
      outcome: 'aborted',
      reason: 'disposed',
      text: 'Half',
    })
  })

  test('the run stays open for the remaining agent and ended for the disposed one', async () => {
    const { first, second, run } = await following()
    const [own, other] = [first, second].map((agent) => agent.conversation('c1'))
    for (const shown of [own, other]) shown!.subscribe(() => undefined)
    await until(() => [own, other].every((shown) => shown!.getSnapshot().status === 'running'))
    await first.dispose()
    const { runId } = run
    await until(() => other!.getSnapshot().messages.length === 1)
    expect(other!.getSnapshot()).toMatchObject({ runId })
    expect(other!.getSnapshot().ended).toBe(undefined)
    expect(own!.getSnapshot()).toMatchObject({
      status: 'idle',
      ended: { outcome: 'aborted', reason: 'disposed', runId },
    })
  })

  test('the run continues when the agent that only follows it is disposed', async () => {
    const { second, run, followed, command, worker } = await following()
    await second.dispose()
    expect(await followed.result).toMatchObject({ outcome: 'aborted', reason: 'disposed' })
    worker.tell(command, output('Half a word.'))
    worker.end(command)
    expect(await run.result).toMatchObject({ outcome: 'completed', text: 'Half a word.' })
  })

  test("the remaining agent resumes the other's run with its own handle", async () => {
    const { first, second, followed, command, worker } = await following()
    await first.dispose()
    await followed.result
    const resumed = (await second.resume('c1'))!
    expect(resumed).not.toBe(followed)
    worker.tell(command, output('Half a word.'))
    worker.end(command)
    expect(await resumed.result).toMatchObject({ outcome: 'completed' })
    expect((await eventsOf(resumed))[0]).toMatchObject({ type: 'run-snapshot' })
  })

  test('an unconfirmed abort ends both handles and the shown run', async () => {
    const { first, second, run, followed } = await following()
    const { subscribe, getSnapshot } = second.conversation('c1')
    subscribe(() => undefined)
    await until(() => getSnapshot().status === 'running')
    first.abort('enough')
    expect(await run.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    expect(await followed.result).toMatchObject({ outcome: 'aborted', reason: 'enough' })
    await until(() => getSnapshot().status === 'idle')
    expect(getSnapshot().ended).toMatchObject({ outcome: 'aborted', reason: 'enough' })
  })
})
