import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../../../src/protocol/page-calls.ts'
import {
  createWorld,
  SCOPE,
  SimPage,
  startCommand,
  startLife,
  type SimTool,
  type Turn,
} from './simulation.ts'

const ok: ToolOutcome = { status: 'succeeded', output: { type: 'text', value: 'ok' } }
const write: SimTool = { descriptor: {}, run: () => ok }
const call = (tool: string, input = {}): Turn => ({ calls: [{ tool, input }] })
const limits = (maxSteps: number, retries = 3) => ({ maxSteps, retries })

async function run(
  turns: readonly Turn[],
  tools: Record<string, SimTool> = { write },
  max = limits(10),
) {
  const world = createWorld(turns, tools)
  const live = startLife(world)
  await live.host.startRun(startCommand('run', 'go', max))
  return { world, live, result: await live.ended() }
}

describe('the loop', () => {
  it('completes when the model asks for no more tools', async () => {
    const { result, world } = await run([call('write', { n: 1 }), { text: 'all done' }])
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'all done',
      steps: 2,
      usage: { modelCalls: 2, inputTokens: 2, outputTokens: 2 },
      toolCalls: [{ toolName: 'write', status: 'succeeded', output: { value: 'ok' } }],
    })
    expect(world.requests).toHaveLength(2)
  })

  it('reports the steps of a run in order, each fact after its commit', async () => {
    const { live } = await run([call('write'), { text: 'x' }])
    expect(live.events.map((event) => event.type)).toEqual([
      'run-start',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'tool-call',
      'tool-execution-start',
      'tool-result',
      'step-end',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'step-end',
      'run-end',
    ])
  })

  it("ends as max-steps after running the last step's calls, and warns the model before", async () => {
    const turns = Array.from({ length: 5 }, (_, n) => call('write', { n }))
    const { result, world } = await run(turns, { write }, limits(3))
    expect(result).toMatchObject({ outcome: 'max-steps', steps: 3 })
    expect(result.toolCalls.map((each) => each.status)).toEqual(Array(3).fill('succeeded'))
    expect(world.requests.map((request) => /last step/.test(request.trailer ?? ''))).toEqual([
      false,
      false,
      true,
    ])
  })

  it('continues a turn that the vendor paused, step by step', async () => {
    const { live, result, world } = await run([
      { text: 'Searching.', paused: true },
      { text: 'Reading.', paused: true },
      { text: 'Blue mugs.' },
    ])
    expect(result).toMatchObject({
      outcome: 'completed',
      text: 'Blue mugs.',
      finishReason: 'stop',
      steps: 3,
      usage: { modelCalls: 3, inputTokens: 3 },
    })
    const types = live.events.map(({ type }) => type)
    expect(types.filter((type) => type === 'step-end')).toHaveLength(3)
    expect(types).not.toContain('step-reset')
    expect(live.events.find(({ type }) => type === 'step-end')).toMatchObject({
      step: 1,
      finishReason: 'pause',
    })
    expect(world.requests.at(-1)?.messages).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        parts: [{ text: 'Searching.' }],
        providerMetadata: { sim: { turn: 0 } },
      },
      { role: 'assistant', parts: [{ text: 'Reading.' }], providerMetadata: { sim: { turn: 1 } } },
    ])
  })

  it('limits how often a paused turn is continued, also by maxSteps', async () => {
    const paused = Array.from({ length: 30 }, (): Turn => ({ text: 'Still at it.', paused: true }))
    const endless = await run(paused, {}, limits(-1))
    expect(endless.result).toMatchObject({ outcome: 'completed', finishReason: 'pause', steps: 11 })
    const limited = await run(paused, {}, limits(3))
    expect(limited.result).toMatchObject({ outcome: 'max-steps', finishReason: 'pause', steps: 3 })
    const between = [...paused.slice(0, 8), call('write'), ...paused.slice(0, 8), { text: 'done' }]
    const { result } = await run(between, { write }, limits(-1))
    expect(result).toMatchObject({ outcome: 'completed', text: 'done', steps: 18 })
  })

  it('continues a paused turn in one-shot mode, as one turn', async () => {
    const turns = [{ text: 'Searching.', paused: true }, call('write')]
    const { result } = await run(turns, { write }, limits(0))
    expect(result).toMatchObject({ outcome: 'waiting', steps: 2, pending: [{ toolName: 'write' }] })
  })

  it('gives the model no last-step notice in a run of one step', async () => {
    const { world, result } = await run([call('write')], { write }, limits(1))
    expect(world.requests[0]?.trailer).toBeUndefined()
    expect(result.outcome).toBe('max-steps')
  })

  it('answers invalid calls with feedback, and fails after `retries` steps of them in a row', async () => {
    const turns = Array.from({ length: 9 }, (_, n) => call('nope', { n }))
    const { result, world } = await run(turns, { write, other: write }, limits(10, 2))
    expect(result).toMatchObject({
      outcome: 'failed',
      error: { code: 'invalid-tool-calls' },
      steps: 3,
    })
    expect(JSON.stringify(world.requests[1]?.messages)).toContain("Unknown tool 'nope'")
  })

  it('F34 never lets a name from Object.prototype match a tool', async () => {
    const { result } = await run([call('constructor'), {}], { write, other: write })
    expect(result.toolCalls[0]?.status).toBe('invalid')
  })

  it('names unknown, missing and wrong parameters before the page is called', async () => {
    const inputSchema = {
      type: 'object',
      properties: { player_id: { type: 'string' }, count: { type: 'integer' } },
      required: ['player_id'],
    }
    const tool: SimTool = { descriptor: { inputSchema }, run: () => expect.unreachable() }
    const { result } = await run([call('get', { playerId: 'x', count: 'two' }), {}], { get: tool })
    expect(result.toolCalls[0]?.output).toEqual({
      type: 'error',
      code: 'invalid_params',
      message:
        "Invalid parameters for get: unknown parameter 'playerId', did you mean 'player_id'?; missing required 'player_id'; 'count' must be integer, got \"two\". Expected: player_id (string, required), count (integer, optional).",
    })
  })

  it('F33 runs read-only calls side by side and all others in order', async () => {
    let running = 0
    const most = { read: 0, write: 0 }
    const tool = (kind: 'read' | 'write'): SimTool => ({
      descriptor: { annotations: { readOnly: kind === 'read' } },
      run: async () => {
        running += 1
        most[kind] = Math.max(most[kind], running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running -= 1
        return ok
      },
    })
    const calls = (tools: string) =>
      tools.split('').map((t, n) => ({ tool: t === 'r' ? 'read' : 'write', input: { n } }))
    const { world } = await run([{ calls: calls('rrrrrwwr') }, {}], {
      read: tool('read'),
      write: tool('write'),
    })
    expect(most).toEqual({ read: 4, write: 1 })
    const results = world.requests[1]?.messages.at(-1)
    expect(results?.role === 'tool' && results.parts.map((part) => part.toolCallId)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((n) => `c1-0-${n}`),
    )
  })

  it('F35 notices repeated calls, warns the model, then stops', async () => {
    const turns = Array.from({ length: 20 }, () => call('write', { same: true }))
    const { result, world } = await run(turns, { write }, limits(-1))
    expect(result).toMatchObject({ outcome: 'failed', error: { code: 'repeated-calls' }, steps: 6 })
    // The sixth one runs: only its result shows that nothing changes.
    expect(result.toolCalls.map((each) => each.status)).toEqual(Array<string>(6).fill('succeeded'))
    expect(
      world.requests.findIndex((request) => /same calls 3 times/.test(request.trailer ?? '')),
    ).toBe(3)
  })
})

