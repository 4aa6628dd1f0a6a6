import type { ExecuteTool, ToolOutcome } from '../../protocol/page-calls.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { callers } from '../page-life/child-run-resumers.ts'
import { formatOutput, describeIssues, errorOutput } from './format-output.ts'
import type { AgentOptions, HookedCall } from '../api/options.ts'
import { watchLeaving, type PageLeaving } from '../page-life/page-leaving.ts'
import type { PreparedTool } from '../tools/prepare-tool.ts'
import type { ToolOutput } from '../../protocol/message.ts'
import type {
  KeepAnswer,
  KeepOutcomes,
  NestedAnswer,
  NestedCall,
} from '../../protocol/composite.ts'
import { unsafeKey } from '../../lib/json/unsafe-key.ts'
import { suspensionOf } from '../runs/pending.ts'
import { isStandardSchema } from '../tools/standard-schema.ts'
import { isComposite, type ToolCallInfo } from '../tools/tool.ts'
import { unwrapUntrusted } from '../../protocol/taint.ts'

/** Characters. A tool's report on its own action is shorter. */
const LONG_OUTPUT = 1_000

const warned = new WeakSet<PreparedTool>()

/** Warns the app's author once per tool: long output may be untrusted content, and the tool doesn't say. */
function markingAdvice(prepared: PreparedTool, outcome: ToolOutcome): string | null {
  const { name, tool } = prepared
  if (tool.remote || tool.annotations?.untrustedContent !== undefined || warned.has(prepared))
    return null
  if (outcome.status !== 'succeeded') return null
  const text = JSON.stringify(outcome.output, (_key, part) => (part?.mediaType ? 0 : part))
  if (text.length <= LONG_OUTPUT) return null
  warned.add(prepared)
  return `Set annotations.untrustedContent of the tool ${name}: true if others may write its long results, else false.`
}

/** How long a cancelled tool may take to end by itself before it is given up. Milliseconds. */
const CANCEL_GRACE_MS = 50
/** How long a released tool runs on before its signal aborts: a remounted component may resume it. Milliseconds. */
const RELEASE_GRACE_MS = 250
const MAX_TIMER_MS = 2 ** 31 - 1

/** Functions of an agent that an execution needs. */
export interface ExecutionHooks {
  readonly afterToolCall: AgentOptions['afterToolCall']
  progress(value: unknown): void
  warn(code: 'hook-failed' | 'tool-content-unmarked', message: string): void
  /** For composite tools only. */
  readonly line?: CompositeLine
}

/** The agent that an execution belongs to. Its hooks are looked up each time, as it may be gone. */
export interface ExecutionOwner {
  readonly agentId: string
  hooks(call: ExecuteTool): ExecutionHooks | undefined
}

/**
 * An execution of a tool on this page. The outcome for current askers (stopped, timed out) and how the tool's function
 * really ended are kept apart. Later askers get the second.
 */
export class Execution {
  readonly call: ExecuteTool
  owner: ExecutionOwner
  prepared: PreparedTool | undefined
  readonly #controller = new AbortController()
  readonly #askers = new Set<(outcome: ToolOutcome) => void>()
  /** Outcome of the tool's function itself. */
  #endOutcome: ToolOutcome | undefined
  /** Outcome since the timeout. */
  #timeoutOutcome: ToolOutcome | undefined
  /** The tool has returned; `afterToolCall` may still run. */
  #hasReturned = false
  #releasing: ReturnType<typeof setTimeout> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(call: ExecuteTool, owner: ExecutionOwner) {
    this.call = call
    this.owner = owner
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  get hasEnded(): boolean {
    return this.#endOutcome !== undefined
  }

