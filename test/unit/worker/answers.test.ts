import { describe, expect, it } from 'vitest'
import type { CallAnswer } from '../../../src/protocol/worker-calls.ts'
import type { ToolOutcome } from '../../../src/protocol/page-calls.ts'
import type { Row } from '../../../src/protocol/fact.ts'
import type { RowRange } from '../../../src/worker/store/store.ts'
import {
  createWorld,
  SCOPE,
  startCommand,
  startLife,
  type LiveHost,
  type SimTool,
  type World,
} from './simulation.ts'

type Answer = CallAnswer['answer']

const approve: Answer = { type: 'approve' }
const edited: Answer = { type: 'approve', input: { n: 2 } }
const deny: Answer = { type: 'deny', reason: 'no' }
const toolCallId = 'c1-0-0'

interface Asked {
  readonly world: World
  readonly live: LiveHost
  /** Inputs of the calls that ran. */
  readonly ran: unknown[]
}

/** Starts a run that waits for a user to approve its only call. */
async function askedRun(tool: Partial<SimTool> = {}): Promise<Asked> {
  const ran: unknown[] = []
  const drop: SimTool = {
    descriptor: { needsApproval: true },
    run: (call): ToolOutcome => {
      ran.push(call.input)
      return { status: 'succeeded', output: { type: 'text', value: 'dropped' } }
    },
    ...tool,
  }
  const world = createWorld([{ calls: [{ tool: 'drop', input: { n: 1 } }] }, { text: 'done' }], {
    drop,
  })
  const live = startLife(world)
  await live.host.startRun(startCommand('run', 'go'))
  await live.until('tool-approval-request')
  return { world, live, ran }
}

/** Refusals count as no. */
async function say(live: LiveHost, answer: Answer, call = toolCallId): Promise<boolean> {
  const command = { ...SCOPE, toolCallId: call, answer }
  return live.host.commands.answerCall(command).catch(() => false)
}

async function rowsOf(world: World): Promise<readonly Row[]> {
  return (await world.store.read(SCOPE.conversationId)).rows as readonly Row[]
}

const answersIn = (rows: readonly Row[]) => rows.filter((row) => row.type === 'approval-answered')
const settledIn = (rows: readonly Row[]) => rows.filter((row) => row.type === 'call-settled')

/** Expects the outcome that this answer alone leads to. */
function expectOnly(answer: Answer, asked: Asked, rows: readonly Row[]): void {
  const inputs = { approve: { n: 1 }, edited: { n: 2 } }
  const kind = answer.type === 'deny' ? null : answer === edited ? 'edited' : 'approve'
  expect(asked.ran).toEqual(kind === null ? [] : [inputs[kind]])
  expect(answersIn(rows)).toMatchObject([{ approved: kind !== null }])
  expect(settledIn(rows)).toMatchObject([{ status: kind === null ? 'denied' : 'succeeded' }])
  const told = asked.live.events.filter((event) => event.type === 'tool-approval-response')
  expect(told.length).toBeLessThanOrEqual(1)
}

const pairs: [string, Answer, Answer][] = [
  ['denied and approved', deny, approve],
  ['approved and denied', approve, deny],
  ['approved with and without an edit', edited, approve],
  ['approved without and with an edit', approve, edited],
  ['denied twice', deny, deny],
]

describe('several answers to one approval', () => {
  it.each(pairs)('exactly one counts when it is %s at once', async (_what, first, second) => {
    const asked = await askedRun()
    const said = await Promise.all([say(asked.live, first), say(asked.live, second)])
    expect(said.filter(Boolean)).toHaveLength(1)
    expect((await asked.live.ended()).outcome).toBe('completed')
    expectOnly(said[0] ? first : second, asked, await rowsOf(asked.world))
  })

  it.each(pairs)('exactly one counts when it is %s in two tabs', async (_what, first, second) => {
    const asked = await askedRun()
    const other = startLife(asked.world)
    const said = await Promise.all([say(asked.live, first), say(other, second)])
    expect(said.filter(Boolean)).toHaveLength(1)
    await Promise.race([asked.live.ended(), other.ended()])
    await expect.poll(async () => (await rowsOf(asked.world)).at(-1)?.type).toBe('run-ended')
    expectOnly(said[0] ? first : second, asked, await rowsOf(asked.world))
  })

  it('exactly one counts when they race with a resume on another page', async () => {
    const asked = await askedRun()
    asked.live.life.dead = true
    const next = startLife(asked.world)
    const resumed = next.host.resumeRun({
      ...SCOPE,
      interrupted: 'tell-model',
      waitForToolsMs: 20,
    })
    const said = await Promise.all([
      say(next, deny),
      say(next, approve),
      say(next, edited),
      resumed,
    ])
    expect(said.slice(0, 3).filter(Boolean)).toHaveLength(1)
    await next.ended()
    const rows = await rowsOf(asked.world)
    expect(answersIn(rows)).toHaveLength(1)
    expect(settledIn(rows)).toHaveLength(1)
  })

  it('an answer of the wrong kind writes nothing', async () => {
    const asked = await askedRun()
    const before = await rowsOf(asked.world)
    expect(await say(asked.live, { type: 'answer', text: 'yes' })).toBe(false)
    expect(await say(asked.live, { type: 'resolve', verdict: 'happened' })).toBe(false)
    expect(await say(asked.live, approve, 'no such call')).toBe(false)
    expect(await rowsOf(asked.world)).toEqual(before)
  })
})

