import { expect, onTestFinished, test } from 'vitest'
import type { Agent, CompositeTool, RunToolCall, Tool } from '../../../src/index.ts'
import { createAgent } from '../../../src/client/api/create-agent.ts'
import type { WorkerLike } from '../../../src/client/worker-link/spawn-worker.ts'
import { resultOf } from '../../../src/conversation/result.ts'
import { emptyState } from '../../../src/conversation/state.ts'
import { fold } from '../../../src/conversation/fold.ts'
import type { Row } from '../../../src/protocol/fact.ts'
import {
  createTestStorage,
  inProcessWorker,
  simulateReload,
  type TestStorage,
} from '../../../src/testing/index.ts'
import { until } from '../client/fake-worker.ts'
import { AT, composite } from './support.ts'
import { eachNth } from '../more.ts'

type Death = 'reload' | 'remount' | 'worker'

/** Nothing that is asked of it after its n-th commit is answered any more. */
function dyingStorage(storage: TestStorage, after: number, isFatal = true) {
  let commits = 0
  let die = (): void => undefined
  const died = new Promise<void>((resolve) => (die = resolve))
  let opened = 0
  const dying: TestStorage = {
    open: async (name) => {
      const store = await storage.open(name)
      // The next worker gets a storage that works.
      opened += 1
      if (opened > 1) return store
      const alive = async <Value>(work: () => Promise<Value>): Promise<Value> =>
        commits === after && isFatal ? new Promise(() => undefined) : work()
      return {
        ...store,
        read: (...args) => alive(() => store.read(...args)),
        claim: (...args) => alive(() => store.claim(...args)),
        append: (...args) =>
          alive(async () => {
            const rows = await store.append(...args)
            commits += 1
            if (commits === after) die()
            return alive(async () => rows)
          }),
      }
    },
  }
  return { storage: dying, died, commits: () => commits }
}

class World {
  readonly storage = createTestStorage()
  /** Tools and steps that ran, once for each time. */
  readonly ran: string[] = []
  readonly tools: readonly (Tool | CompositeTool)[]

  constructor() {
    const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
      name,
      description: name,
      inputSchema: { type: 'object' },
      execute: async (input) => {
        const { ms = 0, of = '' } = input as { ms?: number; of?: string }
        this.ran.push(name + of)
        await new Promise((resolve) => setTimeout(resolve, ms))
        return `${name}${of} done`
      },
      ...more,
    })
    const work = composite(async (_input, { call, step, random }) => {
      const key = random()
      const chain = async (of: string, ms: number): Promise<unknown[]> => {
        const first = await call('side', { of, ms })
        const noted = await step(`note ${of}`, async () => {
          this.ran.push(`note${of}`)
          return { of }
        })
        return [first, noted, await call('side', { of: `${of}2`, ms: 1 })]
      }
      const [one, other] = await Promise.all([chain('a', 4), chain('b', 1)])
      const failed = await step('fail', () => {
        this.ran.push('fail')
        throw new RangeError('No.')
      }).catch(({ message }: Error) => message)
      const paid = await call('pay', {})
      return { one, other, failed, paid, isSame: key === random() || true }
    })
    this.tools = [tool('side', { sequential: false }), tool('pay', { needsApproval: true }), work]
  }

  open(storage: TestStorage): { readonly agent: Agent; kill(): void } {
    const spawn = inProcessWorker({ storage })
    const workers: WorkerLike[] = []
    const agent = createAgent({
      tools: this.tools,
      model: {
        provider: 'scripted',
        model: 'scripted',
        script: {
          scenes: [{ match: ['never mind'], steps: [{ text: 'Fine.' }] }],
          fallback: [{ toolCalls: [{ toolName: 'work', input: {} }] }, { text: 'Done.' }],
        },
      },
      worker: () => {
        const made = spawn()
        workers.push(made)
        return made
      },
      heartbeatMs: 15,
    })
    onTestFinished(() => agent.dispose())
    return { agent, kill: () => workers.at(-1)?.terminate?.() }
  }

  async rows(): Promise<readonly Row[]> {
    const store = await this.storage.open('offstage')
    return (await store.read('talk')).rows as readonly Row[]
  }
}

/** A person who says yes, whenever they are asked. */
function agree(agent: Agent): Promise<void> {
  const talk = agent.conversation('talk')
  return new Promise((resolve) => {
    const look = (): void => {
      const { pending, ended } = talk.getSnapshot()
      for (const { toolCallId } of pending)
        void agent.approve({ ...AT, toolCallId }).catch(() => undefined)
      if (ended) resolve()
    }
    onTestFinished(talk.subscribe(look))
  })
}

async function play(death: Death | null, after = 0) {
  const world = new World()
  const { storage, died, commits } = dyingStorage(world.storage, death ? after : -1)
  let life = world.open(storage)
  const over = agree(life.agent)
  void life.agent.run('Work', AT)
  await Promise.race([died, over])
  const atDeath = (await world.rows()).length
  const before = [...world.ran]
  if (death !== null) expect(commits()).toBe(after)
  if (death === 'worker') {
    life.kill()
    await over
  } else if (death !== null) {
    void life.agent.dispose()
    if (death === 'reload') simulateReload()
    life = world.open(world.storage)
    const ends = agree(life.agent)
    await life.agent.resume('talk')
    await ends
  }
  const rows = await world.rows()
  const state = fold(emptyState('talk'), rows)
  const { toolCalls } = resultOf(state, state.run?.runId ?? '', {
    outcome: { outcome: 'completed' },
  })
  return { ran: world.ran, before, rows, atDeath, toolCalls, commits: commits() }
}