  /** Resolves to the outcome, at the latest at the timeout. The newest asker owns the execution. */
  waitForOutcome(owner: ExecutionOwner): Promise<ToolOutcome> {
    clearTimeout(this.#releasing)
    this.owner = owner
    const outcome =
      this.#timeoutOutcome?.status === 'failed'
        ? this.#timeoutOutcome
        : (this.#endOutcome ?? this.#timeoutOutcome)
    if (outcome) return Promise.resolve(outcome)
    return new Promise((resolve) => this.#askers.add(resolve))
  }

  /** Ends the execution; the tool provably did not and will not run. */
  refuse(outcome: Extract<ToolOutcome, { readonly status: 'not-started' }>): void {
    this.#finish(outcome)
  }

  /** Ends the execution after an error outside the tool. Only whether the tool had started is certain. */
  breakOff(): void {
    const message = 'The page failed to run the tool.'
    if (!this.prepared) this.refuse({ status: 'not-started', reason: 'unconfirmed' })
    else this.#finish(unknownOutcome(message))
  }

  /** Runs the tool's function until it ends by itself. */
  async run(prepared: PreparedTool, runner: ToolRunner): Promise<void> {
    const { call, signal } = this
    const leaving = watchLeaving()
    // A function that ignores its signal may never end.
    signal.addEventListener('abort', leaving.stop)
    this.prepared = prepared
    const hold = (isPaused: boolean): void => {
      clearTimeout(this.#timer)
      if (isPaused) return
      this.#timer = setTimeout(() => this.#timeOut(), Math.min(call.timeoutMs, MAX_TIMER_MS))
    }
    hold(false)
    callers.set(signal, this.owner.agentId)
    const progress = (value: unknown): void => this.owner.hooks(call)?.progress(value)
    const line = (): CompositeLine | undefined => this.owner.hooks(call)?.line
    const ending = await runner({ prepared, call, signal, leaving, progress, line, hold })
    const advice = markingAdvice(prepared, ending.outcome)
    if (advice !== null) this.owner.hooks(call)?.warn('tool-content-unmarked', advice)
    this.#hasReturned = true
    clearTimeout(this.#timer)
    leaving.stop()
    this.#finish(await this.#afterCall(ending))
  }

  /** Aborts the signal. Askers get the outcome after a short grace period, whatever the function does. */
  stop(stop: ToolStop): void {
    clearTimeout(this.#releasing)
    if (this.hasEnded) return
    // A tool that removes itself by what it does has done its work.
    if (stop.kind === 'removed' && this.#hasReturned) return
    this.#controller.abort(stop)
    const settle = (): void => {
      if (this.prepared) this.#settle(outcomeOfStop(stop, this.prepared, !this.hasEnded))
    }
    if (stop.kind === 'removed') settle()
    else setTimeout(settle, CANCEL_GRACE_MS)
  }

  /** Aborts the signal soon, unless somebody asks for the outcome before. Delivers no outcome. */
  abortIfUnawaited(): void {
    if (this.hasEnded) return
    const stop = new ToolStop('released', 'The agent was disposed.')
    this.#releasing = setTimeout(() => this.#controller.abort(stop), RELEASE_GRACE_MS)
  }

  #timeOut(): void {
    const { prepared, signal } = this
    if (!prepared) return
    const { timeoutMs } = this.call
    const message = `The tool did not finish within ${timeoutMs} ms. It may or may not have taken effect.`
    this.#controller.abort(new ToolStop('timeout', message))
    // A tool that was stopped before, and still runs, has not failed by itself.
    this.#timeoutOutcome = outcomeOfStop(signal.reason as ToolStop, prepared, true)
    this.#settle(this.#timeoutOutcome)
  }

  #finish(outcome: ToolOutcome): void {
    this.#endOutcome = outcome
    this.#settle(outcome)
  }

  #settle(outcome: ToolOutcome): void {
    for (const answer of this.#askers) answer(outcome)
    this.#askers.clear()
  }

  async #afterCall({ outcome, result, hideSecrets }: ToolEnding): Promise<ToolOutcome> {
    const { call } = this
    const { afterToolCall, warn } = this.owner.hooks(call) ?? {}
    if (!afterToolCall || !hasOutput(outcome)) return outcome
    const { output } = outcome
    const status = outcome.status === 'unknown' ? 'interrupted' : outcome.status
    try {
      const change = await inTime(
        (async () => afterToolCall({ ...toHookedCall(call), status, output, result }))(),
        call.timeoutMs,
      )
      if (!change) return outcome
      if (!('result' in change)) throw new TypeError('return { result } or nothing.')
      const changedOutput = await formatOutput(change.result)
      return { ...outcome, output: hideSecrets?.(changedOutput) ?? changedOutput }
    } catch (thrown) {
      const message = `afterToolCall failed, the result stays as it is: ${describeThrown(thrown)}`
      warn?.('hook-failed', message)
      return outcome
    }
  }
}

/** True if the tool ran and has output for the model. */
function hasOutput(
  outcome: ToolOutcome,
): outcome is Exclude<
  ToolOutcome,
  { readonly status: 'invalid' | 'not-started' | 'suspended' | 'interrupted' }
> {
  const { status } = outcome
  return 'output' in outcome && status !== 'invalid' && status !== 'interrupted'
}

/** Rejects without an answer in time: the tool's outcome must not wait forever for a hook. */
function inTime<Answer>(answer: Promise<Answer>, timeoutMs: number): Promise<Answer> {
  const ms = Math.min(timeoutMs, MAX_TIMER_MS)
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(`it did not end within ${ms} ms`), ms)
    void answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

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
  hold(isPaused: boolean): void
}

/** Lets the function of a composite tool ask the run it is part of. Rejects when nobody answers any more. */
export interface CompositeLine {
  callTool(call: WithoutScope<NestedCall>): Promise<NestedAnswer>
  keepOutcomes(kept: WithoutScope<KeepOutcomes>): Promise<KeepAnswer>
}

type WithoutScope<Command> = Omit<Command, 'agentId' | 'storage'>

/** How the tool's own function ended. */
export interface ToolEnding {
  readonly outcome: ToolOutcome
  /** Return value of `execute`. */
  readonly result?: unknown
  /** Replaces secrets of the call's input in an output by placeholders. */
  readonly hideSecrets?: (output: ToolOutput) => ToolOutput
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
    const optionalFields = {
      ...(call.about !== undefined && { about: call.about }),
      ...(call.tainted && { tainted: true }),
    }
    const context = { ...infoOf(call), signal, idempotencyKey, fence, ...optionalFields, progress }
    return await endingOf(prepared, await tool.execute(input, context), input)
  } catch (thrown) {
    return { outcome: await outcomeOfThrown(run, thrown) }
  }
}

export function infoOf({ runId, conversationId, toolCallId }: ToolCallInfo): ToolCallInfo {
  return { runId, conversationId, toolCallId }
}

/** Returns a call as the agent's hooks get it, without other fields of the protocol. */
export function toHookedCall({ toolName, input, ...call }: HookedCall): HookedCall {
  return { ...infoOf(call), toolName, input }
}

/** Returns the input for the tool's function, or the ending of a call whose input is invalid. */
export async function checkedInput({
  prepared: { tool },
  call,
  signal,
}: ToolRun): Promise<ToolEnding | { readonly input: unknown }> {
  const input = call.inputWithSecrets ?? call.input
  // The worker refuses such keys, too, but every script of the origin can write to the store.
  const unsafe = unsafeKey(input)
  if (unsafe !== undefined) {
    const output = errorOutput('invalid_params', `'${unsafe}' is no allowed key.`)
    return { outcome: { status: 'invalid', output } }
  }
  // A mounted tool has its newest schema.
  const { inputSchema } = tool
  if (!isStandardSchema(inputSchema)) return { input }
  const checked = await inputSchema['~standard'].validate(input)
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
  const { result, untrusted } = unwrapUntrusted(returned)
  const modelOutput = async (): Promise<unknown> =>
    tool.toModelOutput ? tool.toModelOutput(result, input) : result
  const output = await formatOutput(modelOutput())
  const status = output.type === 'error' ? 'failed' : 'succeeded'
  return { outcome: { status, output, ...(untrusted !== undefined && { untrusted }) }, result }
}

export async function outcomeOfThrown(
  { prepared, signal, leaving }: Pick<ToolRun, 'prepared' | 'signal' | 'leaving'>,
  thrown: unknown,
): Promise<ToolOutcome> {
  if (signal.aborted) return outcomeOfStop(signal.reason as ToolStop, prepared, false)
  if (await leaving.mayBeCause()) {
    // Without the error: the output of a call with an unknown outcome is trusted.
    return unknownOutcome('The page was being left when the tool failed.')
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
    : unknownOutcome(message, running)
}

/** True if the tool may run again, so that a partial run does no harm. */
export function isRepeatable({ tool: { annotations } }: PreparedTool): boolean {
  return annotations?.readOnly === true || annotations?.idempotent === true
}

function unknownOutcome(reason: string, running = false): ToolOutcome {
  const message = `${reason} ${CUT_OFF}`
  return { status: 'unknown', output: errorOutput('interrupted', message), running }
}
