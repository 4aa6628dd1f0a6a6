import { OffstageError } from '../../protocol/error.ts'
import type { ConsentScope, Row } from '../../protocol/fact.ts'
import { hasUserActivation, isPersonActing, outermost, pageActs } from '../../protocol/page-acts.ts'
import { getPageSingleton } from '../../lib/page-singleton.ts'
import type { PendingCall } from '../../protocol/run.ts'
import type { QuestionAnswer } from '../../protocol/fields.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Run } from '../runs/run.ts'

/** A tool call: its id if that is unambiguous, else its id and conversation. */
export type CallRef =
  | string
  | {
      readonly conversationId?: string | undefined
      readonly toolCallId: string
      /**
       * Input that the person was shown. An approval is refused if the call now has another one. Events and pending
       * calls include it.
       */
      readonly input?: JsonValue | undefined
    }

/** Outcome of a long-running call. `error`: a string for the model, or what was thrown. */
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
   * Result of `consent()`. Default: with `consent: 'person'`, the newest user gesture, valid for 5 seconds and one
   * answer.
   */
  readonly consent?: PersonConsent
}

/** Options of an approval: another input, and whether later calls need approval. */
export interface ApproveOptions extends AnswerOptions {
  /** Replaces the call's own input, and is checked in the same way. */
  readonly input?: JsonValue
  /**
   * Lets later calls of the tool run without approval while its definition stays the same: in this run, or in this
   * conversation until `conversation.revoke()`. Rejects with `invalid-input` if every call needs approval (no
   * `rememberable` in the pending call).
   */
  readonly remember?: ConsentScope['within']
}

/** Answers to calls that wait for a person or the page. Rejections are `OffstageError`s. */
export interface CallAnswers {
  /**
   * Records that a person, and not a tool of `offstage/page-tools`, clicked your button. Not needed if your handler
   * calls `approve` or `answer` within 5 seconds of the click. Otherwise call it before the first `await`, with the
   * event (default: the newest user gesture), and pass the result as `consent`. It is valid for one decision on this
   * call, within two minutes, until a page tool acts. Throws `consent-refused` without a user gesture.
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
   * `'conversation'` also approves later calls of the tool there, with any input. If the tool has a `consentKey`, only
   * calls with the same key. Resolves to false if the call was settled already. Rejects with:
   *
   * - `consent-refused`: a tool of `offstage/page-tools` may have clicked the button, or the call's input has changed
   *   since your page got the request. With `consent: 'person'` (the default once an `<offstage-chat>` shows the
   *   agent), also if the last user gesture is older than 5 seconds, or than the request. If your click handler takes
   *   longer, see `consent()`.
   * - `invalid-input`: the new input doesn't fit, and the call still waits.
   *
   * `answer`, `undo` and `resolveInterrupted(call, 'run-again')` check the button and the gesture in the same way. If
   * you set `consent: 'person'` in `createAgent()`, `supplyOutput` and `settle` with an output do, too.
   *
   * @example
   * approveButton.onclick = () => agent.approve(call) // a `tool-approval-request` event, or a pending call
   */
  approve(call: CallRef, options?: ApproveOptions): Promise<boolean>
  /**
   * Approves several calls that a person was shown together, each with its own input, by one user gesture. The gesture
   * must be newer than each request. Resolves to the number of calls that run. Rejects with the first failure once all
   * are answered.
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
   * that continues once the last output is in, else null. Rejects with `conversation-busy` while a run is open.
   */
  supplyOutput(call: CallRef, output: unknown, options?: AnswerOptions): Promise<Run | null>
  /**
   * Reports the outcome of a long-running call (`pending()`): an output for the model, or an error. Resolves to false
   * if the call was settled already, or waits for no outcome.
   */
  settle(call: CallRef, outcome: CallOutcome, options?: AnswerOptions): Promise<boolean>
  /** Reports what became of an interrupted call, or runs it again. */
  resolveInterrupted(
    call: CallRef,
    verdict: 'happened' | 'did-not-happen' | 'run-again',
    ...more: [output?: unknown, options?: AnswerOptions]
  ): Promise<boolean>
}

