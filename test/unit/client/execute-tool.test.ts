import { describe, expect, test, vi } from 'vitest'
import * as v from 'valibot'
import { type } from 'arktype'
import { z } from 'zod'
import type { Tool, ToolContext } from '../../../src/client/tools/tool.ts'
import { execution, sleep, stage, startedRun, until } from './fake-worker.ts'

function tool(execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  return { name: 'tool', description: 'A tool.', execute, ...more }
}

/** A run whose worker may ask for `tool`. */
async function withTool(execute: Tool['execute'], more: Partial<Tool> = {}, options = {}) {
  const set = stage({ tools: [tool(execute, more)], ...options })
  return { set, ...(await startedRun(set, 'x')) }
}

const text = (delta: string) => ({ type: 'text-delta', partId: 'p', delta }) as const

describe('a tool', () => {
  test('gets its input and context, and returns its result', async () => {
    let context: ToolContext | undefined
    const { worker, command } = await withTool((input, given) => {
      context = given
      return { got: input }
    })
    const call = execution(command, { input: { a: 1 } })
    expect(await worker.page.executeTool(call)).toEqual({
      status: 'succeeded',
      output: { type: 'json', value: { got: { a: 1 } } },
    })
    const { runId, conversationId, toolCallId, idempotencyKey } = call
    expect(context).toMatchObject({ runId, conversationId, toolCallId, idempotencyKey })
    expect(context!.signal.aborted).toBe(false)
  })

  test('runs once per executionId, also when requested again after it ended', async () => {
    const execute = vi.fn(async () => sleep(20).then(() => 'done'))
    const { worker, command } = await withTool(execute)
    const call = execution(command)
    const outcomes = await Promise.all([
      worker.page.executeTool(call),
      worker.page.executeTool(call),
    ])
    outcomes.push(await worker.page.executeTool(call))
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1)
    expect(execute).toHaveBeenCalledTimes(1)
    expect(
      await worker.page.knownExecutions({ executionIds: [call.executionId, 'other'] }),
    ).toEqual([call.executionId])
    await worker.page.acknowledgeTools({ executionIds: [call.executionId] })
    expect(await worker.page.knownExecutions({ executionIds: [call.executionId] })).toEqual([
      call.executionId,
    ])
    expect((await worker.page.executeTool(call)).status).toBe('unknown')
    expect(execute).toHaveBeenCalledTimes(1)
  })

  test('never starts once the page reported it as unknown', async () => {
    const execute = vi.fn()
    const { worker, command } = await withTool(execute)
    const call = execution(command)
    expect(await worker.page.knownExecutions({ executionIds: [call.executionId] })).toEqual([])
    expect(await worker.page.executeTool(call)).toEqual({
      status: 'not-started',
      reason: 'cancelled',
    })
    expect(execute).not.toHaveBeenCalled()
  })

  test('does not start after its deadline, for an old owner, or when it is missing', async () => {
    const execute = vi.fn(() => 'ran')
    const { worker, command } = await withTool(execute)
    const outcome = (more: object) => worker.page.executeTool(execution(command, more))
    expect(await outcome({ leasedAt: performance.now() - 90_000 })).toEqual({
      status: 'not-started',
      reason: 'deadline',
    })
    expect(await outcome({ toolName: 'constructor' })).toEqual({
      status: 'not-started',
      reason: 'not-registered',
    })
    expect((await outcome({ epoch: 5 })).status).toBe('succeeded')
    expect(await outcome({ epoch: 4 })).toEqual({ status: 'not-started', reason: 'stale-epoch' })
    expect(execute).toHaveBeenCalledTimes(1)
  })

  describe('allowed to run only once, when ownership was confirmed long ago', () => {
    const late = () => ({ leasedAt: performance.now() - 5000, timeoutMs: 60_000 })
    const confirming = async (confirmLease: () => Promise<boolean>, more: Partial<Tool> = {}) => {
      const execute = vi.fn(() => 'ran')
      const set = stage({ tools: [tool(execute, more)], heartbeatMs: 60_000 }, { confirmLease })
      const { worker, command } = await startedRun(set, 'x')
      return { outcome: await worker.page.executeTool(execution(command, late())), execute, worker }
    }

    test('starts once the store has confirmed ownership', async () => {
      const { outcome, worker } = await confirming(async () => true)
      expect(outcome.status).toBe('succeeded')
      expect(worker.of('confirmLease')).toMatchObject([{ epoch: 1 }])
    })

    test('does not start when there is a new owner', async () => {
      const { outcome, execute } = await confirming(async () => false)
      expect(outcome).toEqual({ status: 'not-started', reason: 'stale-epoch' })
      expect(execute).not.toHaveBeenCalled()
    })

    test('does not start when nobody can confirm ownership, and is decided again', async () => {
      const { outcome, execute } = await confirming(async () =>
        Promise.reject(new Error('no store')),
      )
      expect(outcome).toEqual({ status: 'not-started', reason: 'unconfirmed' })
      expect(execute).not.toHaveBeenCalled()
    })

    test.each([
      { idempotent: true },
      { readOnly: true },
      { readOnly: false, idempotent: true },
      { readOnly: true, idempotent: false },
    ])('needs no confirmation when it may run twice: %o', async (annotations) => {
      const { outcome, worker } = await confirming(async () => false, { annotations })
      expect(outcome.status).toBe('succeeded')
      expect(worker.of('confirmLease')).toEqual([])
    })
  })

  test.each([+86_400_000, -86_400_000])(
    'starts and keeps its timeout though the wall clock jumps by %i ms',
    async (jump) => {
      const { worker, command } = await withTool(() => sleep(5).then(() => 'ran'))
      const now = Date.now.bind(Date)
      vi.spyOn(Date, 'now').mockImplementation(() => now() + jump)
      try {
        const outcome = await worker.page.executeTool(
          execution(command, { afterBatch: 99, timeoutMs: 30 }),
        )
        expect(outcome).toEqual({ status: 'not-started', reason: 'deadline' })
        expect(await worker.page.executeTool(execution(command))).toMatchObject({
          status: 'succeeded',
        })
      } finally {
        vi.restoreAllMocks()
      }
    },
  )

  test('gets the fence of its owner, and so does reconcile', async () => {
    const fences: number[] = []
    const { worker, command } = await withTool((_input, { fence }) => void fences.push(fence), {
      reconcile: (_input, { fence }) => void fences.push(fence),
    })
    await worker.page.executeTool(execution(command, { epoch: 7 }))
    await worker.page.reconcileTool(execution(command, { epoch: 8 }))
    expect(fences).toEqual([7, 8])
  })

  test('never starts when a busy page could not start it in time', async () => {
    const execute = vi.fn()
    const { worker, command } = await withTool(execute)
    const asked = worker.page.executeTool(execution(command, { timeoutMs: 30 }))
    const until = performance.now() + 100
    while (performance.now() < until);
    expect(await asked).toEqual({ status: 'not-started', reason: 'deadline' })
    expect(execute).not.toHaveBeenCalled()
  })

  test('waits for the events before its call, until its deadline', async () => {
    const seen: string[] = []
    const { worker, command, run } = await withTool(() => void seen.push('tool'))
    void (async () => {
      for await (const event of run) if (event.type === 'text-delta') seen.push(event.delta)
    })()
    const asked = worker.page.executeTool(execution(command, { afterBatch: 2 }))
    worker.tell(command, text('one'))
    await until(() => seen.length)
    await sleep(20)
    expect(seen).toEqual(['one'])
    worker.tell(command, text('two'), { type: 'text-end', partId: 'p' }, text('three'))
    await asked
    expect(seen).toEqual(['one', 'two', 'three', 'tool'])
    const never = execution(command, { afterBatch: 99, timeoutMs: 40 })
    expect(await worker.page.executeTool(never)).toEqual({
      status: 'not-started',
      reason: 'deadline',
    })
  })

  test('is aborted when it takes too long, and its late result is dropped', async () => {
    let signal: AbortSignal | undefined
    let finish = (_late: string): void => {}
    const { worker, command } = await withTool((_input, context) => {
      signal = context.signal
      return new Promise((resolve) => (finish = resolve))
    })
    const call = execution(command, { timeoutMs: 20 })
    const outcome = await worker.page.executeTool(call)
    expect(outcome).toMatchObject({ status: 'failed', output: { type: 'error', code: 'timeout' } })
    expect(signal!.aborted).toBe(true)
    finish('late')
    await sleep(0)
    expect(await worker.page.executeTool(call)).toEqual(outcome)
  })

  test.each([
    [new Error('broken'), 'broken'],
    ['just a string', 'just a string'],
    [undefined, 'undefined was thrown'],
    [{ reason: 1 }, '{"reason":1}'],
  ])('fails with the message when it throws %s', async (thrown, message) => {
    const sync = await withTool(() => {
      throw thrown
    })
    const failed = { status: 'failed', output: { type: 'error', code: 'failed', message } }
    expect(await sync.worker.page.executeTool(execution(sync.command))).toEqual(failed)
    const rejecting = await withTool(() => Promise.reject(thrown))
    expect(await rejecting.worker.page.executeTool(execution(rejecting.command))).toEqual(failed)
  })

  test('F32 ends when it is unregistered during its call, and is removed', async () => {
    const set = stage()
    let signal: AbortSignal | undefined
    const undo = set.agent.registerTool(
      tool((_input, context) => {
        signal = context.signal
        return new Promise(() => {})
      }),
    )
    const { worker, command } = await startedRun(set, 'x')
    const asked = worker.page.executeTool(execution(command))
    await until(() => signal)
    undo()
    expect(await asked).toMatchObject({ status: 'unknown', output: { code: 'interrupted' } })
    expect(signal!.aborted).toBe(true)
    expect(await worker.page.executeTool(execution(command))).toMatchObject({
      reason: 'not-registered',
    })
  })

  test('has its signal aborted at once by abort(), and no call starts afterwards', async () => {
    const execute = vi.fn(
      (_input: unknown, { signal }: ToolContext) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ),
    )
    const { worker, command, run } = await withTool(execute)
    const asked = worker.page.executeTool(execution(command))
    await until(() => execute.mock.calls.length)
    run.abort('stop')
    expect(execute.mock.calls[0]![1].signal.aborted).toBe(true)
    expect(await asked).toMatchObject({ status: 'unknown', output: { code: 'interrupted' } })
    expect(await worker.page.executeTool(execution(command))).toEqual({
      status: 'not-started',
      reason: 'cancelled',
    })
  })

  test('is cancelled by the worker: waiting calls never start, running ones stop', async () => {
    const execute = vi.fn((_input: unknown, _context: ToolContext) => new Promise(() => {}))
    const { worker, command } = await withTool(execute)
    const running = execution(command)
    const waiting = execution(command, { afterBatch: 9 })
    const outcomes = Promise.all([running, waiting].map((call) => worker.page.executeTool(call)))
    await until(() => execute.mock.calls.length)
    const executionIds = [running.executionId, waiting.executionId, 'not-asked-yet']
    await worker.page.cancelTools({ agentId: command.agentId, executionIds, reason: 'replaced' })
    expect(await outcomes).toMatchObject([
      { status: 'unknown', output: { code: 'interrupted' } },
      { status: 'not-started', reason: 'cancelled' },
    ])
    const late = execution(command, { executionId: 'not-asked-yet' })
    expect(await worker.page.executeTool(late)).toMatchObject({ reason: 'cancelled' })
    expect(execute).toHaveBeenCalledTimes(1)
  })

  test('has succeeded when it completes a write in spite of its signal', async () => {
    let begun = false
    const { worker, command, run } = await withTool((_input, { signal }) => {
      begun = true
      return new Promise((resolve) => signal.addEventListener('abort', () => resolve('written')))
    })
    const asked = worker.page.executeTool(execution(command))
    await until(() => begun)
    run.abort()
    expect(await asked).toMatchObject({ status: 'succeeded' })
  })

  test('reports its progress as events of the run', async () => {
    const { worker, command, run } = await withTool((_input, { progress }) => {
      progress({ percent: 50 })
    })
    await worker.page.executeTool(execution(command, { toolCallId: 't7' }))
    worker.end(command)
    const events = []
    for await (const event of run) events.push(event)
    expect(events[0]).toMatchObject({
      type: 'tool-progress',
      toolCallId: 't7',
      progress: { percent: 50 },
      seq: 0,
    })
  })

  test('is shown to the model as toModelOutput returns it', async () => {
    const { worker, command } = await withTool(() => ({ secret: 1, shown: 2 }), {
      toModelOutput: (output) => `shown: ${(output as { shown: number }).shown}`,
    })
    expect(await worker.page.executeTool(execution(command))).toMatchObject({
      output: { type: 'text', value: 'shown: 2' },
    })
  })

  test('tells the model that it ran when toModelOutput throws', async () => {
    const { worker, command } = await withTool(() => 'ordered', {
      toModelOutput: () => Promise.reject(new Error('no rows')),
    })
    expect(await worker.page.executeTool(execution(command))).toEqual({
      status: 'failed',
      output: {
        type: 'error',
        code: 'failed',
        message: "The tool's result can't be sent: no rows",
      },
    })
  })
})

