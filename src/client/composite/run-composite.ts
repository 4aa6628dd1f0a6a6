import { isJson } from '../../lib/json/is-json.ts'
import { whenAborted } from '../../lib/abort.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import type { ExecuteTool } from '../../protocol/page-calls.ts'
import { badInput } from '../api/failures.ts'
import { errorOutput, stringify } from '../execution/format-output.ts'
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
} from '../execution/execution.ts'
import { type CompositeContext, isComposite, type StepOptions } from '../tools/tool.ts'
import {
  type CallEnd,
  type KeptOutcome,
  markKey,
  type NestedAnswer,
  outcomeKey,
  positionOf,
  type ReplayLog,
  type ReplayedCall,
} from '../../protocol/composite.ts'
import { yieldToEventLoop } from '../../lib/yield-to-event-loop.ts'
import { sealedLike } from '../../protocol/sealed.ts'
import { canonicalJson } from '../../lib/json/canonical-json.ts'

/** Outcome of a call or step: the same each time the function runs. */
type Outcome = { readonly value: unknown } | { readonly error: Error }

/** Limit for the JSON of a step's result. */
const MAX_CHARACTERS = 1_000_000

/** Converts the end of a nested call to what the function gets. */
function outcomeOfCall(
  { status, output }: CallEnd,
  call: { readonly toolName: string; readonly toolCallId: string },
): Outcome {
  switch (output.type) {
    case 'text':
    case 'json':
    case 'content':
      return { value: output.value }
    case 'error':
      return failedCall(output.message, { ...call, status, code: output.code })
    case 'denied':
      return failedCall(output.reason ?? 'The call was denied.', { ...call, status })
    default:
      return output satisfies never
  }
}

function failedCall(message: string, details: JsonObject): Outcome {
  return { error: new OffstageError('call-failed', message, { details }) }
}

/** Stored value of a step that was begun and must not run again. */
const CUT_OFF: JsonValue = {
  error: {
    name: 'OffstageError',
    code: 'call-failed',
    message: 'The step was cut off: it may or may not have happened.',
    status: 'interrupted',
  },
}

/** Converts a step's result to what is stored. Throws if it can't be stored. */
function keptValue(value: unknown): JsonValue {
  const text = stringify(value)
  if (text === undefined) {
    if (value === undefined) return {}
    throw new TypeError(
      `A step returned a ${typeof value}, which can't be kept. Return plain data.`,
    )
  }
  if (text.length > MAX_CHARACTERS)
    throw new RangeError(`A step returned more than ${MAX_CHARACTERS} characters of JSON.`)
  return { value: JSON.parse(text) as JsonValue }
}

/** Converts what a step threw to what is stored. */
function keptError(thrown: unknown): JsonValue {
  const { name, code } = (thrown ?? {}) as {
    readonly name?: unknown
    readonly code?: unknown
  }
  return {
    error: {
      name: typeof name === 'string' ? name : 'Error',
      message: describeThrown(thrown),
      ...(typeof code === 'string' && { code }),
    },
  }
}

/** Restores a step's outcome from what is stored. */
function outcomeOfStep(kept: JsonValue): Outcome {
  const { value, error } = kept as { readonly value?: JsonValue; readonly error?: JsonObject }
  if (error === undefined) return { value }
  const { name, message, code, status } = error as { readonly [key: string]: unknown }
  const made = new Error(String(message))
  made.name = String(name)
  return {
    error: Object.assign(
      made,
      code !== undefined && { code },
      status !== undefined && { details: { status } },
    ),
  }
}

/**
 * Outcome of a call or step, and its place in the order in which all of them ended. The function gets outcomes in that
 * order.
 */
interface Place {
  readonly place: number
  readonly outcome: Outcome
}

/** Calls and steps of the earlier executions of a composite tool's function. */
class LivesBefore {
  readonly #calls = new Map<number, ReplayedCall>()
  readonly #kept = new Map<string, JsonValue>()
  readonly #places: ReadonlyMap<string, number>
  /** Requests of earlier executions by position, until this execution repeats them. */
  readonly #wishes = new Map<number, string>()

