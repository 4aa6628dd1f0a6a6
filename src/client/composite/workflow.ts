import {
  type KeptOutcome,
  markKey,
  type NestedAnswer,
  outcomeKey,
  type Remembered,
} from '../../protocol/composite.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { nextTurn } from '../../lib/next-turn.ts'
import type { StepOptions } from '../tool.ts'
import { LivesBefore, type Place, stepWish } from './lives-before.ts'
import {
  CUT_OFF,
  keptError,
  keptValue,
  type Outcome,
  outcomeOfCall,
  outcomeOfStep,
} from './outcomes.ts'

export interface WorkflowHost {
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
export type Closing =
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
  isParked: boolean
  deliver(outcome: Outcome): void
}

/**
 * An execution of a composite tool's function. Each request gets a position. Stored outcomes are delivered one after
 * the other, in their original order, so that a function without other inputs takes the same course each time. The
 * function is suspended when nothing runs any more and it waits for something that can't come in this execution.
 */
export class Workflow {
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

  constructor(remembered: Remembered, host: WorkflowHost) {
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
    if (this.#isInStep)
      throw new OffstageError(
        'invalid-input',
        'A step can ask for nothing that is remembered itself.',
      )
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
      const request: Request = { known, isParked: false, deliver }
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
    request.isParked = request.known === null
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
      await nextTurn()
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
    const isParked = [...this.#requests].some((request) => request.isParked)
    if (this.#changedAt !== null) this.#closeBy({ type: 'changed', position: this.#changedAt })
    else if (this.#isLost || this.#isLeaving) this.#closeBy({ type: 'suspended', seen: -1 })
    else if (isParked) this.#closeBy({ type: 'suspended', seen: this.#seen })
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
