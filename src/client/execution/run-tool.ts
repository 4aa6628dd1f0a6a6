import type { ToolOutput } from '../../protocol/message.ts'
import type {
  KeepAnswer,
  KeepOutcomes,
  NestedAnswer,
  NestedCall,
} from '../../protocol/composite.ts'
import type { ExecuteTool, ToolOutcome } from '../../protocol/page-calls.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { unsafeKey } from '../../lib/unsafe-key.ts'
import { describeIssues, errorOutput, formatOutput } from './format-output.ts'
import { suspensionOf } from '../runs/pending.ts'
import type { PageLeaving } from '../page-life/page-leaving.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'
import { isComposite, type ToolCallInfo } from '../tools/tool.ts'
import { unmarked } from '../../protocol/taint.ts'

/**
 * Why a running tool is stopped; the reason of its signal. `released`: nobody waits for the tool now, but somebody may
 * again.
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
  /** Aborted with a `ToolStop` as the reason. */
  readonly signal: AbortSignal
  readonly leaving: PageLeaving
  progress(value: unknown): void
  /** Line to the agent that the tool runs for now; undefined if that is gone. */
  line(): CompositeLine | undefined
  /** True stops the tool's timeout: nested calls have their own. */
  hold(isHeld: boolean): void
}

/** Lets the function of a composite tool ask the run it is part of. Rejects when nobody answers any more. */
export interface CompositeLine {
  callTool(call: Asked<NestedCall>): Promise<NestedAnswer>
  keepOutcomes(kept: Asked<KeepOutcomes>): Promise<KeepAnswer>
}

type Asked<Command> = Omit<Command, 'agentId' | 'storage'>

/** How the tool's own function ended. */
export interface ToolEnding {
  readonly outcome: ToolOutcome
  /** Return value of `execute`. */
  readonly result?: unknown
  /** Replaces secrets of the call's input in an output by placeholders. */
  readonly seal?: (output: ToolOutput) => ToolOutput
}

/** Runs the tool of a call. Never rejects. */
export type ToolRunner = (run: ToolRun) => Promise<ToolEnding>

/** Runs a tool's function once. Resolves when the function ends. */
export const runTool: ToolRunner = async (run) => {
  const { call, prepared, progress, signal } = run
  const { tool } = prepared
  const { idempotencyKey, epoch: fence } = call
  try {
    const checked = await checkedInput(run)
    if ('outcome' in checked) return checked
    const { input } = checked
    if (isComposite(tool)) throw new TypeError(`${tool.name} is a composite tool.`)
    const said = {
      ...(call.about !== undefined && { about: call.about }),
      ...(call.tainted && { tainted: true }),
    }
    const context = { ...infoOf(call), signal, idempotencyKey, fence, ...said, progress }
    return await endingOf(prepared, await tool.execute(input, context), input)
  } catch (thrown) {
    return { outcome: await outcomeOfThrown(run, thrown) }
  }
}

export function infoOf({ runId, conversationId, toolCallId }: ExecuteTool): ToolCallInfo {
  return { runId, conversationId, toolCallId }
}

/** Returns the input for the tool's function, or the ending of a call whose input is invalid. */
export async function checkedInput({
  prepared: { standard },
  call,
  signal,
}: ToolRun): Promise<ToolEnding | { readonly input: unknown }> {
  const input = call.whole ?? call.input
  // The worker refuses such keys, too, but every script of the origin can write to the store.
  const unsafe = unsafeKey(input)
  if (unsafe !== undefined) {
    const output = errorOutput('invalid_params', `'${unsafe}' is no allowed key.`)
    return { outcome: { status: 'invalid', output } }
  }
  if (!standard) return { input }
  const checked = await standard['~standard'].validate(input)
  if (checked.issues) {
    const output = errorOutput('invalid_params', describeIssues(checked.issues))
    return { outcome: { status: 'invalid', output } }
  }
  if (signal.aborted) return { outcome: { status: 'not-started', reason: 'cancelled' } }
  return { input: checked.value }
}

/** Converts the function's result to the ending of the call. */
export async function endingOf(
  { tool }: PreparedTool,
  returned: unknown,
  input: unknown,
): Promise<ToolEnding> {
  const suspension = suspensionOf(returned)
  if (suspension) return { outcome: { status: 'suspended', ...suspension } }
  const { result, untrusted } = unmarked(returned)
  const shown = tool.toModelOutput ? await tool.toModelOutput(result, input) : result
  const output = await formatOutput(shown)
  const status = output.type === 'error' ? 'failed' : 'succeeded'
  return { outcome: { status, output, ...(untrusted !== undefined && { untrusted }) }, result }
}

export async function outcomeOfThrown(
  { prepared, signal, leaving }: Pick<ToolRun, 'prepared' | 'signal' | 'leaving'>,
  thrown: unknown,
): Promise<ToolOutcome> {
  if (signal.aborted) return outcomeOfStop(signal.reason as ToolStop, prepared, false)
  if (await leaving.mayHaveBroken()) {
    return unknown(`The page was being left when the tool failed (${describeThrown(thrown)}).`)
  }
  return { status: 'failed', output: errorOutput('failed', describeThrown(thrown)) }
}

const CUT_OFF = 'The tool was running; it may or may not have taken effect.'

/** Returns the outcome of a stopped tool that has not returned anything. */
export function outcomeOfStop(
  { kind, message }: ToolStop,
  prepared: PreparedTool,
  running: boolean,
): ToolOutcome {
  if (kind === 'timeout') return { status: 'failed', output: errorOutput('timeout', message) }
  // Another agent may resume a released run. Then it matters whether the tool may run again.
  return isRepeatable(prepared) && kind !== 'released'
    ? { status: 'aborted', output: errorOutput('aborted', `${message} ${CUT_OFF}`) }
    : unknown(message, running)
}

/** True if the tool may run again, so that a partial run does no harm. */
export function isRepeatable({ tool: { annotations } }: PreparedTool): boolean {
  return annotations?.readOnly === true || annotations?.idempotent === true
}

export function unknown(why: string, running = false): ToolOutcome {
  const message = `${why} ${CUT_OFF}`
  return { status: 'unknown', output: errorOutput('interrupted', message), running }
}
