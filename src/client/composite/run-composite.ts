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
import type { PageLeaving } from '../page-life/page-leaving.ts'
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

/** Outcome of a call or step, as the function gets it. */
type Outcome = { readonly value: unknown } | { readonly error: Error }

/** Limit for the JSON of a step's result. */
const MAX_CHARACTERS = 1_000_000

/** Converts the end of a nested call to its outcome for the function. */
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

/** Stored value of an `atMostOnce` step that began in an earlier execution and must not run again. */
const CUT_OFF: JsonValue = {
  error: {
    name: 'OffstageError',
    code: 'call-failed',
    message: 'The step was cut off: it may or may not have happened.',
    status: 'interrupted',
  },
}

/** Converts a step's result to its stored form. Throws if the result can't be stored. */
function toStoredValue(value: unknown): JsonValue {
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

/** Converts a step's error to its stored form. */
function toStoredError(thrown: unknown): JsonValue {
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

/** Restores a step's outcome from its stored form. */
function outcomeOfStep(stored: JsonValue): Outcome {
  const { value, error } = stored as { readonly value?: JsonValue; readonly error?: JsonObject }
  if (error === undefined) return { value }
  const { name, message, code, status } = error as { readonly [key: string]: unknown }
  const restored = new Error(String(message))
  restored.name = String(name)
  return {
    error: Object.assign(
      restored,
      code !== undefined && { code },
      status !== undefined && { details: { status } },
    ),
  }
}

/**
 * Outcome of a call or step. `place`: its index in the order in which calls and steps ended. The function gets outcomes
 * in that order.
 */
interface OrderedOutcome {
  readonly place: number
  readonly outcome: Outcome
}

/** Calls and steps of the earlier executions of a composite tool's function. */
class EarlierExecutions {
  readonly #calls = new Map<number, ReplayedCall>()
  readonly #stored = new Map<string, JsonValue>()
  readonly #places: ReadonlyMap<string, number>
  /** Signatures of earlier requests by position. Each is removed when this execution repeats the request. */
  readonly #signatures = new Map<number, string>()

  constructor({ calls, steps, ended }: ReplayLog) {
    this.#places = new Map(ended.map((id, place) => [id, place]))
    for (const { key, value } of steps) {
      this.#stored.set(key, value)
      this.#signatures.set(positionOf(key), signatureOf(key))
    }
    for (const call of calls) {
      this.#calls.set(call.position, call)
      this.#signatures.set(call.position, callSignature(call.toolName, call.input))
    }
  }

  /** False if an earlier execution stored another request at this position. If none was stored, any request matches. */
  matches(position: number, signature: string): boolean {
    const expected = this.#signatures.get(position)
    this.#signatures.delete(position)
    return expected === undefined || expected === signature
  }

  /** Like `matches`, for a call. Secrets in the input are stored as placeholders, which match any value. */
  matchesCall(position: number, toolName: string, input: JsonValue): boolean {
    const call = this.#calls.get(position)
    return this.matches(
      position,
      callSignature(toolName, call ? sealedLike(call.input, input) : input),
    )
  }

  /** The first position whose earlier request this execution didn't repeat; null if it repeated all. */
  get unrepeated(): number | null {
    return this.#signatures.keys().next().value ?? null
  }

  /** Returns the outcome of a call. Null if the call is new or still open. */
  callAt(position: number): OrderedOutcome | null {
    const call = this.#calls.get(position)
    const place = call && this.#places.get(call.toolCallId)
    return call?.end && place !== undefined
      ? { place, outcome: outcomeOfCall(call.end, call) }
      : null
  }

  stepAt(key: string): OrderedOutcome | null {
    const stored = this.#stored.get(key)
    const place = this.#places.get(key)
    return stored !== undefined && place !== undefined
      ? { place, outcome: outcomeOfStep(stored) }
      : null
  }

  stored(key: string): JsonValue | undefined {
    return this.#stored.get(key)
  }
}

function callSignature(toolName: string, input: JsonValue): string {
  return `call:${toolName}:${canonicalJson(input)}`
}

function stepSignature(name: string): string {
  return `step:${name}`
}

/** Returns the signature of the request whose value is stored under this key. */
function signatureOf(key: string): string {
  return key.replace(/^\d+(?:!begun)?:/, 'step:').replace(/^\d+!/, '')
}

interface WorkflowHost {
  /**
   * Resolves to null if the call has to wait, for example for a person. Resolves to null or rejects if the worker, the
   * agent or the run is gone.
   */
  callTool(call: {
    readonly position: number
    readonly toolName: string
    readonly input: JsonValue
  }): Promise<NestedAnswer>
  store(kept: readonly KeptOutcome[]): Promise<{ readonly place: number } | null>
  /**
   * Pauses the tool's timeout while calls run: called with true when the first starts, with false when the last ends.
   */
  hold(isPaused: boolean): void
  readonly leaving: PageLeaving
}

/** How an execution of the function ends. */
type Closing =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly thrown: unknown }
  /** `seen`: number of delivered outcomes. -1: the function must run again even without a new outcome. */
  | { readonly type: 'suspended'; readonly seen: number }
  /** The function made another request than in an earlier execution. */
  | { readonly type: 'changed'; readonly position: number }

/** A call or step that the function waits for. */
interface PendingRequest {
  /** Null while the call or step runs, or is suspended. */
  ended: OrderedOutcome | null
  isSuspended: boolean
  deliver(outcome: Outcome): void
}

/**
 * An execution of a composite tool's function. Each request gets a position. Stored outcomes are delivered one after
 * the other, in their original order, so that a function without other inputs takes the same course each time. When
 * nothing runs any more and the function waits for an outcome that can't come in this execution, it is suspended.
 */
class Workflow {
  readonly closed: Promise<Closing>
  readonly #host: WorkflowHost
  readonly #earlier: EarlierExecutions
  readonly #requests = new Set<PendingRequest>()
  readonly #suspended = new AbortController()
  #close: (closing: Closing) => void = () => undefined
  #position = 0
  /** Number of delivered outcomes. */
  #delivered = 0
  #running = 0
  #runningCalls = 0
  /** Values of `now()`, `random()` and begun steps that weren't sent to the store yet. */
  #marks: KeptOutcome[] = []
  /** Resolves to false if values sent earlier were not stored. */
  #areStored: Promise<boolean> = Promise.resolve(true)
  #isDelivering = false
  #isClosed = false
  #isInStep = false
  #isLeaving = false
  /** True if a request may never have arrived. */
  #isLost = false
  #changedAt: number | null = null
  #end: Extract<Closing, { type: 'returned' | 'threw' }> | null = null

  constructor(replayLog: ReplayLog, host: WorkflowHost) {
    this.#earlier = new EarlierExecutions(replayLog)
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
    this.#finish({ type: 'returned', value })
  }

  threw(thrown: unknown): void {
    this.#finish({ type: 'threw', thrown })
  }

  /** Stops starting requests and delivering outcomes. */
  stop(): void {
    this.#isClosed = true
  }

  /** Stops starting requests. Once all running calls and steps have ended, the function is suspended. */
  leave(): Promise<Closing> {
    this.#isLeaving = true
    void this.#deliver()
    return this.closed
  }

  call(toolName: string, input: JsonValue): Promise<unknown> {
    const position = this.#next()
    const matches = (): boolean => this.#earlier.matchesCall(position, toolName, input)
    if (!this.#isAsExpected(position, matches)) return new Promise(() => undefined)
    const ended = this.#earlier.callAt(position)
    return ended
      ? this.#request(ended)
      : this.#request(null, () => this.#callTool({ position, toolName, input }))
  }

  step(name: string, work: () => unknown, options: StepOptions): Promise<unknown> {
    const position = this.#next()
    const matches = (): boolean => this.#earlier.matches(position, stepSignature(name))
    if (!this.#isAsExpected(position, matches)) return new Promise(() => undefined)
    const key = outcomeKey(position, name)
    const ended = this.#earlier.stepAt(key)
    if (ended) return this.#request(ended)
    const beginMark = options.atMostOnce ? markKey(position, `begun:${name}`) : null
    return this.#request(null, () => this.#perform(key, beginMark, work))
  }

  record(mark: 'now' | 'random', make: () => number): number {
    const position = this.#next()
    const key = markKey(position, mark)
    const matches = (): boolean => this.#earlier.matches(position, mark)
    const stored = this.#isAsExpected(position, matches) ? this.#earlier.stored(key) : undefined
    if (typeof stored === 'number') return stored
    const value = make()
    this.#marks.push({ key, value })
    return value
  }

  #next(): number {
    if (this.#isInStep) throw badInput("A step can't make calls or run other steps.")
    return ++this.#position
  }

  /** Whether the request equals the earlier one at this position. False if the execution is closed or closing. */
  #isAsExpected(position: number, matches: () => boolean): boolean {
    if (this.#isOver) return false
    if (matches()) return true
    this.#changedAt = position
    void this.#deliver()
    return false
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#isLeaving || this.#changedAt !== null
  }

  #request(
    ended: OrderedOutcome | null,
    execute?: () => Promise<OrderedOutcome | null>,
  ): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const deliver = (outcome: Outcome): void =>
        'error' in outcome ? reject(outcome.error) : resolve(outcome.value)
      const request: PendingRequest = { ended, isSuspended: false, deliver }
      this.#requests.add(request)
      if (execute) void this.#answer(request, execute)
      void this.#deliver()
    })
  }

  async #answer(
    request: PendingRequest,
    execute: () => Promise<OrderedOutcome | null>,
  ): Promise<void> {
    this.#running += 1
    try {
      request.ended = await execute()
    } catch {
      // The worker, the agent or the run is gone. The new owner runs the function again.
      this.#isLost = true
    }
    request.isSuspended = request.ended === null
    this.#running -= 1
    void this.#deliver()
  }

  async #callTool(call: Parameters<WorkflowHost['callTool']>[0]): Promise<OrderedOutcome | null> {
    if (!(await this.#storeMarks()) || this.#isOver) return null
    this.#runningCalls += 1
    if (this.#runningCalls === 1) this.#host.hold(true)
    try {
      const answer = await this.#host.callTool(call)
      if (answer === null) return null
      const { toolCallId, place } = answer
      return { place, outcome: outcomeOfCall(answer, { toolName: call.toolName, toolCallId }) }
    } finally {
      this.#runningCalls -= 1
      if (this.#runningCalls === 0 && !this.#isClosed) this.#host.hold(false)
    }
  }

  async #perform(
    key: string,
    beginMark: string | null,
    work: () => unknown,
  ): Promise<OrderedOutcome | null> {
    const wasCutOff = beginMark !== null && this.#earlier.stored(beginMark) !== undefined
    if (beginMark !== null && !wasCutOff) this.#marks.push({ key: beginMark, value: true })
    if (!(await this.#storeMarks()) || this.#isOver) return null
    const value = wasCutOff ? CUT_OFF : await this.#runStep(work)
    const answer = value === null ? null : await this.#host.store([{ key, value }])
    return answer && value !== null ? { ...answer, outcome: outcomeOfStep(value) } : null
  }

  /** Runs a step. Null if its outcome is unknown, because the page is being left. */
  async #runStep(work: () => unknown): Promise<JsonValue | null> {
    try {
      this.#isInStep = true
      let result
      try {
        result = work()
      } finally {
        this.#isInStep = false
      }
      return toStoredValue(await result)
    } catch (thrown) {
      return (await this.#host.leaving.mayBeCause()) ? null : toStoredError(thrown)
    }
  }

  /** Stores the recorded values before a call or step that may depend on them begins. */
  #storeMarks(): Promise<boolean> {
    const marks = this.#marks
    if (marks.length > 0) {
      this.#marks = []
      const previous = this.#areStored
      this.#areStored = (async () => (await previous) && (await this.#host.store(marks)) !== null)()
    }
    return this.#areStored
  }

  #finish(end: Extract<Closing, { type: 'returned' | 'threw' }>): void {
    this.#end = end
    void this.#deliver()
  }

  async #deliver(): Promise<void> {
    if (this.#isDelivering) return
    this.#isDelivering = true
    for (;;) {
      // Lets the function react to the previous outcome first.
      await yieldToEventLoop()
      if (this.#isClosed) return
      const next = this.#isOver ? undefined : this.#nextRequest()
      if (!next?.ended) break
      this.#requests.delete(next)
      this.#delivered += 1
      next.deliver(next.ended.outcome)
    }
    this.#isDelivering = false
    this.#closeIfIdle()
  }

  #nextRequest(): PendingRequest | undefined {
    return [...this.#requests].find(({ ended }) => ended?.place === this.#delivered)
  }

  /** Closes the execution if nothing more can happen. */
  #closeIfIdle(): void {
    if (this.#running > 0) return
    const isSuspended = [...this.#requests].some((request) => request.isSuspended)
    if (this.#changedAt !== null) this.#closeWith({ type: 'changed', position: this.#changedAt })
    else if (this.#isLost || this.#isLeaving) this.#closeWith({ type: 'suspended', seen: -1 })
    else if (isSuspended) this.#closeWith({ type: 'suspended', seen: this.#delivered })
    else if (this.#end) this.#closeWith(this.#closingFor(this.#end))
  }

  /** Ends as `changed` if the function didn't repeat an earlier request, or left a request open. */
  #closingFor(end: Closing): Closing {
    const position = this.#earlier.unrepeated
    if (position !== null) return { type: 'changed', position }
    return this.#requests.size > 0 ? { type: 'changed', position: this.#position } : end
  }

  #closeWith(closing: Closing): void {
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
      return { outcome: { status: 'interrupted', output: changedOutput(closing.position) } }
    default:
      return closing satisfies never
  }
}

function changedOutput(position: number): ReturnType<typeof errorOutput> {
  return errorOutput(
    'workflow-changed',
    `The tool made other calls or steps than before (at number ${position}), so it was stopped. Check what it did before you repeat it.`,
  )
}

function workflowOf({ call, line, hold, leaving }: ToolRun): Workflow {
  const { runId, conversationId, executionId, replayLog } = call
  const ids = { runId, conversationId, executionId }
  return new Workflow(replayLog ?? { calls: [], steps: [], ended: [] }, {
    callTool: async (nested) => (await line()?.callTool({ ...ids, ...nested })) ?? null,
    store: async (kept) => (await line()?.keepOutcomes({ ...ids, kept })) ?? null,
    hold,
    leaving,
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
      return (await workflow.call(toolName, copyJson(input))) as JsonValue
    },
    async step(name, work, options = {}) {
      return (await workflow.step(name, work, options)) as never
    },
    now: () => workflow.record('now', () => Date.now()),
    random: () => workflow.record('random', () => Math.random()),
  }
}

/** Copies the input as JSON, as it is stored. Throws `invalid-input` if it isn't plain data. */
function copyJson(input: unknown): JsonValue {
  if (!isJson(input)) throw badInput('The input of a call must be plain data, as JSON has it.')
  return JSON.parse(JSON.stringify(input)) as JsonValue
}
