import { OffstageError } from '../../protocol/error.ts'
import type { ConsentScope } from '../../protocol/fact.ts'
import { isPersonActing, pageActs } from '../../protocol/page-acts.ts'
import type { PendingCall } from '../../protocol/run.ts'
import type { QuestionAnswer } from '../../protocol/fields.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Run } from '../runs/run.ts'

/** Reference to a tool call: its id, or its id and conversation if several conversations may have that id. */
export type CallRef =
  | string
  | {
      readonly conversationId?: string | undefined
      readonly toolCallId: string
      /**
       * Input that the person was shown. An approval is refused if the call's input has changed since. Events and
       * pending calls include it.
       */
      readonly input?: JsonValue | undefined
    }

/** Outcome of a long-running call. `error`: a string for the model, or the thrown error. */
export type CallOutcome =
  | { readonly output: unknown; readonly error?: never }
  | { readonly error: unknown; readonly output?: never }

/** A person's consent to a call, given by a user gesture. Valid for one answer to that call, within two minutes. */
export interface PersonConsent {
  readonly toolCallId: string
  readonly conversationId?: string
}

/** Event of a user gesture: the browser's own, or React's. */
export type UserGestureEvent = (Pick<Event, 'isTrusted'> & Event) | { readonly nativeEvent: Event }

/** Options of every answer. */
export interface AnswerOptions {
  /**
   * Result of `consent()`. Default with `consent: 'person'`: the newest user gesture, valid for 5 seconds and one
   * answer.
   */
  readonly consent?: PersonConsent
}

/** Options of an approval: another input, and whether later calls need approval. */
export interface ApproveOptions extends AnswerOptions {
  /** New input that replaces the call's, and is checked in the same way. */
  readonly input?: JsonValue
  /**
   * Lets later calls of the tool run without approval: in this run, or in this conversation until
   * `conversation.revoke()`. Ends when the tool's definition changes. Rejects with `invalid-input` if every call needs
   * approval (no `rememberable` in the pending call).
   */
  readonly remember?: ConsentScope['within']
}