describe('an answer to a run that is ending', () => {
  it.each([approve, deny])('is refused while the run is aborted: $type', async (answer) => {
    const asked = await askedRun()
    const aborted = asked.live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })
    expect(await say(asked.live, answer)).toBe(false)
    expect(await aborted).toBe(true)
    const rows = await rowsOf(asked.world)
    expect(answersIn(rows)).toEqual([])
    expect(settledIn(rows)).toMatchObject([{ status: 'aborted' }])
    expect(asked.ran).toEqual([])
  })

  it.each([approve, deny])(
    'is refused while the conversation is deleted: $type',
    async (answer) => {
      const asked = await askedRun()
      const deleted = asked.live.host.library.deleteConversation(SCOPE)
      expect(await say(asked.live, answer)).toBe(false)
      expect(await deleted).toBe(true)
      expect(await asked.world.store.read(SCOPE.conversationId)).toEqual({
        record: null,
        rows: [],
      })
      expect((await asked.world.store.list()).records).toEqual([])
    },
  )

  it('does not restore a conversation that another tab deleted', async () => {
    const asked = await askedRun()
    await asked.world.store.delete(SCOPE.conversationId)
    expect(await say(asked.live, approve)).toBe(false)
    const end = await asked.live.ended()
    expect(end).toMatchObject({ outcome: 'aborted', reason: 'deleted' })
    expect((await asked.world.store.list()).records).toEqual([])
    expect(asked.ran).toEqual([])
  })
})

describe('the output of a one-shot call', () => {
  const write: SimTool = {
    descriptor: {},
    run: () => ({ status: 'succeeded', output: { type: 'text', value: 'ok' } }),
  }
  const supply = (live: LiveHost, value: string) =>
    live.host.supplyOutput({
      ...SCOPE,
      toolCallId,
      output: { type: 'text', value },
      limits: { maxSteps: 0, retries: 3 },
      nextRunId: `next-${value}`,
    })

  it('is accepted once, when supplied three times at once', async () => {
    const world = createWorld([{ calls: [{ tool: 'write', input: {} }] }, {}], { write })
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go', { maxSteps: 0, retries: 3 }))
    await live.ended()
    const supplied = ['a', 'b', 'c'].map((value) => supply(live, value))
    const [taken, ...others] = await Promise.allSettled(supplied)
    expect(taken).toMatchObject({ status: 'fulfilled', value: { runId: 'next-a' } })
    for (const refused of others)
      expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'conversation-busy' } })
    await expect.poll(async () => (await world.store.get('talk'))?.openRunId).toBe(null)
    const rows = await rowsOf(world)
    expect(settledIn(rows)).toHaveLength(1)
    expect(rows.filter(({ type }) => type === 'messages-imported')).toEqual([])
  })

  it('is found by its id alone, without reading another conversation', async () => {
    const world = createWorld([{ calls: [{ tool: 'write', input: {} }] }, {}], { write })
    const read: string[] = []
    const store = { ...world.store }
    const spied = {
      ...world,
      store: {
        ...store,
        read: (id: string, range?: RowRange) => {
          read.push(id)
          return store.read(id, range)
        },
      },
    }
    const live = startLife(spied)
    for (const conversationId of ['one', 'two']) {
      const limits = { maxSteps: 0, retries: 3 }
      await live.host.startRun({ ...startCommand(conversationId, 'go', limits), conversationId })
      await expect.poll(async () => (await store.get(conversationId))?.openRunId).toBe(null)
    }
    const { agentId, storage } = SCOPE
    const limits = { maxSteps: 0, retries: 3 }
    const output = { type: 'text', value: 'x' } as const
    const call = { agentId, storage, toolCallId, output, limits }
    await live.host.supplyOutput({ ...call, conversationId: 'two', nextRunId: 'next-two' })
    await expect.poll(async () => (await store.get('two'))?.openRunId).toBe(null)
    read.length = 0
    const fresh = startLife(spied)
    const ref = await fresh.host.supplyOutput({ ...call, nextRunId: 'next-one' })
    expect(ref?.conversationId).toBe('one')
    expect(new Set(read)).toEqual(new Set(['one']))
  })
})
