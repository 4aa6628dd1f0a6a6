import { describe, expect, test } from 'vitest'
import { describeThrown } from '../../../src/protocol/error.ts'
import { stage, startedRun, until } from './fake-worker.ts'

describe('a reason that is no string', () => {
  const reasons = [
    ['a click', new Event('click'), 'aborted'],
    ['an object', { why: 1, now() {} }, 'aborted'],
    ['null', null, 'aborted'],
    ['a number', 5, 'aborted'],
    ['an error', new Error('enough'), 'enough'],
    ['an error with an object for a message', errorWith({ a: 1 }), '{"a":1}'],
  ] as const

  test.each(reasons)(
    'of run.abort stops the run in the worker: %s',
    async (_name, reason, words) => {
      const { run, worker } = await startedRun(stage(), 'x')
      const stop: (reason: unknown) => void = run.abort as never
      stop(reason)
      await until(() => worker.of('abortRun').length)
      expect(worker.of('abortRun')[0]).toMatchObject({ runId: run.runId, reason: words })
      expect(await run.result).toMatchObject({ outcome: 'aborted', reason: words })
    },
  )

  test.each(reasons)(
    'of agent.abort stops the run in the worker: %s',
    async (_name, reason, words) => {
      const set = stage()
      const { run, worker } = await startedRun(set, 'x')
      set.agent.abort(reason as never)
      await until(() => worker.of('abortRun').length)
      expect(worker.of('abortRun')[0]).toMatchObject({ runId: run.runId, reason: words })
    },
  )

  test.each(reasons)(
    'of a signal stops the run in the worker: %s',
    async (_name, reason, words) => {
      const control = new AbortController()
      const { run, worker } = await startedRun(stage(), 'x', { signal: control.signal })
      control.abort(reason)
      await until(() => worker.of('abortRun').length)
      expect(worker.of('abortRun')[0]).toMatchObject({ runId: run.runId, reason: words })
    },
  )
})

describe('a veto', () => {
  test.each([
    [true, 'The page does not allow this call.'],
    [undefined, 'The page does not allow this call.'],
    [new Error('no'), 'no'],
    [{ because: 1 }, '{"because":1}'],
    ['not now', 'not now'],
  ])('of %o gives words', async (veto, reason) => {
    const set = stage({ beforeToolCall: () => ({ veto }) as never })
    const { worker, command } = await startedRun(set, 'x')
    const call = { ...command, toolCallId: 'c', toolName: 't', input: {} }
    expect(await worker.page.beforeToolCall(call as never)).toEqual({ type: 'veto', reason })
  })
})

test('an error whose message is no string is described in words', () => {
  expect(describeThrown(errorWith({ a: 1 }))).toBe('{"a":1}')
  expect(describeThrown(errorWith(5))).toBe('5')
})

function errorWith(message: unknown): Error {
  return Object.assign(new Error('x'), { message })
}