/** Answers to calls that wait for a person or the page. Rejections are `OffstageError`s. */
export interface CallAnswers {
  /**
   * Records that a person, and not a tool of `offstage/page-tools`, clicked your button. Not needed if your handler
   * calls `approve` or `answer` within 5 seconds of the click. Otherwise call `consent()` before the first `await`,
   * with the event (default: the newest user gesture), and pass the result as `consent`. The result is valid for one
   * decision on this call, within two minutes, until a page tool acts. Throws `consent-refused` without a user gesture.
   *
   * @example
   * button.onclick = async (event) => {
   *   const consent = agent.consent(call, event)
   *   if (await confirmed('Really?')) await agent.approve(call, { consent })
   * }
   */
  consent(call: CallRef, event?: UserGestureEvent): PersonConsent
  /**
   * Approves a waiting call, so that it runs. `input` in the options replaces the call's input. `remember: 'run'` or
   * `'conversation'` also approves later calls of the tool there, with any input. If the tool has a `consentKey`, they
   * need the same key. Resolves to false if the call was settled already. Rejects with:
   *
   * - `consent-refused`: a tool of `offstage/page-tools` may have clicked the button, or the call's input has changed
   *   since your page got the request. With `consent: 'person'` (default once an `<offstage-chat>` shows the agent),
   *   also if the last user gesture is older than 5 seconds or the request. If your click handler takes longer, see
   *   `consent()`.
   * - `invalid-input`: the new input doesn't fit, and the call still waits.
   *
   * The same checks apply to `answer`, `undo` and `resolveInterrupted(call, 'run-again')`. If you set `consent:
   * 'person'` in `createAgent()`, they also apply to `supplyOutput`, and to `settle` with an output.
   *
   * @example
   * approveButton.onclick = () => agent.approve(call) // a `tool-approval-request` event, or a pending call
   */
  approve(call: CallRef, options?: ApproveOptions): Promise<boolean>
  /**
   * Approves several calls, shown to a person together, by one user gesture. The gesture must be newer than each
   * request. Resolves to the number of approved calls. Rejects with the first failure once all answers are in.
   */
  approveAll(calls: readonly CallRef[]): Promise<number>
  /**
   * Denies a waiting call, so that it doesn't run. The model gets the reason, if given, and the run continues. Resolves
   * to false if the call was settled already. Needs no user gesture.
   */
  deny(call: CallRef, reason?: string): Promise<boolean>
  /**
   * Answers a question of the agent, such as one by `ask_user`. Pass a string. If the question has `fields`, pass
   * `{ action: 'accept', content }` instead. `{ action: 'decline' }` (the person refuses) and `{ action: 'cancel' }`
   * (the person closed the question) give the model a denied call. Resolves to false if the call was settled already.
   * Rejects with:
   *
   * - `invalid-input`: the content doesn't match `fields`. `details.fields` names each wrong field, and the question
   *   stays open.
   * - `consent-refused`: a page tool may have answered, or a required user gesture is missing (see `approve`).
   *   `decline` and `cancel` need no gesture.
   *
   * @example
   * for await (const event of run) {
   *   if (event.type === 'question') await agent.answer(event, await askPerson(event.question))
   * }
   */
  answer(call: CallRef, answer: string | QuestionAnswer, options?: AnswerOptions): Promise<boolean>
  /**
   * Supplies the output of a call that the page ran: in one-shot mode, or from an imported history. Resolves to the run
   * that continues if this was the last missing output, otherwise to null. Rejects with `conversation-busy` while a run
   * is open.
   */
  supplyOutput(call: CallRef, output: unknown, options?: AnswerOptions): Promise<Run | null>
  /**
   * Reports the outcome of a long-running call (`pending()`): an output for the model, or an error. Resolves to false
   * if the call was settled already, or doesn't wait for an outcome.
   */
  settle(call: CallRef, outcome: CallOutcome, options?: AnswerOptions): Promise<boolean>
  /** Reports whether an interrupted call happened, or runs it again. */
  resolveInterrupted(
    call: CallRef,
    verdict: 'happened' | 'did-not-happen' | 'run-again',
    ...more: [output?: unknown, options?: AnswerOptions]
  ): Promise<boolean>
}

/** Conversation of each pending call in a view. A server may use the same call id in several conversations. */
const conversationIds = new WeakMap<object, string>()

export function recordPendingCalls(conversationId: string, pending: readonly PendingCall[]): void {
  for (const call of pending) conversationIds.set(call, conversationId)
}

/** When this page learned that a call waits for an answer. */
export interface CallRequest {
  /** Value of `PageActs.turns` when the page first learned it. */
  readonly turns: number
  /** Time of the newest request, on the clock of `nowMs`. */
  readonly at: number
  /** Seq of the row that requests approval. */
  readonly seq?: number
}

type CallName = Exclude<CallRef, string>

/** Entry for a call that this page doesn't know: treated as waiting since the page loaded. */
export const UNKNOWN_REQUEST: CallRequest = { turns: 0, at: 0 }

/** Copies the reference to a call. A caller may pass an event, a pending call, or nothing at all. */
export function toCallRef(call: CallRef): CallName {
  // An invalid reference has no id, and is refused later, where the id is checked.
  const ref = typeof call === 'string' ? { toolCallId: call } : (call ?? ({} as CallName))
  const { conversationId = conversationIds.get(ref), toolCallId, input } = ref
  return { toolCallId, input, conversationId }
}

/** Milliseconds on a clock that all frames share, and that changes of the system time don't affect. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

/** `'page'`: an answer needs no user gesture, unless page tools have acted. */
export type ConsentMode = 'person' | 'page'

/** Seq of the row that requested the answer. Undefined if this page doesn't know it. */
export type RequestSeq = number | undefined

/** Makes a gesture or consent usable again, because its answer was refused as invalid. */
export type Restore = () => void

/** A person's approval or answer, used for one call. */
export interface ConsumedConsent {
  readonly requestSeq: RequestSeq
  readonly restore: Restore
}

