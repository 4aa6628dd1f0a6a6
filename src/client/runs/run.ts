import type { SendMessage } from '../../protocol/worker-calls.ts'
import type { ErrorData } from '../../protocol/error.ts'
import type { RunEvent, RunEventBody } from '../../protocol/event.ts'
import type { UserMessage } from '../../protocol/message.ts'
import { isUnfinished, PARENT_ENDED, type RunOutcome, type RunResult } from '../../protocol/run.ts'
import type { PromptValues, RunInput } from '../api/options.ts'
import type { RunRef } from '../../protocol/conversation.ts'
import { abortReasonText } from '../api/failures.ts'

/** A list that grows. Every iterator starts at the first item, ends when the list is closed, and never throws. */
class GrowingList<Item> {
  readonly items: Item[] = []
  /** Items below this index have been read. */
  readTo = 0
  isClosed = false
  #wake = (): void => undefined
  #changed = this.#nextChange()

  close(isClosed = true): void {
    this.isClosed = isClosed
    this.notify()
  }

  notify(): void {
    this.#wake()
    this.#changed = this.#nextChange()
  }

  readonly iterate = (): AsyncIterator<Item, undefined> => {
    let index = 0
    let isDetached = false
    return {
      next: async () => {
        while (!isDetached) {
          const value = this.items[index]
          if (value) {
            this.readTo = Math.max(this.readTo, ++index)
            return { value, done: false }
          }
          if (this.isClosed) break
          await this.#changed
        }
        return { value: undefined, done: true }
      },
      return: () => {
        isDetached = true
        this.notify()
        return Promise.resolve({ value: undefined, done: true })
      },
    }
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => (this.#wake = resolve))
  }
}

/**
 * Adds events of a run. Adjacent unread deltas of one part are merged, so an unread run keeps one event per part.
 * Events that were read don't change any more.
 */
function appendEvents(
  log: GrowingList<RunEvent>,
  ref: RunRef,
  bodies: readonly RunEventBody[],
): void {
  const { items } = log
  for (const body of bodies) {
    const last = items.at(-1)
    const merged = last && last.seq >= log.readTo && mergeDeltas(last, body)
    const event = { ...body, ...ref, seq: merged ? merged.seq : items.length }
    items[event.seq] = merged || event
  }
  log.notify()
}

function mergeDeltas(last: RunEvent, next: RunEventBody): RunEvent | false {
  switch (next.type) {
    case 'text-delta':
    case 'reasoning-delta':
      return (
        last.type === next.type &&
        last.partId === next.partId && { ...last, delta: last.delta + next.delta }
      )
    case 'tool-input-delta':
      return (
        last.type === next.type &&
        last.toolCallId === next.toolCallId && { ...last, delta: last.delta + next.delta }
      )
    default:
      return false
  }
}

/** Handles of a run's child runs. */
class RunChildren {
  readonly #list = new GrowingList<Run>()
  readonly #load: () => Promise<readonly Run[]>
  #isLoading = false
  #hasLoaded = false
  #isOver = false

  /**
   * `ended` resolves when the parent run has ended and no more child runs can start. `load` reads the child runs that
   * ended before this page had the run. The first iterator calls it, once.
   */
  constructor(ended: Promise<unknown>, load: () => Promise<readonly Run[]>) {
    this.#load = load
    void ended.then(() => {
      this.#isOver = true
      this.#change()
    })
  }

  add(run: Run): void {
    if (this.#list.items.some(({ runId }) => runId === run.runId)) return
    this.#list.items.push(run)
    this.#list.notify()
  }

  /** Aborts the child runs, because their parent is ending. */
  stop(): void {
    for (const run of this.#list.items) run.abort(PARENT_ENDED)
  }

  readonly iterate = (): AsyncIterator<Run, undefined> => {
    void this.#loadOnce()
    return this.#list.iterate()
  }

  async #loadOnce(): Promise<void> {
    if (this.#hasLoaded) return
    this.#hasLoaded = this.#isLoading = true
    this.#change()
    const runs = await this.#load().catch(() => [])
    this.#isLoading = false
    for (const run of runs) this.add(run)
    this.#change()
  }

  #change(): void {
    this.#list.close(this.#isOver && !this.#isLoading)
  }
}

type Delivery = Extract<RunEventBody, { readonly type: 'message-delivered' }>

interface OpenMessage {
  readonly message: UserMessage
  readonly resolve: (outcome: SentOutcome) => void
  /** Whether the message is stored. Undefined: the worker hasn't answered. */
  isQueued?: boolean
}

/** Messages sent to a run, until their outcome is known. */
class SentMessages {
  readonly #open = new Map<string, OpenMessage>()
  readonly #nextRun: (runId: string) => Run
  /** Decides a message's outcome after its handle has ended. */
  #decideAfterEnd: ((messageId: string) => Promise<void>) | undefined

  constructor(nextRun: (runId: string) => Run) {
    this.#nextRun = nextRun
  }

