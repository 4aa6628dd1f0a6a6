import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ToolOutcome } from '../../../src/protocol/page-calls.ts'
import { OffstageError, type ErrorCode } from '../../../src/protocol/error.ts'
import type { RunEventBody } from '../../../src/protocol/event.ts'
import type { Row } from '../../../src/protocol/fact.ts'
import type { Append, Store } from '../../../src/worker/store/store.ts'
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

const ok: ToolOutcome = { status: 'succeeded', output: { type: 'text', value: 'ok' } }
const resume = { ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 20 } as const

const isOfType = (type: RunEventBody['type']) => (event: RunEventBody) => event.type === type
const countOf = (live: LiveHost, type: RunEventBody['type']) =>
  live.events.filter(isOfType(type)).length

async function factsOf(world: World): Promise<string[]> {
  const { rows } = await world.store.read(SCOPE.conversationId)
  return (rows as readonly Row[]).map((row) => row.type)
}

/** A run whose model never answers; each page that resumes it dies `everyMs` after the last did. */
async function dieWhileAsking(
  times: number,
  everyMs: number,
  how: { readonly afterCrash?: boolean } = {},
): Promise<World> {
  const world = createWorld([{ text: 'finally' }], {})
  world.silent = true
  for (let life = 0; life <= times; life++) {
    const live = startLife(world)
    if (life === 0) void live.host.startRun(startCommand('run', 'go'))
    else void live.host.resumeRun({ ...resume, ...how })
    await live.until('step-start')
    live.life.dead = true
    world.ahead += everyMs
  }
  world.silent = false
  return world
}

