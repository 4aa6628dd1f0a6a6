import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../../../src/protocol/page-calls.ts'
import { createWorld, SCOPE, SimPage, startCommand, startLife, type SimTool } from './simulation.ts'

const resume = { ...SCOPE, runId: 'run', interrupted: 'tell-model', waitForToolsMs: 20 } as const
const paid: ToolOutcome = { status: 'succeeded', output: { type: 'text', value: 'paid' } }
const turns = [{ calls: [{ tool: 'pay', input: {} }] }]

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => (resolve = done))
  return { promise, resolve: (value) => resolve(value) }
}

describe('an execution that a dead worker requested and that never started', () => {
  it.each([
    'unconfirmed',
    'changed',
    'not-registered',
    'deadline',
    'cancelled',
    'stale-epoch',
  ] as const)('is run by the next worker when the page answers %s', async (reason) => {
    const asked = deferred<null>()
    const first = deferred<ToolOutcome>()
    let requests = 0
    const run = (): Promise<ToolOutcome> | ToolOutcome => {
      requests += 1
      if (requests > 1) return paid
      asked.resolve(null)
      return first.promise
    }
    const world = createWorld(turns, { pay: { descriptor: {}, run } })
    const live = startLife(world)
    void live.host.startRun(startCommand('run', 'go'))
    await asked.promise
    live.life.dead = true
    first.resolve({ status: 'not-started', reason })
    const next = startLife(world)
    await next.host.resumeRun(resume)
    expect(await next.ended()).toMatchObject({
      outcome: 'completed',
      toolCalls: [{ status: 'succeeded' }],
    })
    expect(requests).toBe(2)
  })
})

it('a call decided again is not repeated if its tool may not run twice', async () => {
  const began = deferred<null>()
  let effects = 0
  const tool: { descriptor: SimTool['descriptor'] } = {
    descriptor: { annotations: { idempotent: true }, definition: 'old' },
  }
  const world = createWorld(turns, {
    pay: {
      get descriptor() {
        return tool.descriptor
      },
      run: ({ definition }) => {
        if (definition === 'old') {
          tool.descriptor = { annotations: {}, definition: 'new' }
          return { status: 'not-started', reason: 'changed' }
        }
        effects += 1
        began.resolve(null)
        return new Promise<never>(() => undefined)
      },
    },
  })
  const live = startLife(world)
  void live.host.startRun(startCommand('run', 'go'))
  await began.promise
  live.life.dead = true
  world.page.dead = true
  world.page = new SimPage(world.tools, world.page.context)
  const next = startLife(world)
  await next.host.resumeRun(resume)
  expect(await next.ended()).toMatchObject({ toolCalls: [{ status: 'interrupted' }] })
  expect(effects).toBe(1)
})

it('a call does not run if its run was stopped while its start was stored', async () => {
  let effects = 0
  const run = (): ToolOutcome => {
    effects += 1
    return paid
  }
  const world = createWorld(turns, { pay: { descriptor: {}, run } })
  const reached = deferred<null>()
  const goesOn = deferred<null>()
  const { append } = world.store
  const store = {
    ...world.store,
    append: async (command: Parameters<typeof append>[0]) => {
      if (command.rows.some(({ type }) => type === 'model-output')) {
        reached.resolve(null)
        await goesOn.promise
      }
      return append(command)
    },
  }
  const live = startLife({ ...world, store })
  void live.host.startRun(startCommand('run', 'go'))
  await reached.promise
  const aborted = live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })
  // The abort is there once the microtasks are done.
  await new Promise((resolve) => setTimeout(resolve))
  goesOn.resolve(null)
  await aborted
  expect(await live.ended()).toMatchObject({
    outcome: 'aborted',
    toolCalls: [{ status: 'aborted' }],
  })
  expect(effects).toBe(0)
})