/** A pointer or key event, reduced to what shows whether it is a user gesture. */
export interface ObservedInput {
  readonly type: string
  readonly isTrusted: boolean
  /** Milliseconds, on one clock for all frames. */
  readonly at: number
  /** Name of the key, for key events. */
  readonly key?: string
  /** The key is held down, for key events. */
  readonly isRepeat?: boolean
  /**
   * The target takes the key as a press, for key events. False for an Enter that ends a composition, and for a space in
   * a text.
   */
  readonly isPress?: boolean
  /** The click was made by a pointer. */
  readonly hasPointer?: boolean
  /** The browser reports that the person has just acted on the page, for clicks. */
  readonly isActive?: boolean
}

/** State that earlier events left behind. */
interface Track {
  /** Time of a click in this task. Another click in the same task is caused by it: a label clicks its control. */
  readonly clickedAt: number | null
  /** Time of the newest event of an Enter or space key that is down, or was released in this task. */
  readonly heldAt: number | null
}

export const NO_TRACK: Track = { clickedAt: null, heldAt: null }

/** When a task counts as over if its end isn't noticed, as timers stand still. Milliseconds. */
const TASK_MS = 1000
/** When a key counts as released if its `keyup` wasn't seen, as a native dialog took it. Milliseconds. */
const HELD_MS = 2000

/** Updates the track with an event, and tells whether the event is a user gesture. Pure. */
export function trackPress(
  track: Track,
  seen: ObservedInput,
): { track: Track; isPressed: boolean } {
  const { at, isTrusted } = seen
  switch (seen.type) {
    case 'click':
      return {
        track: { ...track, clickedAt: at },
        isPressed: isTrusted && isOwnClick(track, seen),
      }
    case 'keydown': {
      if (!isTrusted || !isPressKey(seen.key)) return { track, isPressed: false }
      const isPressed = seen.isRepeat !== true && seen.isPress === true
      return { track: { ...track, heldAt: at }, isPressed }
    }
    case 'keyup':
      // The click of a space key follows its `keyup`, in the same task.
      return {
        track: isTrusted && isPressKey(seen.key) ? { ...track, heldAt: at } : track,
        isPressed: false,
      }
    default:
      return { track, isPressed: false }
  }
}

function isPressKey(key: string | undefined): boolean {
  return key === 'Enter' || key === ' '
}

/** True for a click that no earlier event caused: by a pointer, or by assistive technology. */
function isOwnClick(
  { clickedAt, heldAt }: Track,
  { at, hasPointer, isActive }: ObservedInput,
): boolean {
  if (clickedAt !== null && at - clickedAt < TASK_MS) return false
  if (hasPointer) return true
  if (heldAt !== null && at - heldAt < HELD_MS) return false
  return isActive !== false
}

/** A user gesture: by a pointer, a key, or assistive technology. */
interface Press {
  /** Time on the clock of `nowMs`. */
  readonly at: number
  /** Turns of page tools at that time. */
  readonly turns: number
}

/** Shared by all agents of the page, its frames and copies of the package, so that each gesture counts once. */
interface Presses {
  /** The newest gesture, unless it was used. */
  newest: Press | null
  track: Track
  /** Events that were seen before. */
  readonly seen: WeakSet<Event>
}

/** How long a gesture may be used. Milliseconds. */
const FRESH_MS = 5000

function presses(): Presses {
  const make = (): Presses => ({ newest: null, track: NO_TRACK, seen: new WeakSet() })
  return getPageSingleton('presses', make, outermost())
}

/** Milliseconds on a clock that all frames share, and that nobody can set. */
function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

/**
 * Uses up the newest user gesture. Null if there is none of the last seconds since `since`, or page tools were acting
 * then or have acted since.
 */
function consumeGesture(since: number): Press | null {
  const all = presses()
  const { newest } = all
  const acts = pageActs()
  if (!newest || acts.open > 0 || newest.turns !== acts.turns) return null
  if (newest.at < since || nowMs() - newest.at > FRESH_MS) return null
  all.newest = null
  return newest
}

/** Makes a gesture usable again that answered nothing, unless there is a newer one. */
function returnPress(press: Press): void {
  presses().newest ??= press
}

let isTrustedOf: ((this: unknown) => boolean) | undefined

/**
 * Whether the browser says that a person caused the event. An object that only looks like an event, or wraps one, could
 * claim so itself.
 */
function isPersonsEvent(event: unknown): event is Event {
  // The browser's own accessor works on events of every frame, and throws for anything else.
  isTrustedOf ??= Object.getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get
  try {
    return isTrustedOf?.call(event) === true
  } catch {
    return false
  }
}