describe('a step that crashes each time', () => {
  it('resumes however often, if pages that did not crash resume it', async () => {
    const world = await dieWhileAsking(6, 100, { afterCrash: false })
    const live = startLife(world)
    await live.host.resumeRun({ ...resume, afterCrash: false })
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'finally' })
    expect(countOf(live, 'run-paused')).toBe(0)
  })

  it('does not count a step that the resuming page itself started', async () => {
    const write: SimTool = { descriptor: {}, run: () => ok }
    const turns = [{ calls: [{ tool: 'write', input: {} }] }, { text: 'done' }]
    const world = createWorld(turns, { write }, { hasBeforeToolCall: true })
    const live = startLife(world)
    void live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-call')
    live.life.dead = true
    const next = startLife(world)
    await next.host.resumeRun(resume)
    expect((await next.ended()).outcome).toBe('completed')
    const { rows } = await world.store.read(SCOPE.conversationId)
    const resumes = (rows as readonly Row[]).filter(
      (row) => row.type === 'step-started' && row.resumed,
    )
    expect(resumes).toEqual([])
  })

  it('is paused, not failed, and resumes when a person continues it', async () => {
    const world = await dieWhileAsking(2, 100)
    const live = startLife(world)
    expect(await live.host.resumeRun(resume)).toMatchObject({ runId: 'run' })
    expect(await live.until('run-paused')).toMatchObject({ reason: 'crash-loop' })
    expect(await live.host.library.getConversation(SCOPE)).toMatchObject({ paused: 'crash-loop' })
    expect(countOf(live, 'step-start')).toBe(0)

    // Resumed again, by another page: it stays paused, and says so.
    live.life.dead = true
    const next = startLife(world)
    await next.host.resumeRun(resume)
    expect(await next.until('run-paused')).toMatchObject({ reason: 'crash-loop' })
    expect(
      await next.host.resumeRun({ ...resume, continueLimits: { maxSteps: 10, retries: 3 } }),
    ).toMatchObject({ runId: 'run' })
    expect(await next.ended()).toMatchObject({ outcome: 'completed', text: 'finally' })
    expect(await factsOf(world)).toContain('run-continued')
  })

  it('sends and writes nothing while paused', async () => {
    const world = await dieWhileAsking(2, 100)
    const live = startLife(world)
    await live.host.resumeRun(resume)
    await live.until('run-paused')
    const [asked, stored] = [world.requests.length, (await factsOf(world)).length]
    // Were the loop to go on by itself, it would ask, or park again, in each of its turns.
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setTimeout(resolve))
    expect(world.requests).toHaveLength(asked)
    expect(await factsOf(world)).toHaveLength(stored)
    expect(countOf(live, 'run-paused')).toBe(1)
  })

  it('is paused if the page has lost several workers to it, however far apart', async () => {
    const world = await dieWhileAsking(2, 3_600_000, { afterCrash: false })
    const live = startLife(world)
    await live.host.resumeRun({ ...resume, afterCrash: 'loop' })
    expect(await live.until('run-paused')).toMatchObject({ reason: 'crash-loop' })
    expect(countOf(live, 'step-start')).toBe(0)
    await live.host.resumeRun({ ...resume, continueLimits: { maxSteps: 10, retries: 3 } })
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'finally' })
  })

  it('is retried after any number of reloads with enough time between them', async () => {
    const world = await dieWhileAsking(5, 11_000)
    const live = startLife(world)
    await live.host.resumeRun(resume)
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'finally' })
    expect(await factsOf(world)).not.toContain('run-paused')
  })

  it('is reported to another agent that follows late', async () => {
    const world = await dieWhileAsking(2, 100)
    const live = startLife(world)
    await live.host.resumeRun(resume)
    await live.until('run-paused')
    live.events.length = 0
    await live.host.resumeRun({ ...resume, agentId: 'other' })
    expect(await live.until('run-snapshot')).toMatchObject({ paused: 'crash-loop' })
  })

  it('can be aborted while paused', async () => {
    const world = await dieWhileAsking(2, 100)
    const live = startLife(world)
    expect(await live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })).toBe(true)
    expect(await live.ended()).toMatchObject({ outcome: 'aborted', reason: 'enough' })
  })

  it.each([
    ['refuse', 'conversation-busy'],
    ['queue', 'conversation-busy'],
  ] as const)('blocks a new turn that would %s', async (ifBusy, code) => {
    const world = await dieWhileAsking(2, 100)
    const first = startLife(world)
    await first.host.resumeRun(resume)
    await first.until('run-paused')
    first.life.dead = true
    const live = startLife(world)
    await live.host.startRun({ ...startCommand('next', 'and?'), ifBusy })
    expect(await live.ended()).toMatchObject({ runId: 'next', outcome: 'failed', error: { code } })
    if (ifBusy === 'queue') expect(JSON.stringify(live.events)).toContain('continue()')
  })

  it('does not block later turns after an abort', async () => {
    const world = await dieWhileAsking(2, 100)
    const live = startLife(world)
    await live.host.resumeRun(resume)
    await live.until('run-paused')
    await live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })
    live.events.length = 0
    await live.host.startRun({ ...startCommand('next', 'and?'), ifBusy: 'queue' })
    expect(await live.ended()).toMatchObject({ runId: 'next', outcome: 'completed' })
  })

  it('can be replaced by a new turn', async () => {
    const world = await dieWhileAsking(2, 100)
    const live = startLife(world)
    await live.host.startRun({ ...startCommand('next', 'and?'), ifBusy: 'replace' })
    await expect
      .poll(() => live.events.flatMap((event) => (event.type === 'run-end' ? event.result : [])))
      .toMatchObject([
        { runId: 'run', outcome: 'aborted', reason: 'replaced' },
        { runId: 'next', outcome: 'completed' },
      ])
  })
})