  constructor({ calls, steps, ended }: ReplayLog) {
    this.#places = new Map(ended.map((id, place) => [id, place]))
    for (const { key, value } of steps) {
      this.#kept.set(key, value)
      this.#wishes.set(positionOf(key), wishOf(key))
    }
    for (const call of calls) {
      this.#calls.set(call.position, call)
      this.#wishes.set(call.position, callWish(call.toolName, call.input))
    }
  }

  /**
   * False if an earlier execution requested something else at this position. Requests that were never stored may be
   * anything.
   */
  meets(position: number, wish: string): boolean {
    const expected = this.#wishes.get(position)
    this.#wishes.delete(position)
    return expected === undefined || expected === wish
  }

  /** Does the same for a call. Secrets in its input, stored as placeholders, may have any value. */
  meetsCall(position: number, toolName: string, input: JsonValue): boolean {
    const call = this.#calls.get(position)
    return this.meets(position, callWish(toolName, call ? sealedLike(call.input, input) : input))
  }

  /** The first position whose earlier request this execution didn't repeat; null if it repeated all. */
  get missed(): number | null {
    return this.#wishes.keys().next().value ?? null
  }

  /** Returns the outcome of a call; null if the call is still open, or new. */
  callAt(position: number): Place | null {
    const call = this.#calls.get(position)
    const place = call && this.#places.get(call.toolCallId)
    return call?.end && place !== undefined
      ? { place, outcome: outcomeOfCall(call.end, call) }
      : null
  }

  stepOf(key: string): Place | null {
    const kept = this.#kept.get(key)
    const place = this.#places.get(key)
    return kept !== undefined && place !== undefined
      ? { place, outcome: outcomeOfStep(kept) }
      : null
  }

  kept(key: string): JsonValue | undefined {
    return this.#kept.get(key)
  }
}

function callWish(toolName: string, input: JsonValue): string {
  return `call:${toolName}:${canonicalJson(input)}`
}

function stepWish(name: string): string {
  return `step:${name}`
}

/** Returns the request behind the key of a stored value. */
function wishOf(key: string): string {
  return key.replace(/^\d+(?:!begun)?:/, 'step:').replace(/^\d+!/, '')
}

interface WorkflowHost {
  /** Resolves to null, or rejects, if nobody answers any more, or the call has to wait. */
  callTool(call: {
    readonly position: number
    readonly toolName: string
    readonly input: JsonValue
  }): Promise<NestedAnswer>
  keep(kept: readonly KeptOutcome[]): Promise<{ readonly place: number } | null>
  /** Called with true when the first call starts, and with false when no call runs any more. */
  hold(isHeld: boolean): void
  /** True if an error may be due to the page being left, which breaks off requests. */
  mayHaveBroken(): Promise<boolean>
}

/** How an execution of the function ends. */
type Closing =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly thrown: unknown }
  /** `seen`: number of delivered outcomes. -1: the function is to run again in any case. */
  | { readonly type: 'suspended'; readonly seen: number }
  /** The function requested something else than before. */
  | { readonly type: 'changed'; readonly position: number }

/** A call or step that the function waits for. */
interface Request {
  /** Null while it runs, and if it is paused. */
  known: Place | null
  isSuspended: boolean
  deliver(outcome: Outcome): void
}

/**
 * An execution of a composite tool's function. Each request gets a position. Stored outcomes are delivered one after
 * the other, in their original order, so that a function without other inputs takes the same course each time. The
 * function is suspended when nothing runs any more and it waits for something that can't come in this execution.
 */