  add(messageId: string, message: UserMessage): Promise<SentOutcome> {
    return new Promise((resolve) => this.#open.set(messageId, { message, resolve }))
  }

  isOpen(messageId: string): boolean {
    return this.#open.has(messageId)
  }

  onEvent(body: RunEventBody): void {
    if (body.type === 'message-queued') this.markQueued(body.message.id)
    else if (body.type === 'message-delivered') this.#delivered(body)
    else if (body.type === 'run-snapshot')
      for (const { id = '' } of body.messages) this.#delivered({ messageId: id })
    else if (body.type === 'message-withdrawn')
      this.#decide(body.messageId, { status: 'withdrawn' })
    else if (body.type === 'message-returned' && body.message.id !== undefined)
      this.return(body.message.id)
  }

  markQueued(messageId: string | undefined): void {
    const open = messageId !== undefined && this.#open.get(messageId)
    if (open) open.isQueued = true
  }

  return(messageId: string, error?: ErrorData): void {
    const message = this.#open.get(messageId)?.message
    if (message) this.#decide(messageId, { status: 'returned', message, ...(error && { error }) })
  }

  /**
   * Call this when the worker has answered whether it queues the message. While the handle is open, the run's events
   * decide the outcome.
   */
  onAnswered(messageId: string): void {
    const open = this.#open.get(messageId)
    if (open) open.isQueued ??= false
    void this.#decideAfterEnd?.(messageId)
  }

  /**
   * Call this when the handle has ended. `isStored`: whether a message is in the conversation. Default: no message is.
   */
  onEnd(outcome: RunOutcome, isStored?: (messageId: string) => Promise<boolean>): void {
    // True if the run continues without this page.
    const isLeft = isUnfinished(outcome)
    this.#decideAfterEnd = async (id) => {
      const isKept = isLeft ? this.#open.get(id)?.isQueued : await isStored?.(id).catch(() => false)
      if (isKept) this.#decide(id, { status: isLeft ? 'left' : 'delivered' })
      else this.return(id)
    }
    for (const [id, { isQueued }] of this.#open)
      if (!isLeft || isQueued !== undefined) void this.#decideAfterEnd(id)
  }

  #delivered({ messageId, nextRunId }: Pick<Delivery, 'messageId' | 'nextRunId'>): void {
    const run = nextRunId === undefined ? undefined : this.#nextRun(nextRunId)
    this.#decide(messageId, { status: 'delivered', ...(run && { run }) })
  }