describe('one-shot mode', () => {
  it('passes the calls to the page and continues after the last output', async () => {
    const turns: Turn[] = [
      {
        calls: [
          { tool: 'write', input: { n: 1 } },
          { tool: 'write', input: { n: 2 } },
        ],
      },
      { text: 'thanks' },
    ]
    const { live, result } = await run(turns, { write }, limits(0))
    expect(result).toMatchObject({
      outcome: 'waiting',
      pending: [
        { toolCallId: 'c1-0-0', kind: 'output', input: { n: 1 } },
        { toolCallId: 'c1-0-1', kind: 'output' },
      ],
    })
    const supply = (toolCallId: string) =>
      live.host.supplyOutput({
        ...SCOPE,
        toolCallId,
        output: { type: 'text', value: toolCallId },
        nextRunId: 'next',
        limits: { maxSteps: 10, retries: 3 },
      })
    expect(await supply('c1-0-1')).toBeNull()
    expect(await supply('c1-0-0')).toEqual({ conversationId: 'talk', runId: 'next' })
    const stored = await live.host.library.getConversation(SCOPE)
    expect(stored?.messages.filter((m) => m.role === 'tool')).toHaveLength(1)
  })

  it('refuses a new turn while calls are pending, naming them', async () => {
    const { live } = await run([call('write')], { write }, limits(0))
    const before = live.events.length
    await live.host.startRun(startCommand('second', 'and now?'))
    const end = live.events.slice(before).find((event) => event.type === 'run-end')
    expect(end).toMatchObject({
      result: { runId: 'second', outcome: 'failed', error: { code: 'calls-pending' } },
    })
    expect(JSON.stringify(end)).toContain('write (c1-0-0)')
  })

  it('keeps an unexpected output as a user message', async () => {
    const { live } = await run([{ text: 'nothing to do' }], { write }, limits(0))
    const next = await live.host.supplyOutput({
      ...SCOPE,
      toolCallId: 'gone',
      output: { type: 'json', value: { a: 1 } },
      nextRunId: 'n',
      limits: { maxSteps: 10, retries: 3 },
    })
    expect(next).toBeNull()
    const messages = (await live.host.library.getConversation(SCOPE))?.messages ?? []
    expect(JSON.stringify(messages.at(-1))).toContain('{\\"a\\":1}')
  })

  it('reports invalid calls to the model, and asks again within `retries`', async () => {
    const turns = [call('nope', { n: 1 }), call('nope', { n: 2 }), call('write')]
    const tools = { write, other: write }
    const { result, world } = await run(turns, tools, limits(0, 2))
    expect(result).toMatchObject({ outcome: 'waiting', steps: 3, pending: [{ toolName: 'write' }] })
    expect(JSON.stringify(world.requests[1]?.messages)).toContain("Unknown tool 'nope'")
    const strict = await run(turns, tools, limits(0, 0))
    expect(strict.result).toMatchObject({
      outcome: 'failed',
      error: { code: 'invalid-tool-calls' },
    })
    expect(strict.world.requests).toHaveLength(1)
  })

  it('forgets pending outputs when the history is cleared', async () => {
    const { live, world } = await run([call('write'), { text: 'fresh' }], { write }, limits(0))
    expect(await live.host.library.clearHistory(SCOPE)).toBe(true)
    expect(await live.host.library.getConversation(SCOPE)).toMatchObject({
      messages: [],
      pending: [],
    })
    live.events.length = 0
    world.requests.length = 0
    await live.host.startRun(startCommand('second', 'and now?', limits(0)))
    expect((await live.ended()).outcome).toBe('waiting')
    expect(world.requests[0]?.messages).toHaveLength(1)
    const late = { ...SCOPE, toolCallId: 'c1-0-9', output: { type: 'text', value: 'x' } } as const
    const next = { nextRunId: 'n', limits: limits(0) }
    expect(await live.host.supplyOutput({ ...late, ...next })).toBeNull()
  })
})

