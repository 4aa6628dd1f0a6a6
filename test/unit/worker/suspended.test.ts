import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/protocol/fact.ts'
import {
  createWorld,
  SCOPE,
  SimPage,
  startCommand,
  startLife,
  type LiveHost,
  type World,
} from './simulation.ts'

const resume = { ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 20 } as const
const toolCallId = 'c1-0-0'

function orderingWorld(): { readonly world: World; readonly orders: () => number } {
  let orders = 0
  const world = createWorld([{ calls: [{ tool: 'order', input: {} }] }, { text: 'done' }], {
    order: {
      descriptor: {},
      run: () => {
        orders += 1
        return { status: 'suspended', token: 'job' }
      },
    },
  })
  return { world, orders: () => orders }
}

async function rowsOf(world: World): Promise<readonly Row[]> {
  return (await world.store.read(SCOPE.conversationId)).rows as readonly Row[]
}

/** The next page, which resumes the run, or begins it if nothing of it was stored. */
async function nextLife(world: World, after = 0): Promise<LiveHost> {
  const live = startLife(world, after)
  const ref = await live.host.resumeRun(resume)
  if (ref === null) await live.host.startRun(startCommand('run', 'go'))
  return live
}

/** The call waits for its outcome, or the run is over. */
async function restsOrEnds(world: World, live: LiveHost): Promise<void> {
  for (;;) {
    const rows = await rowsOf(world)
    if (live.life.dead || rows.some(({ type }) => RESTING.has(type))) return
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

const RESTING: ReadonlySet<Row['type']> = new Set(['call-suspended', 'call-settled', 'run-ended'])

describe('a call that waits for its outcome', () => {
  it('counts neither as a start nor a crash, across any number of pages', async () => {
    const { world, orders } = orderingWorld()
    let live = startLife(world)
    void live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-suspended')
    for (let page = 0; page < 6; page++) {
      live.life.dead = true
      world.page = new SimPage(world.tools, world.page.context)
      live = startLife(world)
      expect(await live.host.resumeRun(resume)).toMatchObject({ runId: 'run' })
      expect(await live.until('run-snapshot')).toMatchObject({
        pending: [{ toolCallId, kind: 'settlement', resumeToken: 'job' }],
      })
    }
    const answer = { type: 'settle', output: { type: 'text', value: 'ok' } } as const
    expect(await live.host.commands.answerCall({ ...SCOPE, toolCallId, answer })).toBe(true)
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'done' })
    const types = (await rowsOf(world)).map(({ type }) => type)
    expect(types.filter((type) => type === 'call-started')).toHaveLength(1)
    expect(types).not.toContain('run-paused')
    expect(orders()).toBe(1)
  })

  it('has no driver while it waits, so that another tab claims it at once', async () => {
    const { world } = orderingWorld()
    const one = startLife(world)
    void one.host.startRun(startCommand('run', 'go'))
    await one.until('tool-suspended')
    const other = startLife(world)
    const answer = { type: 'settle', output: { type: 'text', value: 'ok' } } as const
    expect(await other.host.commands.answerCall({ ...SCOPE, toolCallId, answer })).toBe(true)
    await other.until('run-end')
    const settled = (await rowsOf(world)).filter(({ type }) => type === 'call-settled')
    expect(settled).toHaveLength(1)
  })

  it.each(['worker', 'page'] as const)(
    'runs once, whenever the %s dies, and its outcome is stored',
    async (who) => {
      for (let after = 1; after < 40; after++) {
        const { world, orders } = orderingWorld()
        const first = startLife(world, after)
        void first.host.startRun(startCommand('run', 'go'))
        await Promise.race([restsOrEnds(world, first), first.life.died])
        first.life.dead = true
        if (who === 'page') {
          world.page.dead = true
          world.page = new SimPage(world.tools, world.page.context)
        }
        const next = await nextLife(world)
        await restsOrEnds(world, next)
        const answer = { type: 'settle', output: { type: 'text', value: 'ok' } } as const
        const isTaken = await next.host.commands.answerCall({ ...SCOPE, toolCallId, answer })
        await next.until('run-end')
        const settled = (await rowsOf(world)).filter((row) => row.type === 'call-settled')
        // A call that was about to start when the page died is `interrupted`, too.
        expect(orders(), `${after}`).toBeLessThanOrEqual(1)
        if (isTaken) expect(orders(), `${after}`).toBe(1)
        expect(
          settled.map((row) => row.status),
          `${after}`,
        ).toEqual([isTaken ? 'succeeded' : 'interrupted'])
        // Only a page that died takes the token with it.
        if (who === 'worker') expect(isTaken, `${after}`).toBe(true)
      }
    },
    60_000,
  )
})
