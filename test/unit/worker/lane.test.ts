import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../../../src/protocol/page-calls.ts'
import { OffstageError } from '../../../src/protocol/error.ts'
import type { FactType } from '../../../src/protocol/fact.ts'
import type { RunResult } from '../../../src/protocol/run.ts'
import type { Append } from '../../../src/worker/store/store.ts'
import {
  createWorld,
  SCOPE,
  startCommand,
  startLife,
  type LiveHost,
  type World,
} from './simulation.ts'

const ok: ToolOutcome = { status: 'succeeded', output: { type: 'text', value: 'ok' } }
const ONE_SHOT = { maxSteps: 0, retries: 0 }
const call = { calls: [{ tool: 'pay', input: {} }] }

const asking = (): World =>
  createWorld([call, { text: 'done' }], {
    pay: { descriptor: { needsApproval: true }, run: () => ok },
  })

const answer = (toolCallId: string, fields: object = { input: {} }) => ({
  role: 'assistant',
  id: 'a',
  parts: [{ type: 'tool-call', toolCallId, toolName: 't', ...fields }],
})
const result = (toolCallId: string) => ({
  role: 'tool',
  id: 't',
  parts: [{ type: 'tool-result', toolCallId, toolName: 't', output: { type: 'text', value: 'x' } }],
})

const endsOf = (live: LiveHost): RunResult[] =>
  live.events.flatMap((event) => (event.type === 'run-end' ? event.result : []))

const supply = (live: LiveHost, toolCallId: string, conversationId: string = 'talk') =>
  live.host.supplyOutput({
    ...SCOPE,
    conversationId,
    toolCallId,
    output: { type: 'text', value: 'out' },
    nextRunId: 'next',
    limits: ONE_SHOT,
  })

function refusing(world: World, when: (append: Append) => boolean) {
  const gate = { isFull: true }
  const { append } = world.store
  world.store.append = async (command) => {
    if (gate.isFull && when(command)) throw new OffstageError('storage-full', 'No.')
    return append(command)
  }
  return gate
}

const has = (type: FactType) => (append: Append) => append.rows.some((row) => row.type === type)

describe('a run waiting for approval, with others queued', () => {
  it('blocks no command on the conversation', async () => {
    const live = startLife(asking())
    const { host } = live
    await host.startRun(startCommand('run', 'go'))
    await live.until('tool-approval-request')
    const queued = host.startRun({ ...startCommand('two', 'go'), ifBusy: 'queue' })
    const abort = (runId: string) => host.abortRun({ ...SCOPE, runId, reason: 'x' })
    expect(await abort('gone')).toBe(false)
    await expect(host.library.clearHistory(SCOPE)).rejects.toMatchObject({
      code: 'conversation-busy',
    })
    await expect(supply(live, 'nope')).rejects.toMatchObject({ code: 'conversation-busy' })
    await host.startRun(startCommand('three', 'go'))
    expect(endsOf(live)).toMatchObject([{ runId: 'three', outcome: 'failed' }])
    expect(await abort('run')).toBe(true)
    await queued
    expect(await abort('two')).toBe(true)
  })

  it('is followed by the queued runs in order', async () => {
    const world = createWorld([], {})
    const live = startLife(world)
    const ids = ['one', 'two', 'three', 'four', 'five']
    for (const id of ids) void live.host.startRun({ ...startCommand(id, 'go'), ifBusy: 'queue' })
    await expect.poll(() => endsOf(live).map(({ runId }) => runId)).toEqual(ids)
    expect(endsOf(live).every(({ outcome }) => outcome === 'completed')).toBe(true)
  })

  it('allows each queued run to be aborted at once', async () => {
    const live = startLife(asking())
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-approval-request')
    const [two, three] = ['two', 'three'].map((id) =>
      live.host.startRun({ ...startCommand(id, 'go'), ifBusy: 'queue' }),
    )
    await expect
      .poll(() => live.host.abortRun({ ...SCOPE, runId: 'three', reason: 'x' }))
      .toBe(true)
    await three
    expect(endsOf(live)).toMatchObject([{ runId: 'three', outcome: 'aborted' }])
    await live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'x' })
    await two
    await live.host.abortRun({ ...SCOPE, runId: 'two', reason: 'x' })
  })
})

describe('a run that is requested as soon as the end of another is reported', () => {
  it('is not refused', async () => {
    const world = createWorld([], {})
    const { append } = world.store
    world.store.append = async (command) => {
      // Longer than messages to the page are gathered, so the end is reported the moment it is stored.
      if (has('run-ended')(command)) await new Promise((resolve) => setTimeout(resolve, 60))
      return append(command)
    }
    const live = startLife(world)
    await live.host.startRun(startCommand('one', 'go'))
    await live.ended()
    await live.host.startRun(startCommand('two', 'go'))
    await expect
      .poll(() => endsOf(live))
      .toMatchObject([
        { runId: 'one', outcome: 'completed' },
        { runId: 'two', outcome: 'completed' },
      ])
  })
})