describe('Standard Schema', () => {
  const schemas = {
    zod: z.object({ n: z.number().default(3), s: z.string().transform((s) => s.length) }),
    arktype: type({ n: 'number = 3', s: type('string').pipe((s) => s.length) }),
    valibot: v.object({
      n: v.optional(v.number(), 3),
      s: v.pipe(
        v.string(),
        v.transform((s) => s.length),
      ),
    }),
  }
  test.each(Object.entries(schemas))(
    '%s: its output reaches execute',
    async (_vendor, inputSchema) => {
      const execute = vi.fn((_input: unknown) => 'ok')
      const jsonSchema = {
        type: 'object',
        properties: { n: { type: 'number' }, s: { type: 'string' } },
      }
      const { worker, command } = await withTool(execute, { inputSchema, jsonSchema })
      await worker.page.executeTool(execution(command, { input: { s: 'four' } }))
      expect(execute.mock.calls[0]![0]).toEqual({ n: 3, s: 4 })
      const refused = await worker.page.executeTool(
        execution(command, { input: { n: 'x', s: 'y' } }),
      )
      expect(refused).toMatchObject({
        status: 'invalid',
        output: { type: 'error', code: 'invalid_params' },
      })
      expect(JSON.stringify(refused)).toContain('n')
      expect(execute).toHaveBeenCalledTimes(1)
    },
  )
})