/** Records a user gesture, by default one made now. */
export function recordGesture(at: number = nowMs()): void {
  const acts = pageActs()
  if (acts.open === 0) presses().newest = { at, turns: acts.turns }
}

/** Checks an event for a user gesture, once. */
function notePress(event: Event): void {
  const all = presses()
  if (all.seen.has(event)) return
  all.seen.add(event)
  const { track, isPressed } = trackPress(all.track, seenOf(event))
  all.track = track
  if (isPressed) recordGesture(timeOf(event))
  // Events caused by this event's default action come before the timer.
  if (event.type === 'click') setTimeout(() => forget('clickedAt'))
  if (event.type === 'keyup') setTimeout(() => forget('heldAt'))
}

function forget(name: keyof Track): void {
  const all = presses()
  all.track = { ...all.track, [name]: null }
}

function seenOf(event: Event): ObservedInput {
  const { type, isTrusted } = event
  const at = timeOf(event)
  if (type === 'click') {
    // `detail` counts clicks of a pointer. A click by a key, a script or assistive technology has 0.
    const hasPointer = (event as MouseEvent).detail > 0
    const isActive = hasUserActivation()
    return { type, isTrusted, at, hasPointer, ...(isActive !== undefined && { isActive }) }
  }
  const { key, repeat, isComposing } = event as KeyboardEvent
  return { type, isTrusted, at, key, isRepeat: repeat, isPress: !isComposing && isOnControl(event) }
}

function isOnControl(event: Event): boolean {
  const [target] = event.composedPath() as (Partial<HTMLElement> & EventTarget)[]
  const { localName, isContentEditable, type } = (target ?? {}) as Partial<HTMLInputElement>
  if (localName === undefined || localName === 'body' || localName === 'html') return false
  if ((event as KeyboardEvent).key !== ' ') return true
  const isText = localName === 'input' && !/^(button|checkbox|radio|submit|reset)$/.test(type ?? '')
  return !isText && localName !== 'textarea' && isContentEditable !== true
}

/** Returns when the event happened, which may be before the page handled it. */
function timeOf({ timeStamp, view }: Event & { readonly view?: Window | null }): number {
  const now = nowMs()
  const clock =
    (view as (Window & typeof globalThis) | null | undefined)?.performance ?? performance
  const at = clock.timeOrigin + timeStamp
  return at <= now ? at : now
}

/** Conversation of each pending call in a view. A server may use the same call id in several conversations. */
const places = new WeakMap<object, string>()

export function recordPendingCalls(conversationId: string, pending: readonly PendingCall[]): void {
  for (const call of pending) places.set(call, conversationId)
}

function findConversationId(call: object): string | undefined {
  return places.get(call)
}

/** When this page learned that a call waits for an answer. */
interface Asked {
  /** Turns of page tools when it first learned so. */
  readonly turns: number
  /** Time of the newest request, on the clock of `nowMs`. */
  readonly at: number
  /** Seq of the row that requests approval. */
  readonly seq?: number
}

type CallName = Exclude<CallRef, string>

/** Entry for a call that this page doesn't know: waiting since the page's load. */
const UNKNOWN: Asked = { turns: 0, at: 0 }

/** Calls that wait for a person or the page, as far as this page was notified. */
class AskedCalls {
  /** Entries by call, then conversation: two conversations may have a call with the same id. */
  readonly #calls = new Map<string, Map<string, Asked>>()

  /** Records a row. True if the row requests an answer. */
  note(row: Row): boolean {
    switch (row.type) {
      case 'approval-requested':
      case 'call-interrupted':
      case 'call-suspended':
      case 'output-requested':
      case 'question-asked':
        this.#ask(row.path.at(-1) ?? '', row)
        return true
      case 'approval-answered':
      case 'call-started':
      case 'call-settled': {
        const toolCallId = row.path.at(-1) ?? ''
        const places = this.#calls.get(toolCallId)
        places?.delete(row.conversationId)
        if (places?.size === 0) this.#calls.delete(toolCallId)
        return false
      }
      default:
        return false
    }
  }

