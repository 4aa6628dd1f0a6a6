import type { ExecuteTool, ToolOutcome } from '../protocol/api.ts'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import { errorOutput, formatOutput } from './format-output.ts'
import type { AgentOptions } from './options.ts'
import type { PreparedTool } from './prepare-tool.ts'
import { describeIssues } from './standard-schema.ts'

/** How long a cancelled tool may take to settle before its outcome counts as unknown. Milliseconds. */
const CANCEL_GRACE_MS = 50
const MAX_TIMER_MS = 2 ** 31 - 1

/** Why a running tool is stopped; the reason of its signal. */
export class ToolStop extends OffstageError {
  /** How long its own end is still waited for. Milliseconds. */
  readonly graceMs: number

  constructor(code: 'timeout' | 'aborted', message: string, graceMs: number = 0) {
    super(code, message)
    this.graceMs = graceMs
  }

  static cancelled(reason: string): ToolStop {
    return new ToolStop('aborted', `The run was aborted: ${reason}.`, CANCEL_GRACE_MS)
  }
}

export interface ToolRun {
  readonly prepared: PreparedTool
  readonly call: ExecuteTool
  /** Aborted with a `ToolStop` only. */
  readonly controller: AbortController
  readonly afterToolCall: AgentOptions['afterToolCall']
  progress(value: unknown): void
  warn(message: string): void
}

type Settled = Exclude<ToolOutcome, { readonly status: 'not-started' }>

interface Ending {
  readonly settled: Settled
  /** What `execute` returned. */
  readonly result?: unknown
}

/** Runs a tool once, within its timeout. Never rejects; a result that comes after the end is dropped. */
export async function runTool(run: ToolRun): Promise<Settled> {
  const { controller, call } = run
  const timer = setTimeout(
    () =>
      controller.abort(
        new ToolStop(
          'timeout',
          `The tool did not finish within ${call.timeoutMs} ms. It may or may not have taken effect.`,
        ),
      ),
    Math.min(call.timeoutMs, MAX_TIMER_MS),
  )
  const ending = await Promise.race([execute(run), whenStopped(run)])
  clearTimeout(timer)
  return afterCall(run, ending)
}

async function execute(run: ToolRun): Promise<Ending> {
  const { call, controller, prepared, progress } = run
  const { tool, standard, restore } = prepared
  const { runId, conversationId, toolCallId, idempotencyKey } = call
  const { signal } = controller
  try {
    let input = restore(call.input)
    if (standard) {
      const checked = await standard['~standard'].validate(input)
      if (checked.issues)
        return {
          settled: {
            status: 'invalid',
            output: errorOutput('invalid_params', describeIssues(checked.issues)),
          },
        }
      input = checked.value
      signal.throwIfAborted()
    }
    const context = { signal, runId, conversationId, toolCallId, idempotencyKey, progress }
    const result = await tool.execute(input, context)
    const shown = tool.toModelOutput ? await tool.toModelOutput(result, input) : result
    const output = await formatOutput(shown)
    return { settled: { status: output.type === 'error' ? 'failed' : 'succeeded', output }, result }
  } catch (thrown) {
    if (signal.aborted)
      return {
        settled: { status: 'aborted', output: errorOutput('aborted', signal.reason.message) },
      }
    return { settled: { status: 'failed', output: errorOutput('failed', describeThrown(thrown)) } }
  }
}

/** The outcome of a tool that doesn't end by itself when its signal is aborted. */
function whenStopped({ controller: { signal }, prepared: { tool } }: ToolRun): Promise<Ending> {
  return new Promise((resolve) =>
    signal.addEventListener('abort', () => {
      const { code, message, graceMs } = signal.reason as ToolStop
      const harmless = tool.annotations?.readOnly ?? tool.annotations?.idempotent
      const settled: Settled =
        code === 'timeout'
          ? { status: 'failed', output: errorOutput('timeout', message) }
          : harmless
            ? { status: 'aborted', output: errorOutput('aborted', message) }
            : {
                status: 'aborted',
                output: errorOutput(
                  'interrupted',
                  `${message} The tool was running; it may or may not have taken effect.`,
                ),
              }
      setTimeout(resolve, graceMs, { settled })
    }),
  )
}

async function afterCall(run: ToolRun, { settled, result }: Ending): Promise<Settled> {
  const { afterToolCall, call } = run
  if (!afterToolCall || settled.status === 'invalid') return settled
  const { runId, conversationId, toolCallId, toolName, input } = call
  try {
    const changed = await afterToolCall({
      runId,
      conversationId,
      toolCallId,
      toolName,
      input,
      ...settled,
      result,
    })
    return changed ? { ...settled, output: await formatOutput(changed.result) } : settled
  } catch (thrown) {
    run.warn(`afterToolCall failed, the result stays as it is: ${describeThrown(thrown)}`)
    return settled
  }
}