class Workflow {
  readonly closed: Promise<Closing>
  readonly #host: WorkflowHost
  readonly #before: LivesBefore
  readonly #requests = new Set<Request>()
  readonly #suspended = new AbortController()
  #close: (closing: Closing) => void = () => undefined
  #position = 0
  /** Number of delivered outcomes. */
  #seen = 0
  #underWay = 0
  #callsUnderWay = 0
  /** Values that were taken and not yet sent to be stored. */
  #marks: KeptOutcome[] = []
  /** False if values sent earlier were not stored. */
  #areKept: Promise<boolean> = Promise.resolve(true)
  #isDelivering = false
  #isClosed = false
  #isInStep = false
  #isLeaving = false
  /** A request may never have arrived. */
  #isLost = false
  #changedAt: number | null = null
  #end: Extract<Closing, { type: 'returned' | 'threw' }> | null = null

  constructor(remembered: ReplayLog, host: WorkflowHost) {
    this.#before = new LivesBefore(remembered)
    this.#host = host
    this.closed = new Promise((resolve) => {
      this.#close = resolve
    })
  }

  /** Aborted when the function is suspended. */
  get signal(): AbortSignal {
    return this.#suspended.signal
  }

  returned(value: unknown): void {
    this.#ends({ type: 'returned', value })
  }

  threw(thrown: unknown): void {
    this.#ends({ type: 'threw', thrown })
  }

  /** Starts and delivers nothing more. */
  stop(): void {
    this.#isClosed = true
  }

  /** Starts nothing more. The function is suspended once everything that runs has ended. */
  leave(): Promise<Closing> {
    this.#isLeaving = true
    void this.#deliver()
    return this.closed
  }