describe('approval', () => {
  const dangerous: SimTool = {
    descriptor: { needsApproval: true },
    run: (c) => ({ status: 'succeeded', output: { type: 'json', value: c.input } }),
  }
  const answer = (live: ReturnType<typeof startLife>, toolCallId: string, given: object) =>
    live.host.commands.answerCall({ ...SCOPE, toolCallId, answer: given as never })

  it('pauses until approved, and runs an edited input with a note to the model', async () => {
    const world = createWorld([call('drop', { n: 1 }), { text: 'ok' }], { drop: dangerous })
    const live = startLife(world)
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-approval-request')
    expect(await answer(live, 'c1-0-0', { type: 'approve', input: { n: 2 } })).toBe(true)
    const result = await live.ended()
    expect(result.toolCalls[0]).toMatchObject({ input: { n: 2 }, status: 'succeeded' })
    expect(JSON.stringify(world.requests[1]?.messages.at(-1))).toContain(
      'a person changed the input',
    )
    expect(await answer(live, 'c1-0-0', { type: 'approve' })).toBe(false)
  })

  it('survives the death of worker and page, and a denial reaches the model', async () => {
    const world = createWorld([call('drop'), { text: 'ok' }], { drop: dangerous })
    const first = startLife(world)
    await first.host.startRun(startCommand('run', 'go'))
    await first.until('tool-approval-request')
    first.life.dead = true

    const second = startLife(world)
    await second.host.resumeRun({ ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 10 })
    expect(second.events.length === 0 || second.events[0]?.type === 'run-snapshot').toBe(true)
    expect(await answer(second, 'c1-0-0', { type: 'deny', reason: 'not today' })).toBe(true)
    const result = await second.ended()
    expect(result.toolCalls[0]).toMatchObject({ status: 'denied', output: { reason: 'not today' } })
    expect(result.outcome).toBe('completed')
  })

  it('refuses an invalid edited input, and still waits', async () => {
    const inputSchema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }
    const drop = { ...dangerous, descriptor: { needsApproval: true, inputSchema } }
    const live = startLife(createWorld([call('drop', { n: 1 }), {}], { drop }))
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-approval-request')
    await expect(answer(live, 'c1-0-0', { type: 'approve', input: { n: 'x' } })).rejects.toThrow(
      /integer/,
    )
    expect(await answer(live, 'c1-0-0', { type: 'approve' })).toBe(true)
    expect((await live.ended()).outcome).toBe('completed')
  })

  it('refuses an edited input whose tool is not registered, and still waits', async () => {
    const world = createWorld([call('drop', { n: 1 }), {}], { drop: dangerous })
    const first = startLife(world)
    await first.host.startRun(startCommand('run', 'go'))
    await first.until('tool-approval-request')
    first.life.dead = true
    const tools = new Map<string, SimTool>()
    world.page = new SimPage(tools)
    const next = startLife(world)
    await next.host.resumeRun({ ...SCOPE, interrupted: 'tell-model', waitForToolsMs: 1 })
    await expect(answer(next, 'c1-0-0', { type: 'approve', input: { n: 2 } })).rejects.toThrow(
      /registered/,
    )
    tools.set('drop', dangerous)
    expect(await answer(next, 'c1-0-0', { type: 'approve' })).toBe(true)
    expect((await next.ended()).toolCalls[0]).toMatchObject({ input: { n: 1 } })
  })
})

