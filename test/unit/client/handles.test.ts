import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/client/api/agent.ts'
import type { Run } from '../../../src/client/runs/run.ts'
import type { RunEvent } from '../../../src/protocol/event.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import { createTestStorage, inProcessWorker } from '../../../src/testing/index.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import { sleep, until } from './fake-worker.ts'
import { someOf } from '../more.ts'

interface World {
  create(): Agent
  /** Ends the newest worker without a word. */
  killWorker(): void
  /** How often the tool ran, by call. */
  readonly counts: ReadonlyMap<string, number>
}

/** Agents of one page that share a worker, a store, and a tool that writes: it ends after `toolMs`, and after `held`. */
function world({ paceMs = 0, toolMs = 0, held = Promise.resolve() } = {}): World {
  const spawn = inProcessWorker({ storage: createTestStorage() })
  const workers: WorkerLike[] = []
  const worker = (): WorkerLike => {
    const made = spawn()
    workers.push(made)
    return made
  }
  const counts = new Map<string, number>()
  const script = {
    paceMs,
    steps: [
      { text: 'I write.', toolCalls: [{ toolName: 'write', input: {} }] },
      { text: 'It is written, all of it.' },
    ],
  }
  return {
    counts,
    create: () =>
      createAgent({
        model: { provider: 'scripted', model: 'scripted', script },
        worker,
        heartbeatMs: 30,
        tools: [
          {
            name: 'write',
            description: 'Writes.',
            async execute(_input, { idempotencyKey }) {
              counts.set(idempotencyKey, (counts.get(idempotencyKey) ?? 0) + 1)
              await Promise.all([sleep(toolMs), held])
              return 'written'
            },
          },
        ],
      }),
    killWorker: () => workers.at(-1)?.terminate?.(),
  }
}

const eventsOf = async (run: Run): Promise<RunEvent[]> => {
  const events: RunEvent[] = []
  for await (const event of run) events.push(event)
  return events
}

describe('handles of one run on one page', () => {
  test('follow the run to its end for a second agent, with the earlier text', async () => {
    let endTool = (): void => {}
    const held = new Promise<void>((resolve) => (endTool = resolve))
    const { create, counts } = world({ paceMs: 10, held })
    const [first, second] = [create(), create()]
    const run = first.run('Go', { conversationId: 'c' })
    for await (const event of run) if (event.type === 'text-delta') break
    const followed = (await second.resume('c'))!
    endTool()
    let text = ''
    for (const event of await eventsOf(followed)) {
      if (event.type === 'run-snapshot') ({ text } = event)
      if (event.type === 'step-start') text = ''
      if (event.type === 'text-delta') text += event.delta
    }
    expect(text).toBe('It is written, all of it.')
    expect((await followed.result).outcome).toBe('completed')
    expect((await followed.result).text).toBe((await run.result).text)
    expect([...counts.values()]).toEqual([1])
    await Promise.all([first.dispose(), second.dispose()])
  })

  test('end when the driving agent is disposed, and the run can be resumed', async () => {
    const { create, counts } = world({ toolMs: 50 })
    const [first, second] = [create(), create()]
    void first.run('Go', { conversationId: 'c' })
    await until(() => counts.size)
    const followed = (await second.resume('c'))!
    await first.dispose()
    expect(await followed.result).toMatchObject({ outcome: 'aborted', reason: 'disposed' })
    const run = await second.resume('c')
    expect((await run?.result)?.outcome).toBe('completed')
    expect([...counts.values()]).toEqual([1])
    await second.dispose()
  })

  test('end for a new agent after the old one was disposed, with a third alive', async () => {
    const { create, counts } = world({ toolMs: 30 })
    const [first, keeper] = [create(), create()]
    await keeper.prepare()
    void first.run('Go', { conversationId: 'c' })
    await until(() => counts.size)
    void first.dispose()
    const next = create()
    const run = await next.resume('c')
    expect((await run?.result)?.outcome).toBe('completed')
    expect([...counts.values()]).toEqual([1])
    await Promise.all([keeper.dispose(), next.dispose()])
  })

  test('end over a double mount: create, resume, dispose, create, resume', async () => {
    const { create, counts } = world({ toolMs: 30 })
    const seed = create()
    void seed.run('Go', { conversationId: 'c' })
    await until(() => counts.size)
    await seed.dispose()
    const mounted = create()
    const early = mounted.resume('c').catch(() => null)
    void mounted.dispose()
    const second = create()
    const run = await second.resume('c')
    expect((await run?.result)?.outcome).toBe('completed')
    const dropped = await early
    if (dropped) expect((await dropped.result).outcome).toBe('aborted')
    expect([...counts.values()]).toEqual([1])
    await second.dispose()
  })
})

type Act = 'create' | 'run' | 'resume' | 'abort' | 'dispose' | 'kill' | 'wait'

test('whatever the agents of a page do, every handle ends and no call repeats', async () => {
  const acts = fc.array(
    fc.record({
      act: fc.constantFrom<Act>(
        'create',
        'run',
        'run',
        'resume',
        'resume',
        'abort',
        'dispose',
        'kill',
        'wait',
      ),
      who: fc.nat(2),
    }),
    { minLength: 2, maxLength: 12 },
  )
  await fc.assert(
    fc.asyncProperty(acts, async (sequence) => {
      const { create, killWorker, counts } = world({ paceMs: 1, toolMs: 3 })
      const agents: Agent[] = [create()]
      const handles: Promise<Run | null>[] = []
      let kills = 0
      for (const { act, who } of sequence) {
        const agent = agents[who % agents.length]!
        switch (act) {
          case 'create':
            if (agents.length < 3) agents.push(create())
            break
          case 'run':
            handles.push(Promise.resolve(agent.run('Go', { conversationId: 'c', ifBusy: 'queue' })))
            break
          case 'resume':
            handles.push(agent.resume('c').catch(() => null))
            break
          case 'abort':
            agent.abort()
            break
          case 'dispose':
            void agent.dispose()
            agents[who % agents.length] = create()
            break
          case 'kill':
            if (kills++ < 2) killWorker()
            break
          case 'wait':
            await sleep(8)
            break
          default:
            act satisfies never
        }
      }
      const runs = await Promise.all(handles)
      await Promise.all(runs.flatMap((run) => (run ? [run.result] : [])))
      expect([...counts.values()].filter((count) => count > 1)).toEqual([])
      await Promise.all(agents.map((agent) => agent.dispose()))
    }),
    { numRuns: someOf(100), interruptAfterTimeLimit: 40_000, endOnFailure: true },
  )
}, 120_000)
