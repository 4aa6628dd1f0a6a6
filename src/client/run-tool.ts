import type { ExecuteTool, ToolOutcome } from '../protocol/questions.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import { describeIssues } from './describe-issues.ts'
import { errorOutput, formatOutput } from './format-output.ts'
import { tokenOf } from './pending.ts'
import type { PageLeaving } from './page-leaving.ts'
import type { PreparedTool } from './prepare-tool.ts'

/**
 * Why a running tool is stopped; the reason of its signal. `released`: nobody waits for it any more,
 * though somebody may again.
 */
export class ToolStop extends OffstageError {
  readonly kind: 'timeout' | 'cancelled' | 'removed' | 'released'

  constructor(kind: ToolStop['kind'], message: string) {
    super(kind === 'timeout' ? 'timeout' : 'aborted', message)
    this.kind = kind
  }
}

export interface ToolRun {
  readonly prepared: PreparedTool
  readonly call: ExecuteTool
  /** Aborted with a `ToolStop` only. */
  readonly signal: AbortSignal
  readonly leaving: PageLeaving
  progress(value: unknown): void
}

/** How the tool's own function came to its end. */
export interface ToolEnding {
  readonly outcome: ToolOutcome
  /** What `execute` returned. */
  readonly result?: unknown
}

/** Runs a tool's function once. Never rejects; ends when the function does. */
export async function runTool(run: ToolRun): Promise<ToolEnding> {
  const { call, prepared, progress, signal } = run
  const { tool, standard, restore } = prepared
  const { runId, conversationId, toolCallId, idempotencyKey, epoch: fence } = call
  try {
    let input = restore(call.input)
    if (standard) {
      const checked = await standard['~standard'].validate(input)
      if (checked.issues)
        return {
          outcome: {
            status: 'invalid',
            output: errorOutput('invalid_params', describeIssues(checked.issues)),
          },
        }
      input = checked.value
      if (signal.aborted) return { outcome: { status: 'not-started', reason: 'cancelled' } }
    }
    const context = { signal, runId, conversationId, toolCallId, idempotencyKey, fence, progress }
    const result = await tool.execute(input, context)
    const token = tokenOf(result)
    if (token !== undefined) return { outcome: { status: 'suspended', token } }
    const shown = tool.toModelOutput ? await tool.toModelOutput(result, input) : result
    const output = await formatOutput(shown)
    return { outcome: { status: output.type === 'error' ? 'failed' : 'succeeded', output }, result }
  } catch (thrown) {
    return { outcome: await outcomeOfThrown(run, thrown) }
  }
}

async function outcomeOfThrown(
  { prepared, signal, leaving }: ToolRun,
  thrown: unknown,
): Promise<ToolOutcome> {
  if (signal.aborted) return outcomeOfStop(signal.reason as ToolStop, prepared, false)
  if (await leaving.mayHaveBroken()) {
    return unknown(`The page was being left when the tool failed (${describeThrown(thrown)}).`)
  }
  return { status: 'failed', output: errorOutput('failed', describeThrown(thrown)) }
}

const CUT_OFF = 'The tool was running; it may or may not have taken effect.'

/** What is known of a tool that was stopped, and has not returned anything. */
export function outcomeOfStop(
  { kind, message }: ToolStop,
  prepared: PreparedTool,
  running: boolean,
): ToolOutcome {
  if (kind === 'timeout') return { status: 'failed', output: errorOutput('timeout', message) }
  // Somebody may go on with a released run: then it matters whether the tool may run again.
  return isRepeatable(prepared) && kind !== 'released'
    ? { status: 'aborted', output: errorOutput('aborted', `${message} ${CUT_OFF}`) }
    : unknown(message, running)
}

/** May run again, so that a part of it does no harm. */
export function isRepeatable({ tool: { annotations } }: PreparedTool): boolean {
  return annotations?.readOnly === true || annotations?.idempotent === true
}

export function unknown(why: string, running = false): ToolOutcome {
  const message = `${why} ${CUT_OFF}`
  return { status: 'unknown', output: errorOutput('interrupted', message), running }
}