/** Watches user gestures. Methods return null for a missing gesture, or an invalid consent. */
export interface GestureGuard {
  /** Adds listeners to all frames, including new ones. */
  observe(): void
  /** Uses up the newest gesture made since that time. */
  consume(since: number): Restore | null
  grant(call: CallRef, request: CallRequest, event?: UserGestureEvent): PersonConsent | null
  use(consent: PersonConsent, call: CallRef, request: CallRequest): Restore | null
}

/** Holds the guard's constructor once `user-gestures.ts` has been loaded. */
export const guards: { create?: (signal: AbortSignal) => GestureGuard } = {}

const NO_RESTORE: Restore = () => undefined

/**
 * Keeps a model from answering for a person: page tools could press the page's own buttons. With `'person'`, each
 * answer needs a user gesture. With `'page'`, answers are refused while page tools act. If they have acted since the
 * request, a person must act first.
 *
 * The guard is loaded when a person may have to answer. Until it is loaded, no event counts as a user gesture.
 */
export class PersonCheck {
  /** Finds when the page learned of a call. Set once the agent has a worker. */
  find: (call: CallRef) => CallRequest = () => UNKNOWN_REQUEST
  readonly #mode: ConsentMode | undefined
  readonly #signal: AbortSignal
  readonly #load: () => Promise<unknown>
  #guard: GestureGuard | undefined
  #needsGesture = false

  constructor(mode: ConsentMode | undefined, signal: AbortSignal, load: () => Promise<unknown>) {
    this.#mode = mode
    this.#signal = signal
    this.#load = load
    if (mode === 'person') this.requirePerson()
  }

  /** Makes answers need a user gesture from now on, unless the app chose `'page'`. */
  requirePerson(): void {
    if (this.#mode === 'page') return
    this.#needsGesture = true
    this.watch()
  }

  /** Loads the guard before an answer may come. If answers need a gesture, watches all frames, including new ones. */
  watch(): void {
    const guard = this.#getGuard()
    if (this.#needsGesture) guard?.observe()
  }

  /** See `CallAnswers`. */
  createConsent(call: CallRef, event?: UserGestureEvent): PersonConsent {
    return this.#getGuard()?.grant(call, this.find(call), event) ?? refuse()
  }

  /** Throws `consent-refused`. Call it before the first `await`. */
  checkAnswer(call: CallRef, consent?: PersonConsent): ConsumedConsent {
    const request = this.find(call)
    const restore = consent
      ? this.#getGuard()?.use(consent, call, request)
      : this.#needsGesture
        ? this.#getGuard()?.consume(request.at)
        : mayAnswer(request) && NO_RESTORE
    return { requestSeq: request.seq, restore: restore || refuse() }
  }

  /** Checks approvals of several calls by one user gesture. Returns the seq of each request. */
  checkApprovals(calls: readonly CallRef[]): readonly RequestSeq[] {
    const requests = calls.map((call) => this.find(call))
    if (requests.length === 0) return []
    const newest = Math.max(...requests.map(({ at }) => at))
    const isAllowed = this.#needsGesture
      ? this.#getGuard()?.consume(newest)
      : requests.every(mayAnswer)
    if (!isAllowed) refuse()
    return requests.map(({ seq }) => seq)
  }

  /** Checks an answer that reports an outcome. Needs no person unless the app set `consent: 'person'`. */
  checkOutcome(call: CallRef, consent?: PersonConsent): ConsumedConsent | null {
    return this.#mode === 'person' ? this.checkAnswer(call, consent) : null
  }

  #getGuard(): GestureGuard | undefined {
    this.#guard ??= guards.create?.(this.#signal)
    if (!this.#guard && globalThis.document)
      this.#load().then(
        () => this.watch(),
        () => undefined,
      )
    return this.#guard
  }
}

function mayAnswer({ turns }: CallRequest): boolean {
  const acts = pageActs()
  const hasActed = acts.open > 0 || acts.turns > turns
  return !hasActed || isPersonActing(acts)
}

function refuse(): never {
  throw new OffstageError(
    'consent-refused',
    'This needs a person’s own click while no page tool acts. Click again.',
    { retryable: true },
  )
}