  call(toolName: string, input: JsonValue): Promise<unknown> {
    const position = this.#next()
    const meets = (): boolean => this.#before.meetsCall(position, toolName, input)
    if (!this.#isAsExpected(position, meets)) return new Promise(() => undefined)
    const known = this.#before.callAt(position)
    return known
      ? this.#request(known)
      : this.#request(null, () => this.#callTool({ position, toolName, input }))
  }

  step(name: string, work: () => unknown, options: StepOptions): Promise<unknown> {
    const position = this.#next()
    const meets = (): boolean => this.#before.meets(position, stepWish(name))
    if (!this.#isAsExpected(position, meets)) return new Promise(() => undefined)
    const key = outcomeKey(position, name)
    const known = this.#before.stepOf(key)
    if (known) return this.#request(known)
    const begun = options.atMostOnce ? markKey(position, `begun:${name}`) : null
    return this.#request(null, () => this.#perform(key, begun, work))
  }

  take(mark: 'now' | 'random', make: () => number): number {
    const position = this.#next()
    const key = markKey(position, mark)
    const meets = (): boolean => this.#before.meets(position, mark)
    const known = this.#isAsExpected(position, meets) ? this.#before.kept(key) : undefined
    if (typeof known === 'number') return known
    const value = make()
    this.#marks.push({ key, value })
    return value
  }

  #next(): number {
    if (this.#isInStep) throw badInput("A step can't make calls or run other steps.")
    return ++this.#position
  }

  /** Whether the request equals the earlier one at this position. False once the function is over. */
  #isAsExpected(position: number, meets: () => boolean): boolean {
    if (this.#isOver) return false
    if (meets()) return true
    this.#changedAt = position
    void this.#deliver()
    return false
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#isLeaving || this.#changedAt !== null
  }

  #request(known: Place | null, ask?: () => Promise<Place | null>): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const deliver = (outcome: Outcome): void =>
        'error' in outcome ? reject(outcome.error) : resolve(outcome.value)
      const request: Request = { known, isSuspended: false, deliver }
      this.#requests.add(request)
      if (ask) void this.#answer(request, ask)
      void this.#deliver()
    })
  }

  async #answer(request: Request, ask: () => Promise<Place | null>): Promise<void> {
    this.#underWay += 1
    try {
      request.known = await ask()
    } catch {
      // The worker, the agent or the run is gone. The new owner runs the function again.
      this.#isLost = true
    }
    request.isSuspended = request.known === null
    this.#underWay -= 1
    void this.#deliver()
  }

  async #callTool(call: Parameters<WorkflowHost['callTool']>[0]): Promise<Place | null> {
    if (!(await this.#keepMarks()) || this.#isOver) return null
    this.#callsUnderWay += 1
    if (this.#callsUnderWay === 1) this.#host.hold(true)
    try {
      const answer = await this.#host.callTool(call)
      if (answer === null) return null
      const { toolCallId, place } = answer
      return { place, outcome: outcomeOfCall(answer, { toolName: call.toolName, toolCallId }) }
    } finally {
      this.#callsUnderWay -= 1
      if (this.#callsUnderWay === 0 && !this.#isClosed) this.#host.hold(false)
    }
  }

  async #perform(key: string, begun: string | null, work: () => unknown): Promise<Place | null> {
    const wasCutOff = begun !== null && this.#before.kept(begun) !== undefined
    if (begun !== null && !wasCutOff) this.#marks.push({ key: begun, value: true })
    if (!(await this.#keepMarks()) || this.#isOver) return null
    const value = wasCutOff ? CUT_OFF : await this.#valueOf(work)
    const answer = value === null ? null : await this.#host.keep([{ key, value }])
    return answer && value !== null ? { ...answer, outcome: outcomeOfStep(value) } : null
  }

  /** Runs a step. Null if nobody can say what became of it. */
  async #valueOf(work: () => unknown): Promise<JsonValue | null> {
    try {
      this.#isInStep = true
      let result
      try {
        result = work()
      } finally {
        this.#isInStep = false
      }
      return keptValue(await result)
    } catch (thrown) {
      return (await this.#host.mayHaveBroken()) ? null : keptError(thrown)
    }
  }

  /** Stores the values taken so far, before anything is done with them. */
  #keepMarks(): Promise<boolean> {
    const marks = this.#marks
    if (marks.length > 0) {
      this.#marks = []
      const before = this.#areKept
      this.#areKept = (async () => (await before) && (await this.#host.keep(marks)) !== null)()
    }
    return this.#areKept
  }

  #ends(end: Extract<Closing, { type: 'returned' | 'threw' }>): void {
    this.#end = end
    void this.#deliver()
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivering) return
    this.#isDelivering = true
    for (;;) {
      // The function reacts to the previous outcome first.
      await yieldToEventLoop()
      if (this.#isClosed) return
      const next = this.#isOver ? undefined : this.#nextRequest()
      if (!next?.known) break
      this.#requests.delete(next)
      this.#seen += 1
      next.deliver(next.known.outcome)
    }
    this.#isDelivering = false
    this.#rest()
  }

  #nextRequest(): Request | undefined {
    return [...this.#requests].find(({ known }) => known?.place === this.#seen)
  }

  /** Closes the execution if nothing more can happen. */
  #rest(): void {
    if (this.#underWay > 0) return
    const isSuspended = [...this.#requests].some((request) => request.isSuspended)
    if (this.#changedAt !== null) this.#closeBy({ type: 'changed', position: this.#changedAt })
    else if (this.#isLost || this.#isLeaving) this.#closeBy({ type: 'suspended', seen: -1 })
    else if (isSuspended) this.#closeBy({ type: 'suspended', seen: this.#seen })
    else if (this.#end) this.#closeBy(this.#leftOut(this.#end))
  }

  /** Ends as `changed` if the function didn't repeat an earlier request, or left a request open. */
  #leftOut(end: Closing): Closing {
    const position = this.#before.missed
    if (position !== null) return { type: 'changed', position }
    return this.#requests.size > 0 ? { type: 'changed', position: this.#position } : end
  }

  #closeBy(closing: Closing): void {
    this.#isClosed = true
    this.#close(closing)
    if (closing.type === 'suspended')
      this.#suspended.abort(new OffstageError('aborted', 'The tool is suspended.'))
  }
}

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
  const { runId, conversationId, executionId, replayLog } = call
  const of = { runId, conversationId, executionId }
  return new Workflow(replayLog ?? { calls: [], steps: [], ended: [] }, {
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
  if (!isJson(input)) throw badInput('The input of a call must be plain data, as JSON has it.')
  return JSON.parse(JSON.stringify(input)) as JsonValue
}