describe('hooks', () => {
  test('afterToolCall sees the full result and may change what the model gets', async () => {
    const afterToolCall = vi.fn(() => ({ result: 'changed' }))
    const { worker, command } = await withTool(() => new Map([['a', 1]]), {}, { afterToolCall })
    expect(await worker.page.executeTool(execution(command))).toEqual({
      status: 'succeeded',
      output: { type: 'text', value: 'changed' },
    })
    expect(afterToolCall).toHaveBeenCalledWith(
      expect.objectContaining({
        toolName: 'tool',
        status: 'succeeded',
        result: new Map([['a', 1]]),
      }),
    )
  })

  test.each<[string, () => unknown, string]>([
    ['throws', () => Promise.reject(new Error('hook')), 'hook'],
    ['returns a number', () => 1, 'result'],
    ['returns another object', () => ({ ok: true }), 'return { result }'],
  ])(
    'afterToolCall that %s changes nothing and causes a warning',
    async (_what, afterToolCall, why) => {
      const { set, worker, command } = await withTool(() => 'fine', {}, { afterToolCall })
      const warnings: string[] = []
      set.agent.on('warning', ({ message }) => warnings.push(message))
      expect(await worker.page.executeTool(execution(command))).toEqual({
        status: 'succeeded',
        output: { type: 'text', value: 'fine' },
      })
      expect(warnings).toEqual([expect.stringContaining(why)])
    },
  )

  test('beforeToolCall vetoes, changes the input or allows the call; anything else vetoes', async () => {
    const unclear = [false, true, 'no', 0, '', {}, { input: undefined }]
    const reason = 'beforeToolCall must return { veto }, { input } or nothing.'
    const verdicts = [null, { veto: 'no' }, { input: { b: 2 } }, new Error('broken'), ...unclear]
    const { worker, command } = await withTool(
      () => 1,
      {},
      {
        beforeToolCall() {
          const next = verdicts.shift()
          if (next instanceof Error) throw next
          return next
        },
      },
    )
    const call = { ...execution(command), input: { a: 1 } }
    const answers = []
    while (verdicts.length > 0) answers.push(await worker.page.beforeToolCall(call))
    expect(answers).toEqual([
      { type: 'go', input: { a: 1 } },
      { type: 'veto', reason: 'no' },
      { type: 'go', input: { b: 2 } },
      { type: 'veto', reason: 'broken' },
      ...unclear.map(() => ({ type: 'veto', reason })),
    ])
  })

  test('the tool and the policy decide about approval; if one throws, it is needed', async () => {
    const ask = async (needsApproval: unknown, toolApproval: unknown) => {
      const more = { needsApproval } as Partial<Tool>
      const { worker, command } = await withTool(() => 1, more, { toolApproval })
      return worker.page.needsApproval(execution(command))
    }
    const no = () => false
    expect(await ask(no, no)).toBe(false)
    expect(await ask(() => true, no)).toBe(true)
    expect(await ask(no, () => true)).toBe(true)
    expect(await ask(() => Promise.reject(new Error('?')), no)).toBe(true)
  })

  test.each<[string, unknown, unknown]>([
    ['needsApproval', () => undefined, 'never'],
    ['needsApproval', () => 'no', () => false],
    ['toolApproval', undefined, () => undefined],
    ['toolApproval', () => 'default', async () => 0],
  ])(
    '%s with a result other than a boolean counts as yes, with one warning',
    async (name, own, policy) => {
      const more = { needsApproval: own } as Partial<Tool>
      const { worker, command, set } = await withTool(() => 1, more, { toolApproval: policy })
      const warnings: string[] = []
      set.agent.on('warning', ({ code, message }) => void warnings.push(`${code} ${message}`))
      expect(await worker.page.needsApproval(execution(command))).toBe(true)
      expect(await worker.page.needsApproval(execution(command))).toBe(true)
      expect(warnings).toEqual([
        expect.stringMatching(new RegExp(`^approval-policy ${name} of the tool \\w+ returned`)),
      ])
    },
  )

  test.each<unknown>(['never', () => false])(
    'toolApproval %s over a destructive tool causes a warning',
    async (toolApproval) => {
      const more = { annotations: { destructive: true } }
      const { worker, command, set } = await withTool(() => 1, more, { toolApproval })
      const warnings: string[] = []
      set.agent.on('warning', ({ code }) => void warnings.push(code))
      await worker.page.currentTools({ agentId: execution(command).agentId })
      await worker.page.needsApproval(execution(command))
      await worker.page.currentTools({ agentId: execution(command).agentId })
      expect(warnings).toEqual(['approval-policy'])
    },
  )

  test('reconcile reports the outcome of a call', async () => {
    const answers = [{ happened: true, result: 'r' } as const, { happened: false } as const, null]
    const { worker, command } = await withTool(() => 1, { reconcile: () => answers.shift() })
    const call = execution(command)
    expect(await worker.page.reconcileTool(call)).toEqual({
      type: 'happened',
      output: { type: 'text', value: 'r' },
    })
    expect(await worker.page.reconcileTool(call)).toEqual({ type: 'did-not-happen' })
    expect(await worker.page.reconcileTool(call)).toEqual({ type: 'unknown' })
    expect(await worker.page.reconcileTool({ ...call, toolName: 'gone' })).toEqual({
      type: 'unknown',
    })
  })
})
