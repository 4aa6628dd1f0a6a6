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
  /** Null, or rejected: nobody answers that any more, or somebody else has to say something first. */
  callTool(call: {
    readonly position: number
    readonly toolName: string
    readonly input: JsonValue
  }): Promise<NestedAnswer>
  keep(kept: readonly KeptOutcome[]): Promise<{ readonly place: number } | null>
  /** Calls of the function are under way, or not any more. */
  hold(isHeld: boolean): void
  /** What failed may have been broken off, because the page is being left. */
  mayHaveBroken(): Promise<boolean>
}

/** How a life of the function ends. */
export type Closing =
  | { readonly type: 'returned'; readonly value: unknown }
  | { readonly type: 'threw'; readonly thrown: unknown }
  /** `seen`: how much was delivered; -1: it is to be run again, whatever comes. */
  | { readonly type: 'suspended'; readonly seen: number }
  /** It asks for something else than it did before. */
  | { readonly type: 'changed'; readonly position: number }

/** What the function waits for. */
interface Request {
  /** Null as long as it is under way, and when it is parked. */
  known: Place | null
  isParked: boolean
  deliver(outcome: Outcome): void
}

/**
 * One life of a composite tool's function. What it asks for gets a position as it asks; what was remembered is
 * delivered in the order in which it came about, one thing after the other, so that a function that goes by
 * nothing else takes the same course each time. It is suspended when nothing is under way any more and it waits
 * for something that can't come in this life.
 */
export class Workflow {
  readonly closed: Promise<Closing>
  readonly #host: WorkflowHost
  readonly #before: LivesBefore
  readonly #requests = new Set<Request>()
  readonly #suspended = new AbortController()
  #close: (closing: Closing) => void = () => undefined
  #position = 0
  /** How much of what came about was delivered. */
  #seen = 0
  #underWay = 0
  #callsUnderWay = 0
  /** Taken, and not sent yet. */
  #marks: KeptOutcome[] = []
  /** False: what was sent of them is not stored. */
  #areKept: Promise<boolean> = Promise.resolve(true)
  #isDelivering = false
  #isClosed = false
  #isInStep = false
  #isLeaving = false
  /** What was asked for may never have arrived. */
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

  /** Nothing more is done or delivered. */
  stop(): void {
    this.#isClosed = true
  }

  /** Nothing more is begun: it is suspended as soon as what is under way has come to its end. */
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

  /** Whether something else was asked for at this position before. Nothing is, once the function is over. */
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
      // The worker, the agent or the run is gone: who goes on runs the function again.
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

  /** Null: nobody can say what it came to. */
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

  /** What was taken is stored before anything is done with it. */
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
      // What the function does with what it got before comes first.
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

  /** Closes what comes on no more. */
  #rest(): void {
    if (this.#underWay > 0) return
    const isParked = [...this.#requests].some((request) => request.isParked)
    if (this.#changedAt !== null) this.#closeBy({ type: 'changed', position: this.#changedAt })
    else if (this.#isLost || this.#isLeaving) this.#closeBy({ type: 'suspended', seen: -1 })
    else if (isParked) this.#closeBy({ type: 'suspended', seen: this.#seen })
    else if (this.#end) this.#closeBy(this.#leftOut(this.#end))
  }

  /** What it asked for before, and didn't now, is not passed over. */
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