  #decide(messageId: string, outcome: SentOutcome): void {
    this.#open.get(messageId)?.resolve(outcome)
    this.#open.delete(messageId)
  }
}

/** How long the handle waits for a worker to confirm an abort before it ends by itself. Milliseconds. */
const ABORT_GRACE_MS = 60

const EMPTY_RESULT = {
  text: '',
  toolCalls: [],
  steps: 0,
  usage: { modelCalls: 0 },
  finishReason: 'other',
} as const

export interface RunHandle {
  readonly run: Run
  readonly events: readonly RunEvent[]
  readonly children: RunChildren
  /** Handle of the run that began when this run ended. */
  readonly next: RunHandle | null
  /** Set once an abort was requested. */
  readonly abortReason: string | undefined
  push(bodies: readonly RunEventBody[]): void
  /** Ends the handle with the events received so far. Does nothing if it has already ended. */
  end(outcome: RunOutcome): void
}

interface RunObserver {
  /** Returns the result so far. Undefined if nothing was sent to a worker yet. */
  resultOf(outcome: RunOutcome): RunResult | undefined
  onAbort(reason: string): void
  /** Makes a message from the input, and queues it. */
  onSend(input: RunInput, options: SendOptions, sent: SentMessages): SentMessage
  /** Returns the handle of the run that began when this run ended. */
  onNext(runId: string): RunHandle
  /** Returns the handles of child runs that have ended. */
  endedChildren(): Promise<readonly Run[]>
  /** Whether the stored conversation has this message. */
  isStored(messageId: string): Promise<boolean>
  onEnd(): void
  /** Called when the run ended here without a notice from the worker. */
  onLeft(outcome: RunOutcome): void
}

export function createRunHandle(ref: RunRef, observer: RunObserver): RunHandle {
  const log = new GrowingList<RunEvent>()
  const sent = new SentMessages((runId) => observer.onNext(runId).run)
  let next: RunHandle | null = null
  let hasEnded = false
  let isEndedHere = false
  let abortReason: string | undefined
  let resolveResult: (result: RunResult) => void
  const result = new Promise<RunResult>((resolve) => (resolveResult = resolve))
  const children = new RunChildren(result, () => observer.endedChildren())

  const push = (bodies: readonly RunEventBody[]): void => {
    if (hasEnded) return
    const { events, end } = cutAtEnd(bodies)
    appendEvents(log, ref, events)
    for (const body of events) sent.onEvent(body)
    if (end === null) return
    hasEnded = true
    next = isEndedHere ? null : nextOf(end, observer)
    sent.onEnd(end, isEndedHere ? observer.isStored : undefined)
    log.close()
    resolveResult(end)
    observer.onEnd()
  }
  const end = (outcome: RunOutcome): void => {
    if (hasEnded) return
    const result = observer.resultOf(outcome) ?? { ...EMPTY_RESULT, ...ref, ...outcome }
    // The page doesn't know what the worker has stored meanwhile.
    isEndedHere = true
    push([{ type: 'run-end', result }])
    observer.onLeft(outcome)
  }

  return {
    run: {
      ...ref,
      result,
      send: (input, options = {}) => observer.onSend(input, options, sent),
      abort(reason?: unknown) {
        if (hasEnded || abortReason !== undefined) return
        abortReason = abortReasonText(reason)
        observer.onAbort(abortReason)
        setTimeout(end, ABORT_GRACE_MS, { outcome: 'aborted', reason: abortReason })
      },
      children: { [Symbol.asyncIterator]: children.iterate },
      [Symbol.asyncIterator]: log.iterate,
    },
    children,
    events: log.items,
    get abortReason() {
      return abortReason
    },
    get next() {
      return next
    },
    push,
    end,
  }
}

interface EventsToEnd {
  readonly events: readonly RunEventBody[]
  readonly end: RunResult | null
}

/** Drops everything after the run's end. */
function cutAtEnd(bodies: readonly RunEventBody[]): EventsToEnd {
  for (const [index, body] of bodies.entries())
    if (body.type === 'run-end') return { events: bodies.slice(0, index + 1), end: body.result }
  return { events: bodies, end: null }
}

function nextOf({ nextRunId }: RunResult, { onNext }: RunObserver): RunHandle | null {
  return nextRunId === undefined ? null : onNext(nextRunId)
}

/** Outcome of a message sent to an open run. */
export type SentOutcome =
  /**
   * The message is in the conversation, and in the model's next request. `run`: the new run, if the message began one.
   */
  | { readonly status: 'delivered'; readonly run?: Run }
  /** `cancel()` took the message back. */
  | { readonly status: 'withdrawn' }
  /**
   * The message is not in the conversation. The run ended without it, storing it failed (`error`), or the page left the
   * run before storage was confirmed.
   */
  | { readonly status: 'returned'; readonly message: UserMessage; readonly error?: ErrorData }
  /** The message is stored. The run continues without this page, now or later. */
  | { readonly status: 'left' }

export interface SendOptions {
  /** Default `next-step`. */
  readonly when?: SendMessage['when']
  /**
   * Makes the message a template, filled with these values and the agent's. Default false: the message is sent
   * verbatim.
   */
  readonly values?: PromptValues | false
}

/** Handle of a message sent to an open run: the return value of `run.send`. */
export interface SentMessage {
  readonly messageId: string
  /** Never rejects. */
  readonly outcome: Promise<SentOutcome>
  /** Withdraws the message. Resolves to false if it was delivered or returned before. */
  cancel(): Promise<boolean>
}

/**
 * Handle of a run on this page. Every iterator starts at the first event and never throws. Leaving a loop over the
 * events doesn't abort the run.
 */
export interface Run extends AsyncIterable<RunEvent> {
  /** Identifies the run in events, snapshots and stored rows. Known at once, and the same after a reload. */
  readonly runId: string
  /** Conversation of the run, known at once even if the run creates it. Pass it to `agent.conversation()`. */
  readonly conversationId: string
  /** Resolves to the outcome, whatever happens in the run. Never rejects. */
  readonly result: Promise<RunResult>
  /**
   * Sends a message to the open run. The message never answers a question or an approval. The option `when` decides
   * when the model reads it:
   *
   * - `next-step` (default): in the next step, after the results of this step's calls.
   * - `now`: in the next step, which begins at once. The output so far is kept. Calls that run or wait for a person are
   *   stopped.
   * - `after-run`: in a new run with the same limits, if this one ends as `completed` or `max-steps`. Several such
   *   messages begin one new run together.
   * - `soonest`: like `next-step` if the run has another step, otherwise like `after-run`.
   *
   * The returned `outcome` resolves to an object with a `status`. `delivered`: the model gets the message; if it began
   * a new run, that is `run`. `returned`: the run ended without the message, so put it back into the text field.
   * `withdrawn`: `cancel()` took it back. `left`: it is stored, and the run continues without this page, so don't send
   * it again.
   *
   * Throws `invalid-input` for an empty message, or for a `{{name}}` that `values` lacks. Throws `invalid-config` for
   * unknown options.
   *
   * @example
   * const { outcome } = run.send(text, { when: 'now' })
   * if ((await outcome).status === 'returned') input.value = text
   */
  send(input: RunInput, options?: SendOptions): SentMessage
  /**
   * Child runs started by calls of this run (`asTool`), in the order in which this page got their handles. Includes
   * child runs from before a reload. Each has its own conversation, whose id is in `ShownCall.child`. Every iterator
   * starts at the first child run, never throws, and ends with this run.
   */
  readonly children: { [Symbol.asyncIterator](): AsyncIterator<Run, undefined> }
  /** Aborts the run. `result` resolves within 100 ms, whatever the worker does. */
  abort(reason?: string): void
  // TypeScript before 5.6 doesn't know the second type argument of `AsyncIterable`, so the method is declared here.
  [Symbol.asyncIterator](): AsyncIterator<RunEvent, undefined>
}