  #ask(toolCallId: string, { type, conversationId, seq }: Row): void {
    const places = this.#calls.get(toolCallId) ?? new Map<string, Asked>()
    this.#calls.set(toolCallId, places)
    const turns = places.get(conversationId)?.turns ?? pageActs().turns
    const isApproval = type === 'approval-requested'
    places.set(conversationId, { turns, at: nowMs(), ...(isApproval && { seq }) })
  }

  /** Returns the entry of a call. If several match, returns the strictest combination. */
  find(call: CallRef): Asked {
    const { toolCallId, conversationId } = toCallRef(call)
    const places = this.#calls.get(toolCallId)
    if (!places) return UNKNOWN
    if (conversationId !== undefined) return places.get(conversationId) ?? UNKNOWN
    const all = [...places.values()]
    const [only = UNKNOWN] = all
    if (all.length === 1) return only
    return {
      turns: Math.min(...all.map(({ turns }) => turns)),
      at: Math.max(...all.map(({ at }) => at)),
    }
  }
}

/** Copies the reference to a call. A caller may pass an event, a pending call, or nothing at all. */
export function toCallRef(call: CallRef): CallName {
  // An invalid reference has no id, and is refused where the id is read.
  const given = typeof call === 'string' ? { toolCallId: call } : (call ?? ({} as CallName))
  const { conversationId = findConversationId(given), toolCallId, input } = given
  return { toolCallId, input, conversationId }
}

const TYPES = ['click', 'keydown', 'keyup']

/** Records user gestures in all windows of this origin, around this one and in it, until the signal aborts. */
class PressWatch {
  readonly #signal: AbortSignal
  /** Documents that have listeners. A frame that navigates loses its listeners, but keeps its window. */
  readonly #documents = new WeakSet<Document>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Adds listeners to all frames, including new ones. */
  look(): void {
    if (typeof document !== 'undefined') this.#lookIn(outermost().window)
  }

  #lookIn(view: Window): void {
    this.#observe(view)
    for (let at = 0; at < view.length; at++) {
      const frame = view[at]
      if (frame && isReachable(frame)) this.#lookIn(frame)
    }
  }

  #observe(view: Window): void {
    if (this.#documents.has(view.document)) return
    this.#documents.add(view.document)
    const options = { capture: true, signal: this.#signal }
    for (const type of TYPES) view.addEventListener(type, notePress, options)
    // A frame gets the focus before a user gesture in it.
    const onBlur = ({ target }: Event): void => {
      // A capturing listener also gets the event for each element of the page.
      if (target === view) this.#lookWhereFocusGoes(view.document)
    }
    view.addEventListener('blur', onBlur, options)
  }

  #lookWhereFocusGoes({ activeElement, body, documentElement }: Document): void {
    // Firefox moves the focus after this event: until then nothing has it, so it may go to any frame.
    if (activeElement && activeElement !== body) this.#lookInFocused(activeElement)
    else this.#lookWithin(documentElement)
  }

  #lookWithin(root: Element | ShadowRoot): void {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) this.#lookWithin(element.shadowRoot)
      this.#lookInFrame(element)
    }
  }

  /** Looks in the frame that has the focus, within any open shadow root. */
  #lookInFocused(focused: Element | null): void {
    if (focused?.shadowRoot) return this.#lookInFocused(focused.shadowRoot.activeElement)
    this.#lookInFrame(focused)
  }

  #lookInFrame(element: Element | null): void {
    const view = (element as Partial<HTMLIFrameElement> | null)?.contentWindow
    if (view && isReachable(view)) this.#lookIn(view)
  }
}

function isReachable(view: Window): boolean {
  try {
    return view.document !== null
  } catch {
    // The frame is of another origin.
    return false
  }
}

/** How long a consent stays valid. Milliseconds. */
const CONSENT_MS = 120_000

/** `'page'`: an answer needs no user gesture, unless page tools act. */
export type ConsentMode = 'person' | 'page'

/** A consent that was given and is not used yet. */
interface Given {
  readonly toolCallId: string
  readonly conversationId?: string
  /** Time on the clock of `nowMs`. */
  readonly at: number
  /** Turns of page tools when the consent was given. */
  readonly turns: number
  readonly seq: number | undefined
}

/** Seq of the row that requested the answer. Undefined if this page doesn't know it. */
export type RequestSeq = number | undefined

/** A person's approval or answer, used for one call. */
export interface ConsumedConsent {
  readonly requestSeq: RequestSeq
  /** Makes the gesture or consent usable again, as it has answered nothing. */
  restore(): void
}

/**
 * Keeps a model from answering for a person: page tools could press the page's own buttons. With `'person'`, each
 * answer needs a user gesture. Else answers are refused while page tools act. If they have acted since the request, a
 * person must act first.
 */