describe('a call that crashes the page each time', () => {
  /** Has the page die while the call runs, each time `everyMs` after the last. Counts the starts. */
  async function dieWhileCalling(
    times: number,
    everyMs: number,
    how: { readonly afterCrash?: boolean } = {},
  ): Promise<{ readonly world: World; readonly starts: () => number }> {
    let starts = 0
    const send: SimTool = {
      descriptor: { annotations: { idempotent: true } },
      run: () => {
        starts += 1
        return starts > times ? ok : new Promise<never>(() => undefined)
      },
    }
    const turns = [{ calls: [{ tool: 'send', input: {} }] }, { text: 'done' }]
    const world = createWorld(turns, { send })
    // Only the world's clock moves, so a slow machine doesn't count as time between the starts.
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    for (let life = 1; life <= times; life++) {
      const live = startLife(world)
      if (life === 1) void live.host.startRun(startCommand('run', 'go'))
      else void live.host.resumeRun({ ...resume, ...how })
      await expect.poll(() => starts).toBe(life)
      live.life.dead = true
      world.page.dead = true
      world.page = new SimPage(world.tools)
      world.ahead += everyMs
    }
    return { world, starts: () => starts }
  }

  it.each([1, 2])('is repeated after %i crashes, if it may be repeated', async (times) => {
    const { world, starts } = await dieWhileCalling(times, 100)
    const live = startLife(world)
    await live.host.resumeRun(resume)
    expect(await live.ended()).toMatchObject({
      outcome: 'completed',
      toolCalls: [{ status: 'succeeded' }],
    })
    expect(starts()).toBe(times + 1)
  })

  it('is interrupted after three starts within seconds, although it may be repeated', async () => {
    const { world, starts } = await dieWhileCalling(3, 100)
    const live = startLife(world)
    await live.host.resumeRun(resume)
    expect(await live.ended()).toMatchObject({
      outcome: 'completed',
      text: 'done',
      toolCalls: [{ status: 'interrupted' }],
    })
    expect(starts()).toBe(3)
  })

  it('becomes a decision after three starts, if interrupted calls do', async () => {
    const { world, starts } = await dieWhileCalling(3, 100)
    const live = startLife(world)
    await live.host.resumeRun({ ...resume, interrupted: 'ask' })
    await live.until('tool-interrupted')
    expect(await factsOf(world)).toContain('call-interrupted')
    expect(starts()).toBe(3)
  })

  it.each([
    ['with enough time between the starts', 11_000, {}],
    ['if pages that did not crash resume it', 100, { afterCrash: false }],
  ])('is repeated however often, %s', async (_, everyMs, how) => {
    const { world, starts } = await dieWhileCalling(5, everyMs, how)
    const live = startLife(world)
    await live.host.resumeRun({ ...resume, ...how })
    expect(await live.ended()).toMatchObject({ toolCalls: [{ status: 'succeeded' }] })
    expect(starts()).toBe(6)
  })
})

describe("a new turn with ifBusy: 'queue'", () => {
  it('resumes a stored run without a driver, and runs after it', async () => {
    const world = await dieWhileAsking(0, 0)
    const live = startLife(world)
    await live.host.startRun({ ...startCommand('next', 'and?'), ifBusy: 'queue' })
    await expect
      .poll(() => live.events.flatMap((event) => (event.type === 'run-end' ? event.result : [])))
      .toMatchObject([
        { runId: 'run', outcome: 'completed' },
        { runId: 'next', outcome: 'completed' },
      ])
  })

  it('never starts when it is aborted before its turn', async () => {
    const drop: SimTool = { descriptor: { needsApproval: true }, run: () => ok }
    const world = createWorld([{ calls: [{ tool: 'drop', input: {} }] }, {}], { drop })
    const live = startLife(world)
    await live.host.startRun(startCommand('one', 'go'))
    await live.until('tool-approval-request')
    const queued = live.host.startRun({ ...startCommand('two', 'go'), ifBusy: 'queue' })
    await expect
      .poll(() => live.host.abortRun({ ...SCOPE, runId: 'two', reason: 'never mind' }))
      .toBe(true)
    await queued
    expect(await live.ended()).toMatchObject({ runId: 'two', outcome: 'aborted' })
    expect((await factsOf(world)).filter((type) => type === 'run-started')).toHaveLength(1)
  })
})

/** A store whose writes are refused while `code` says so. */
interface Refusing {
  code: ErrorCode | null
  refused: number
}

function refusing(store: Store, when: (append: Append | null) => boolean = () => true) {
  const switchboard: Refusing = { code: null, refused: 0 }
  const refuse = (append: Append | null): void => {
    if (switchboard.code === null || !when(append)) return
    switchboard.refused += 1
    throw new OffstageError(switchboard.code, 'No.', { retryable: true })
  }
  const wrapped: Store = {
    ...store,
    claim: async (...args) => {
      refuse(null)
      return store.claim(...args)
    },
    append: async (append) => {
      refuse(append)
      return store.append(append)
    },
  }
  return { store: wrapped, switchboard }
}

