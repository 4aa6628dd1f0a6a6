import { describe, expect, it } from 'vitest'
import type { Row } from '../../../src/protocol/fact.ts'
import { createWorld, SCOPE, SimPage, startCommand, startLife, type World } from './simulation.ts'

const CHILD = 'talk.c1-0-0'
const toolCallId = 'c1-0-0'
const resume = { ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 20 } as const
const parent = { conversationId: SCOPE.conversationId, runId: 'run', toolCallId }
const announced = { ...SCOPE, runId: 'run', toolCallId, childConversationId: CHILD }
const childCommand = { ...startCommand('child', 'work'), conversationId: CHILD, parent }

/** A run whose call waits for another one, in which the same tool runs `work`. No page looks after either. */
function familyWorld(work: () => Promise<unknown> = async () => undefined): World {
  return createWorld([{ calls: [{ tool: 'ask', input: {} }] }, { text: 'done' }], {
    ask: {
      descriptor: {},
      run: async ({ conversationId }) => {
        if (conversationId === SCOPE.conversationId) return { status: 'suspended', token: 'child' }
        await work()
        return { status: 'succeeded', output: { type: 'text', value: 'worked' } }
      },
    },
  })
}

async function endOf(world: World): Promise<Row | undefined> {
  const { rows } = await world.store.read(CHILD)
  return (rows as readonly Row[]).find(({ type }) => type === 'run-ended')
}

const PARENT_ENDED = { type: 'run-ended', end: { outcome: 'aborted', reason: 'parent-ended' } }

describe('a child run', () => {
  it('is refused if its call has ended', async () => {
    const world = familyWorld()
    const { host, until } = startLife(world)
    await host.startRun(startCommand('run', 'go'))
    await until('tool-suspended')
    await host.announceChild({ ...announced, childRunId: 'child' })
    await host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })
    await host.startRun(childCommand)
    expect((await world.store.read(CHILD)).rows).toEqual([])
    expect(world.requests).toHaveLength(1)
  })

  it('sends no more requests once its parent has ended, even if nobody stops it', async () => {
    const world = familyWorld(() => host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' }))
    const { host, until } = startLife(world)
    await host.startRun(startCommand('run', 'go'))
    await until('tool-suspended')
    await host.announceChild({ ...announced, childRunId: 'child' })
    await host.startRun(childCommand)
    await expect.poll(() => endOf(world), { timeout: 20_000 }).toMatchObject(PARENT_ENDED)
    expect(world.requests).toHaveLength(2)
  })

  it("stops after its parent's end, whenever its worker died", async () => {
    for (let after = 1; ; after++) {
      const world = familyWorld()
      const first = startLife(world)
      await first.host.startRun(startCommand('run', 'go'))
      await first.until('tool-suspended')
      first.life.dead = true
      world.page = new SimPage(world.tools, world.page.context)

      const second = startLife(world, after)
      void (async () => {
        await second.host.resumeRun(resume)
        await second.host.announceChild({ ...announced, childRunId: 'child' })
        await second.host.startRun(childCommand)
      })().catch(() => undefined)
      const ended = (async () => {
        for (;;) {
          if (second.life.dead || (await endOf(world))) return
          await new Promise((resolve) => setTimeout(resolve, 1))
        }
      })()
      await ended
      const isDead = second.life.dead
      second.life.dead = true
      world.page = new SimPage(world.tools, world.page.context)

      const third = startLife(world)
      await third.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })
      const asked = world.requests.length
      await third.host.resumeRun({ ...resume, conversationId: CHILD })
      expect((await world.store.get(CHILD))?.openRunId ?? null, `killed at ${after}`).toBeNull()
      expect(world.requests).toHaveLength(asked)
      if (!isDead) break
    }
  })
})