/** After which commit a life may end. */
const between = (commits: number): number[] =>
  Array.from({ length: commits - 2 }, (_, at) => at + 2)

const outputs = (calls: readonly RunToolCall[]) =>
  calls.map(({ toolName, status, output }) => [toolName, status, output])

const steps = (rows: readonly Row[]) =>
  rows.flatMap((row) => (row.type === 'step-outcome' ? row.key : []))

test.each(['reload', 'remount', 'worker'] as const)(
  'losing a page or worker (%s) between commits of a composite tool repeats nothing',
  async (death) => {
    const calm = await play(null)
    expect(calm.toolCalls[0]).toMatchObject({ status: 'succeeded' })
    for (const after of eachNth(5, between(calm.commits))) {
      const { ran, before, rows, atDeath, toolCalls } = await play(death, after)
      const where = `${death} after ${after}`
      const [top, ...nested] = toolCalls
      const wasLost = nested.some(({ status }) => status === 'interrupted')
      // Calls that this page had started are joined, not interrupted.
      if (death !== 'reload') expect([where, wasLost]).toEqual([where, false])
      for (const name of ['sidea', 'sidea2', 'sideb', 'sideb2', 'pay'])
        expect([where, name, ran.filter((each) => each === name).length <= 1]).toEqual([
          where,
          name,
          true,
        ])
      const kept = steps(rows.slice(0, atDeath))
      for (const key of kept.filter((each) => each.includes('note'))) {
        const name = key.replace(/^\d+:note /, 'note')
        expect([where, ran.slice(before.length).includes(name)]).toEqual([where, false])
      }
      expect(new Set(steps(rows)).size).toBe(steps(rows).length)
      expect([where, top?.status]).toEqual([where, wasLost ? 'failed' : 'succeeded'])
      if (!wasLost) {
        const sorted = (calls: readonly RunToolCall[]) =>
          outputs(calls)
            .map((each) => JSON.stringify(each))
            .toSorted()
        expect([where, ...sorted(toolCalls)]).toEqual([where, ...sorted(calm.toolCalls)])
      }
    }
  },
  120_000,
)

/** No event follows a settled call, and no call stays unfinished. */
function expectClosed(rows: readonly Row[], where: string): void {
  const settled = new Set<string>()
  const open = new Set<string>()
  for (const row of rows) {
    if (row.type === 'model-output') for (const { toolCallId } of row.calls) open.add(toolCallId)
    if (!('path' in row) || !row.path) continue
    const id = row.path.at(-1) ?? ''
    expect([where, row.type, id, settled.has(id)]).toEqual([where, row.type, id, false])
    open.add(id)
    if (row.type === 'call-settled') settled.add(id)
  }
  expect([where, ...open].toSorted()).toEqual([where, ...settled].toSorted())
}

test.each(['abort', 'steer'] as const)(
  'a run that gets %s between any two commits leaves nothing open or running',
  async (how) => {
    const { commits } = await play(null)
    for (const after of eachNth(5, between(commits))) {
      const where = `${how} after ${after}`
      const world = new World()
      const { storage, died } = dyingStorage(world.storage, after, false)
      const { agent } = world.open(storage)
      const over = agree(agent)
      const run = agent.run('Work', AT)
      await Promise.race([died, over])
      if (how === 'abort') run.abort('enough')
      else run.send('Never mind', { when: 'now' })
      const result = await run.result
      await over
      const { length } = world.ran
      if (how === 'abort') expect(['aborted', 'completed']).toContain(result.outcome)
      else expect([where, result.outcome]).toEqual([where, 'completed'])
      expectClosed(await world.rows(), where)
      await new Promise((resolve) => setTimeout(resolve, 3))
      expect([where, world.ran.length]).toEqual([where, length])
      expect([where, new Set(world.ran).size]).toEqual([where, length])
    }
  },
  120_000,
)

test('a worker that dies during nested calls is replaced, and nothing runs twice', async () => {
  const world = new World()
  const { agent, kill } = world.open(world.storage)
  const over = agree(agent)
  let kills = 0
  const stop = setInterval(() => {
    // At most three are replaced.
    if (world.ran.length > kills * 3 && kills < 2) {
      kills += 1
      kill()
    }
  }, 1)
  onTestFinished(() => clearInterval(stop))
  void agent.run('Work', AT)
  await over
  await until(() => kills > 0)
  const state = fold(emptyState('talk'), await world.rows())
  expect(state.run?.end).toEqual({ outcome: 'completed' })
  const calls = world.ran.filter((name) => !name.startsWith('note') && name !== 'fail')
  expect(calls.toSorted()).toEqual(['pay', 'sidea', 'sidea2', 'sideb', 'sideb2'])
})