const of = (type: string) => (append: Append | null) =>
  append?.rows.some((row) => row.type === type) ?? false

describe('a full storage', () => {
  const calling = (run: SimTool['run'] = () => ok) => {
    const ran = { count: 0 }
    const write: SimTool = {
      descriptor: {},
      run: (call) => {
        ran.count += 1
        return run(call)
      },
    }
    const world = createWorld([{ calls: [{ tool: 'write', input: {} }] }, { text: 'done' }], {
      write,
    })
    return { world, ran }
  }

  it('pauses a run that is about to start, and keeps the message', async () => {
    const { world } = calling()
    const { store, switchboard } = refusing(world.store)
    world.store = store
    const live = startLife(world)
    switchboard.code = 'storage-full'
    const started = live.host.startRun(startCommand('run', 'go'))
    expect(await live.until('run-paused')).toEqual({
      type: 'run-paused',
      reason: 'storage-full',
      message: { role: 'user', ...startCommand('run', 'go').message },
    })
    expect(world.requests).toHaveLength(0)
    // On demand it is tried at once.
    const refused = switchboard.refused
    expect(
      await live.host.resumeRun({ ...resume, continueLimits: { maxSteps: 10, retries: 3 } }),
    ).toMatchObject({ runId: 'run' })
    await expect.poll(() => switchboard.refused).toBeGreaterThan(refused)
    switchboard.code = null
    await started
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'done' })
    expect(countOf(live, 'run-paused')).toBe(1)
    expect(countOf(live, 'run-continued')).toBe(1)
  })

  it('drops a paused run that is aborted before its start', async () => {
    const { world } = calling()
    const { store, switchboard } = refusing(world.store)
    world.store = store
    const live = startLife(world)
    switchboard.code = 'storage-full'
    const started = live.host.startRun(startCommand('run', 'go'))
    await live.until('run-paused')
    await live.host.startRun(startCommand('other', 'and?'))
    expect(live.events.at(-1)).toMatchObject({ result: { error: { code: 'conversation-busy' } } })
    expect(await live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })).toBe(true)
    await started
    expect(live.events.at(-1)).toMatchObject({ result: { runId: 'run', outcome: 'aborted' } })
    switchboard.code = null
    expect((await world.store.read(SCOPE.conversationId)).rows).toEqual([])
  })

  it('pauses a run before the effect, which happens once there is room', async () => {
    const { world, ran } = calling()
    const { store, switchboard } = refusing(world.store, of('call-started'))
    world.store = store
    const live = startLife(world)
    switchboard.code = 'storage-full'
    await live.host.startRun(startCommand('run', 'go'))
    expect(await live.until('run-paused')).toMatchObject({ reason: 'storage-full' })
    expect(ran.count).toBe(0)
    // Reads of the conversation don't wait until there is room.
    expect(await live.host.library.getConversation(SCOPE)).toMatchObject({
      openRunId: 'run',
      paused: 'storage-full',
    })
    live.events.length = 0
    await live.host.resumeRun({ ...resume, agentId: 'other' })
    expect(await live.until('run-snapshot')).toMatchObject({ paused: 'storage-full' })
    switchboard.code = null
    expect(await live.ended()).toMatchObject({ outcome: 'completed', text: 'done' })
    expect(ran.count).toBe(1)
  })

  it('starts nothing if the run is aborted while its start waits for room', async () => {
    const ask: SimTool = { descriptor: { needsApproval: true }, run: () => expect.unreachable() }
    const world = createWorld([{ calls: [{ tool: 'ask', input: {} }] }], { ask })
    const { store, switchboard } = refusing(world.store, of('call-started'))
    world.store = store
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-approval-request')
    switchboard.code = 'storage-full'
    const answer = { type: 'approve' } as const
    expect(await live.host.commands.answerCall({ ...SCOPE, toolCallId: 'c1-0-0', answer })).toBe(
      true,
    )
    await live.until('run-paused')
    const aborted = live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })
    await aborted
    expect(await live.ended()).toMatchObject({
      outcome: 'aborted',
      toolCalls: [{ status: 'aborted' }],
    })
    expect(await factsOf(world)).not.toContain('call-started')
  })

  it("keeps a call's result in memory, and never repeats or interrupts the call", async () => {
    const { world, ran } = calling()
    const { store, switchboard } = refusing(world.store, of('call-settled'))
    world.store = store
    const live = startLife(world)
    switchboard.code = 'storage-full'
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('run-paused')
    expect(ran.count).toBe(1)
    expect(countOf(live, 'tool-result')).toBe(0)
    switchboard.code = null
    expect(await live.ended()).toMatchObject({
      outcome: 'completed',
      toolCalls: [{ status: 'succeeded' }],
    })
    expect(ran.count).toBe(1)
  })

  it('records the end of a run aborted meanwhile, with the known call results', async () => {
    const { world, ran } = calling()
    const { store, switchboard } = refusing(world.store, of('call-settled'))
    world.store = store
    const live = startLife(world)
    switchboard.code = 'storage-full'
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('run-paused')
    const aborted = live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })
    const next = live.host.startRun(startCommand('next', 'and?'))
    switchboard.code = null
    expect(await aborted).toBe(true)
    await next
    expect(await live.ended()).toMatchObject({
      runId: 'run',
      outcome: 'aborted',
      toolCalls: [{ status: 'succeeded' }],
    })
    expect(ran.count).toBe(1)
    await expect.poll(() => factsOf(world)).toContain('run-ended')
  })

  it('allows the conversation to be deleted although nothing can be written', async () => {
    const { world } = calling()
    const { store, switchboard } = refusing(world.store, of('call-settled'))
    world.store = store
    const live = startLife(world)
    switchboard.code = 'storage-full'
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('run-paused')
    expect(await live.host.library.deleteConversation(SCOPE)).toBe(true)
    expect((await live.ended()).outcome).toBe('aborted')
    expect((await world.store.list()).records).toEqual([])
  })

  it('refuses an answer at once, and accepts it when there is room', async () => {
    const drop: SimTool = { descriptor: { needsApproval: true }, run: () => ok }
    const world = createWorld([{ calls: [{ tool: 'drop', input: {} }] }, {}], { drop })
    const { store, switchboard } = refusing(world.store)
    world.store = store
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-approval-request')
    switchboard.code = 'storage-full'
    const approve = () =>
      live.host.commands.answerCall({ ...SCOPE, toolCallId: 'c1-0-0', answer: { type: 'approve' } })
    await expect(approve()).rejects.toMatchObject({ code: 'storage-full' })
    switchboard.code = null
    expect(await approve()).toBe(true)
    expect((await live.ended()).outcome).toBe('completed')
  })
})

