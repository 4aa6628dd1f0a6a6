import { describe, expect, it } from 'vitest'
import type { DescribeCall, ExecuteTool, ToolOutcome } from '../../../src/protocol/page-calls.ts'
import type { Row, RowOf } from '../../../src/protocol/fact.ts'
import {
  createWorld,
  SCOPE,
  SimPage,
  startCommand,
  startLife,
  type LiveHost,
  type SimTool,
  type World,
} from './simulation.ts'

const toolCallId = 'c1-0-0'
const resume = { ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 20 } as const

interface Asked {
  readonly world: World
  readonly live: LiveHost
  readonly asked: DescribeCall[]
  readonly ran: ExecuteTool[]
}

/** A run that waits for an approval; its tool says on which page it was asked, and what it said before. */
async function askedRun(tool: Partial<SimTool> = {}): Promise<Asked> {
  const ran: ExecuteTool[] = []
  const asked: DescribeCall[] = []
  const press: SimTool = {
    descriptor: { needsApproval: true, hasDescribe: true },
    describe: (call) => {
      asked.push(call)
      return { type: 'described', about: { text: 'button "Delete"', data: asked.length } }
    },
    run: (call): ToolOutcome => {
      ran.push(call)
      return { status: 'succeeded', output: { type: 'text', value: 'pressed' } }
    },
    ...tool,
  }
  const world = createWorld([{ calls: [{ tool: 'press', input: { ref: 'e1' } }] }, {}], { press })
  const live = startLife(world)
  await live.host.startRun(startCommand('run', 'go'))
  return { world, live, asked, ran }
}

function nextPage({ world, live }: Asked): LiveHost {
  live.life.dead = true
  world.page = new SimPage(world.tools, world.page.context)
  return startLife(world)
}

const approve = (live: LiveHost): Promise<boolean | null> =>
  live.host.commands.answerCall({ ...SCOPE, toolCallId, answer: { type: 'approve' } })

async function requestsIn(world: World): Promise<readonly RowOf<'approval-requested'>[]> {
  const { rows } = await world.store.read(SCOPE.conversationId)
  return (rows as readonly Row[]).filter((row) => row.type === 'approval-requested')
}

describe('a call with a description for its approval', () => {
  it('requests approval with the stored description, and passes it to the tool', async () => {
    const run = await askedRun()
    expect(await run.live.until('tool-approval-request')).toMatchObject({
      about: { text: 'button "Delete"', data: 1 },
    })
    expect(await requestsIn(run.world)).toMatchObject([
      { about: { text: 'button "Delete"', data: 1, pageId: run.world.page.id } },
    ])
    await approve(run.live)
    await run.live.ended()
    expect(run.ran).toMatchObject([{ input: { ref: 'e1' }, about: 1 }])
  })

  it('fails without an approval request if its description fails', async () => {
    const output = { type: 'error', code: 'failed', message: 'No e1.' } as const
    const run = await askedRun({ describe: () => ({ type: 'failed', output }) })
    expect(await run.live.ended()).toMatchObject({
      outcome: 'completed',
      toolCalls: [{ status: 'failed', output }],
    })
    expect(await requestsIn(run.world)).toEqual([])
    expect(run.ran).toEqual([])
  })

  it('requests approval again on the next page, with the previous description', async () => {
    const run = await askedRun()
    await run.live.until('tool-approval-request')
    const next = nextPage(run)
    await next.host.resumeRun(resume)
    await expect.poll(async () => (await requestsIn(run.world)).length).toBe(2)
    expect(run.asked.map(({ previous }) => previous)).toEqual([undefined, 1])
    expect((await requestsIn(run.world)).at(-1)).toMatchObject({
      about: { data: 2, pageId: run.world.page.id },
    })
    await expect.poll(() => approve(next)).toBe(true)
    await next.ended()
    expect(run.ran).toMatchObject([{ about: 2 }])
  })

  it('requests approval again although it was approved for a closed page', async () => {
    const run = await askedRun()
    await run.live.until('tool-approval-request')
    const next = nextPage(run)
    // The answer may come before the run is resumed, or after it was asked about anew: it must not count for both.
    const [answered] = await Promise.all([approve(next), next.host.resumeRun(resume)])
    await expect.poll(async () => (await requestsIn(run.world)).length).toBe(2)
    expect(run.ran).toEqual([])
    expect(answered).not.toBe(null)
    await expect.poll(() => approve(next)).toBe(true)
    await next.ended()
    expect(run.ran).toMatchObject([{ about: 2 }])
  })

  it('requests approval on the next page whatever its policy says', async () => {
    const run = await askedRun()
    await run.live.until('tool-approval-request')
    run.live.life.dead = true
    const [press] = run.world.tools.values()
    if (!press) throw new Error('unreachable')
    const tools = new Map([
      ['press', { ...press, descriptor: { hasDescribe: true, needsApproval: false } as const }],
    ])
    run.world.page = new SimPage(tools)
    const next = startLife(run.world)
    await next.host.resumeRun(resume)
    await expect.poll(async () => (await requestsIn(run.world)).length).toBe(2)
    expect(run.ran).toEqual([])
  })

  it('requests approval once when the worker restarts on the same page', async () => {
    const run = await askedRun()
    await run.live.until('tool-approval-request')
    run.live.life.dead = true
    const next = startLife(run.world)
    await next.host.resumeRun(resume)
    await expect.poll(() => approve(next)).toBe(true)
    await next.ended()
    expect(run.asked).toHaveLength(1)
    expect(run.ran).toMatchObject([{ about: 1 }])
  })
})