describe('stopping', () => {
  it('aborts a paused run, and the next turn works', async () => {
    const drop: SimTool = { descriptor: { needsApproval: true }, run: () => ok }
    const live = startLife(createWorld([call('drop'), { text: 'fine' }], { drop }))
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-approval-request')
    expect(await live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'enough' })).toBe(true)
    expect(await live.ended()).toMatchObject({
      outcome: 'aborted',
      reason: 'enough',
      toolCalls: [{ status: 'aborted' }],
    })
    live.events.length = 0
    await live.host.startRun(startCommand('run2', 'again'))
    await live.until('tool-approval-request')
  })

  it('marks an unanswered writing call as interrupted', async () => {
    const hang: SimTool = { descriptor: {}, run: () => new Promise(() => undefined) }
    const live = startLife(createWorld([call('hang')], { hang }))
    await live.host.startRun(startCommand('run', 'go'))
    await live.until('tool-execution-start')
    await live.host.abortRun({ ...SCOPE, runId: 'run', reason: 'stop' })
    expect((await live.ended()).toolCalls[0]?.status).toBe('interrupted')
  })

  it.each(['replace', 'queue'] as const)(
    'during a busy run, a new one is refused or %ss it',
    async (ifBusy) => {
      const drop: SimTool = { descriptor: { needsApproval: true }, run: () => ok }
      const live = startLife(createWorld([call('drop'), { text: 'Done.' }], { drop }))
      const ends = () =>
        live.events.flatMap((event) => (event.type === 'run-end' ? [event.result] : []))
      await live.host.startRun(startCommand('one', 'go'))
      await live.until('tool-approval-request')
      const next = live.host.startRun({ ...startCommand('two', 'and'), ifBusy })
      await live.host.startRun(startCommand('three', 'no'))
      if (ifBusy === 'queue') {
        // The one that waits has neither begun nor ended.
        expect(ends()).toMatchObject([{ runId: 'three', error: { code: 'conversation-busy' } }])
        await live.host.abortRun({ ...SCOPE, runId: 'one', reason: 'enough' })
      }
      await next
      const asked = () =>
        live.events.flatMap(({ type }, at) => (type === 'tool-approval-request' ? at : []))
      await expect.poll(() => asked().length).toBe(2)
      const reason = ifBusy === 'queue' ? 'enough' : 'replaced'
      expect(ends().filter(({ runId }) => runId !== 'three')).toMatchObject([
        { runId: 'one', outcome: 'aborted', reason },
      ])
      // The second run began after the first one had ended.
      const end = live.events.findIndex(
        (event) => event.type === 'run-end' && event.result.runId === 'one',
      )
      expect(asked()[1]).toBeGreaterThan(end)
    },
  )
})