describe('a storage that is blocked, newer or failing', () => {
  it.each(['storage-blocked', 'storage-newer', 'storage-failed'] as const)(
    'refuses a run before any request: %s',
    async (code) => {
      const world = createWorld([{ text: 'x' }], {})
      const { store, switchboard } = refusing(world.store)
      world.store = store
      const live = startLife(world)
      switchboard.code = code
      await live.host.startRun(startCommand('run', 'go'))
      expect(await live.ended()).toMatchObject({ outcome: 'failed', error: { code } })
      expect(world.requests).toHaveLength(0)
      live.events.length = 0
      switchboard.code = null
      await live.host.startRun(startCommand('next', 'go'))
      expect((await live.ended()).outcome).toBe('completed')
    },
  )

  it('pauses a run that has started, and resumes it', async () => {
    const write: SimTool = { descriptor: {}, run: () => ok }
    const turns = [{ calls: [{ tool: 'write', input: {} }] }, { text: 'done' }]
    const world = createWorld(turns, { write })
    const { store, switchboard } = refusing(world.store, of('call-settled'))
    world.store = store
    const live = startLife(world)
    switchboard.code = 'storage-newer'
    await live.host.startRun(startCommand('run', 'go'))
    expect(await live.until('run-paused')).toMatchObject({ reason: 'storage-newer' })
    switchboard.code = null
    expect((await live.ended()).outcome).toBe('completed')
  })
})