export class PersonCheck {
  readonly #asked = new AskedCalls()
  readonly #given = new WeakMap<PersonConsent, Given>()
  readonly #watch: PressWatch
  readonly #mode: ConsentMode | undefined
  #needsPress = false

  constructor(mode: ConsentMode | undefined, signal: AbortSignal) {
    this.#mode = mode
    this.#watch = new PressWatch(signal)
    if (mode === 'person') this.requirePerson()
  }

  /** Makes answers need a user gesture from now on, unless the app chose `'page'`. */
  requirePerson(): void {
    if (this.#mode === 'page') return
    this.#needsPress = true
    this.#watch.look()
  }

  recordRow(row: Row): void {
    if (this.#asked.note(row) && this.#needsPress) this.#watch.look()
  }

  /** See `CallAnswers`. */
  createConsent(call: CallRef, event?: UserGestureEvent): PersonConsent {
    this.#watch.look()
    const native = event && 'nativeEvent' in event ? event.nativeEvent : event
    const isPersons = isPersonsEvent(native)
    if (isPersons) notePress(native)
    const asked = this.#asked.find(call)
    if ((native && !isPersons) || !consumeGesture(asked.at)) throw refused()
    const consent: PersonConsent = Object.freeze({ ...idsOf(call) })
    const { turns } = pageActs()
    this.#given.set(consent, { ...idsOf(call), at: nowMs(), turns, seq: asked.seq })
    return consent
  }

  /** Throws `consent-refused`. Call it before anything is awaited. */
  checkAnswer(call: CallRef, consent?: PersonConsent): ConsumedConsent {
    const asked = this.#asked.find(call)
    const takeBack = consent
      ? this.#use(consent, call, asked)
      : this.#needsPress
        ? usedPress(asked.at)
        : isFree(asked) && NOTHING
    if (!takeBack) throw refused()
    return { requestSeq: asked.seq, restore: takeBack }
  }

  /** Checks approvals of several calls by one user gesture. Returns the seq of each request. */
  checkApprovals(calls: readonly CallRef[]): readonly RequestSeq[] {
    const asked = calls.map((call) => this.#asked.find(call))
    const newest = Math.max(...asked.map(({ at }) => at))
    if (asked.length === 0) return []
    const isGiven = this.#needsPress ? consumeGesture(newest) !== null : asked.every(isFree)
    if (!isGiven) throw refused()
    return asked.map(({ seq }) => seq)
  }

  /** Checks an answer that reports an outcome. The page's own code may give it, except in `'person'` mode. */
  checkOutcome(call: CallRef, consent?: PersonConsent): ConsumedConsent | null {
    return this.#mode === 'person' ? this.checkAnswer(call, consent) : null
  }

  /** Uses up a consent. Returns a function that restores it; false if the consent isn't valid for this call. */
  #use(consent: PersonConsent, call: CallRef, asked: Asked): TakeBack | false {
    const given = this.#given.get(consent)
    if (!given) return false
    const acts = pageActs()
    const isFor = idsOf(call)
    const isThis =
      given.toolCallId === isFor.toolCallId &&
      (given.conversationId ?? isFor.conversationId) ===
        (isFor.conversationId ?? given.conversationId)
    if (!isThis) return false
    this.#given.delete(consent)
    const isFresh = acts.open === 0 && acts.turns === given.turns
    const isGood = isFresh && given.seq === asked.seq && nowMs() - given.at <= CONSENT_MS
    return isGood && (() => void this.#given.set(consent, given))
  }
}

type TakeBack = ConsumedConsent['restore']

const NOTHING: TakeBack = () => undefined

function usedPress(since: number): TakeBack | null {
  const press = consumeGesture(since)
  return press && (() => returnPress(press))
}

function idsOf(call: CallRef): Pick<Given, 'toolCallId' | 'conversationId'> {
  const { toolCallId, conversationId } = toCallRef(call)
  return { toolCallId, ...(conversationId !== undefined && { conversationId }) }
}

function isFree({ turns }: Asked): boolean {
  const acts = pageActs()
  const hasActed = acts.open > 0 || acts.turns > turns
  return !hasActed || isPersonActing(acts)
}

function refused(): OffstageError {
  return new OffstageError(
    'consent-refused',
    'This needs a person’s own click, while no page tool is acting. Click again.',
    { retryable: true },
  )
}
