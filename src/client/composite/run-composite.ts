import { isJson } from '../../lib/is-json.ts'
import { whenAborted } from '../../lib/abort.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { ExecuteTool } from '../../protocol/questions.ts'
import { errorOutput } from '../format-output.ts'
import {
  checkedInput,
  endingOf,
  infoOf,
  outcomeOfStop,
  outcomeOfThrown,
  type ToolEnding,
  type ToolRun,
  type ToolRunner,
  type ToolStop,
} from '../run-tool.ts'
import { type CompositeContext, isComposite } from '../tool.ts'
import { type Closing, Workflow } from './workflow.ts'

/** Runs the function of a composite tool until it ends, is suspended or is stopped. Never rejects. */
export const runComposite: ToolRunner = async (run) => {
  const { prepared, signal } = run
  const { tool } = prepared
  try {
    const checked = await checkedInput(run)
    if ('outcome' in checked) return checked
    if (!isComposite(tool)) throw new TypeError(`${tool.name} is no composite tool.`)
    const workflow = workflowOf(run)
    const context = contextOf(run, workflow)
    void (async () => tool.run(checked.input, context))().then(
      (value) => workflow.returned(value),
      (thrown: unknown) => workflow.threw(thrown),
    )
    const closing = await Promise.race([workflow.closed, whenAborted(signal)])
    if (closing) return await endOf(run, closing, checked.input)
    const stop = signal.reason as ToolStop
    if (stop.kind === 'released') return await endOf(run, await workflow.leave(), checked.input)
    workflow.stop()
    return { outcome: outcomeOfStop(stop, prepared, false) }
  } catch (thrown) {
    return { outcome: await outcomeOfThrown(run, thrown) }
  }
}

async function endOf(run: ToolRun, closing: Closing, input: unknown): Promise<ToolEnding> {
  switch (closing.type) {
    case 'returned':
      return endingOf(run.prepared, closing.value, input)
    case 'threw':
      return { outcome: await outcomeOfThrown(run, closing.thrown) }
    case 'suspended':
      return { outcome: { status: 'suspended', seen: closing.seen } }
    case 'changed':
      return { outcome: { status: 'interrupted', output: changed(closing.position) } }
    default:
      return closing satisfies never
  }
}

function changed(position: number): ReturnType<typeof errorOutput> {
  return errorOutput(
    'workflow-changed',
    `The tool asked for other calls or steps than before (at number ${position}), so it was stopped. What it did until then stays done. Check before you do it again.`,
  )
}

function workflowOf({ call, line, hold, leaving }: ToolRun): Workflow {
  const { runId, conversationId, executionId, remembered } = call
  const of = { runId, conversationId, executionId }
  return new Workflow(remembered ?? { calls: [], steps: [], ended: [] }, {
    callTool: async (nested) => (await line()?.callTool({ ...of, ...nested })) ?? null,
    keep: async (kept) => (await line()?.keepOutcomes({ ...of, kept })) ?? null,
    hold,
    mayHaveBroken: () => leaving.mayHaveBroken(),
  })
}

function contextOf({ call, signal, progress }: ToolRun, workflow: Workflow): CompositeContext {
  const { idempotencyKey, epoch: fence }: ExecuteTool = call
  return {
    ...infoOf(call),
    signal: AbortSignal.any([signal, workflow.signal]),
    idempotencyKey,
    fence,
    ...(call.tainted && { tainted: true }),
    progress,
    async call(toolName, input = {}) {
      return (await workflow.call(toolName, plain(input))) as JsonValue
    },
    async step(name, work, options = {}) {
      return (await workflow.step(name, work, options)) as never
    },
    now: () => workflow.take('now', () => Date.now()),
    random: () => workflow.take('random', () => Math.random()),
  }
}

/** Copies the input as JSON, as it is stored. Throws `invalid-input` if it isn't plain data. */
function plain(input: unknown): JsonValue {
  if (!isJson(input))
    throw new OffstageError(
      'invalid-input',
      'The input of a call must be plain data, as JSON has it.',
    )
  return JSON.parse(JSON.stringify(input)) as JsonValue
}