describe('a run that replaces another while the storage is full', () => {
  it('is paused, can be aborted, and blocks nothing else', async () => {
    const world = createWorld([call], { pay: { descriptor: {}, run: () => ok } })
    const gate = refusing(world, (each) => has('model-output')(each) || has('run-ended')(each))
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('run-paused')
    live.events.length = 0
    const replaced = live.host.startRun({ ...startCommand('two', 'new'), ifBusy: 'replace' })
    const { message } = startCommand('two', 'new')
    expect(await live.until('run-paused')).toMatchObject({ reason: 'storage-full', message })
    expect(await live.host.abortRun({ ...SCOPE, runId: 'two', reason: 'x' })).toBe(true)
    await replaced
    expect(endsOf(live)).toMatchObject([{ runId: 'two', outcome: 'aborted', reason: 'x' }])
    expect(await live.host.abortRun({ ...SCOPE, runId: 'gone', reason: 'x' })).toBe(false)
    gate.isFull = false
    await expect.poll(() => endsOf(live).map(({ runId }) => runId)).toEqual(['two', 'run'])
  })

  it('starts when there is room', async () => {
    const world = createWorld([], {})
    const gate = refusing(world, (each) => has('model-output')(each) || has('run-ended')(each))
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('run-paused')
    live.events.length = 0
    void live.host.startRun({ ...startCommand('two', 'new'), ifBusy: 'replace' })
    await live.until('run-paused')
    gate.isFull = false
    await expect
      .poll(() => endsOf(live))
      .toMatchObject([
        { runId: 'run', outcome: 'aborted', reason: 'replaced' },
        { runId: 'two', outcome: 'completed' },
      ])
  })
})

describe('an imported history', () => {
  it.each([
    ['in a format that the page has not read', [{ role: 'user', content: 'x' }]],
    ['with a message without an id', [{ role: 'user', parts: [] }]],
    ['with a part of an unknown type', [{ role: 'user', id: 'u', parts: [{ type: 'x' }] }]],
    ['with two calls of one id', [answer('one'), answer('one')]],
    ['with a call without an input', [answer('one', {})]],
    ['with a result without a call', [result('one')]],
    ['with a result behind a later answer', [answer('one'), answer('two'), result('one')]],
  ])('%s is refused, and nothing is stored', async (_, history) => {
    const live = startLife(createWorld([{ text: 'thanks' }], {}))
    await live.host.startRun({ ...startCommand('run', 'go'), history })
    expect(await live.ended()).toMatchObject({ error: { code: 'invalid-history' } })
    expect(await live.host.library.getConversation(SCOPE)).toBeNull()
  })
})

describe('an output supplied by the page', () => {
  const stored = async ({ store }: World): Promise<string> =>
    JSON.stringify((await store.read('talk')).rows)

  it('is stored together with the start of the resumed run, or not at all', async () => {
    const world = createWorld([call, { text: 'thanks' }], {
      pay: { descriptor: {}, run: () => ok },
    })
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go', ONE_SHOT))
    const { toolCalls } = await live.ended()
    const toolCallId = toolCalls[0]?.toolCallId ?? ''
    live.events.length = 0
    const gate = refusing(world, has('run-started'))
    await expect(supply(live, toolCallId)).rejects.toMatchObject({ code: 'storage-full' })
    expect((await world.store.get('talk'))?.openCalls).toEqual([toolCallId])
    gate.isFull = false
    expect(await supply(live, toolCallId)).toEqual({ conversationId: 'talk', runId: 'next' })
    expect(await live.ended()).toMatchObject({ runId: 'next', text: 'thanks' })
  })

  it('is stored so for the last call of an imported history, too', async () => {
    const world = createWorld([{ text: 'thanks' }], {})
    const live = startLife(world)
    const toolCalls = ['one', 'two'].map(
      (toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 't', input: {} }) as const,
    )
    const history = [
      { role: 'user', id: 'u', parts: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', id: 'a', parts: toolCalls },
    ] as const
    await live.host.startRun({ ...startCommand('run', 'go'), history })
    expect(await live.ended()).toMatchObject({ error: { code: 'calls-pending' } })
    const { pending } = (await live.host.library.getConversation(SCOPE)) ?? { pending: [] }
    const [one = '', two = ''] = pending.map((each) => each.toolCallId)
    live.events.length = 0
    expect(await supply(live, one)).toBeNull()
    const gate = refusing(world, has('run-started'))
    await expect(supply(live, two)).rejects.toMatchObject({ code: 'storage-full' })
    expect((await live.host.library.getConversation(SCOPE))?.pending).toMatchObject([
      { toolCallId: two },
    ])
    gate.isFull = false
    expect(await supply(live, two)).toMatchObject({ runId: 'next' })
    expect((await live.ended()).outcome).toBe('completed')
  })

  it('creates no conversation for an unknown or deleted one', async () => {
    const world = createWorld([], {})
    const live = startLife(world)
    expect(await supply(live, 'x', 'unknown')).toBeNull()
    await live.host.startRun(startCommand('run', 'go'))
    await live.ended()
    await live.host.library.deleteConversation(SCOPE)
    expect(await supply(live, 'x')).toBeNull()
    await live.host.startRun({ ...startCommand('run', 'go'), conversationId: 'other' })
    await world.store.delete('other')
    expect(await supply(live, 'x', 'other')).toBeNull()
    expect((await world.store.list()).records).toEqual([])
  })

  it('is refused while a run is open, and becomes a message afterwards', async () => {
    const world = asking()
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-approval-request')
    await expect(supply(live, 'late')).rejects.toMatchObject({ code: 'conversation-busy' })
    const answer = { type: 'approve' } as const
    expect(await live.host.commands.answerCall({ ...SCOPE, toolCallId: 'c1-0-0', answer })).toBe(
      true,
    )
    expect((await live.ended()).outcome).toBe('completed')
    expect(await stored(world)).not.toContain('Output of call late')
    expect(await supply(live, 'late')).toBeNull()
    expect(await stored(world)).toContain('Output of call late')
  })
})
