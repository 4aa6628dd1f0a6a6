import { expect, onTestFinished, test, vi } from 'vitest'
import {
  createBatchGate,
  type ExecutionHost,
  Executions,
  type ExecutionsHost,
} from '../../../src/client/execution/executions.ts'
import { prepareTool } from '../../../src/client/tools/prepare-tool.ts'
import { execution, stage, startedRun, until } from './fake-worker.ts'

const RUN = { agentId: 'a', runId: 'r', conversationId: 'c' } as never

/** Collects errors that are reported to the page, so that they don't fail the test. */
function collectReported(): unknown[] {
  const reported: unknown[] = []
  vi.stubGlobal('queueMicrotask', (report: () => void) => {
    try {
      report()
    } catch (thrown) {
      reported.push(thrown)
    }
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return reported
}

function executionsOf(
  {
    flush = () => undefined,
    isAborted = () => false,
    ...broken
  }: Partial<ExecutionHost & Pick<ExecutionsHost, 'flush' | 'isAborted'>>,
  execute: () => unknown,
): Executions {
  const prepared = prepareTool({ name: 'tool', description: 'A tool.', execute })
  const host: ExecutionHost = {
    findTool: () => prepared,
    definitionOf: () => 'as it is',
    confirmLease: async () => true,
    hooks: () => ({ afterToolCall: undefined, progress() {}, warn() {} }),
    ...broken,
  }
  return new Executions({
    gate: createBatchGate(),
    flush,
    hostOf: () => host,
    isAborted,
    toPageTime: (workerMs) => workerMs,
  })
}

const thrower = () => {
  throw new Error('broken')
}

test.each(['flush', 'definitionOf', 'isAborted'] as const)(
  'a tool that is not begun because %s throws is reported as not started',
  async (name) => {
    const reported = collectReported()
    const execute = vi.fn()
    const executions = executionsOf({ [name]: thrower }, execute)
    expect(await executions.executeTool(execution(RUN))).toEqual({
      status: 'not-started',
      reason: 'unconfirmed',
    })
    expect(execute).not.toHaveBeenCalled()
    expect(reported).toMatchObject([{ message: 'broken' }])
  },
)

test('a tool that ran, but lost its result, is reported as unknown', async () => {
  collectReported()
  const executions = executionsOf({ hooks: thrower }, () => 'ran')
  expect(await executions.executeTool(execution(RUN))).toMatchObject({
    status: 'unknown',
    running: false,
  })
})

test('when afterToolCall never ends, the tool keeps its result, with a warning', async () => {
  const set = stage({
    tools: [{ name: 'tool', description: 'A tool.', execute: () => 'ran' }],
    afterToolCall: () => new Promise(() => {}),
  })
  const warnings: string[] = []
  set.agent.on('warning', ({ code }) => warnings.push(code))
  const { worker, command } = await startedRun(set, 'x')
  expect(await worker.page.executeTool(execution(command, { timeoutMs: 500 }))).toMatchObject({
    status: 'succeeded',
    output: { value: 'ran' },
  })
  await until(() => warnings.includes('hook-failed'))
})
