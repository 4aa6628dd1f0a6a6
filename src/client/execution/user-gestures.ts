import { hasUserActivation, outermost, pageActs } from '../../protocol/page-acts.ts'
import { getPageSingleton } from '../../lib/page-singleton.ts'
import {
  type CallRequest,
  type CallRef,
  type GestureGuard,
  guards,
  nowMs,
  type PersonConsent,
  type RequestSeq,
  type Restore,
  toCallRef,
  type UserGestureEvent,
} from './person-check.ts'

/** The fields of a click or key event that show whether it is a user gesture. */
export interface ObservedInput {
  readonly type: string
  readonly isTrusted: boolean
  /** Milliseconds, on one clock for all frames. */
  readonly at: number
  /** Name of the key, for key events. */
  readonly key?: string
  /** True for a `keydown` that repeats because the key is held down. */
  readonly isRepeat?: boolean
  /**
   * Whether the event's key may press the target. False for an Enter that ends an IME composition, and for a space in a
   * text field.
   */
  readonly isPress?: boolean
  /** The click was made by a pointer. */
  readonly hasPointer?: boolean
  /** Whether the browser reports, at a click, that the person has just acted on the page. */
  readonly isActive?: boolean
}

/** Earlier events that may have caused a click. */
interface Track {
  /** Time of a click in this task. Another click in the same task is caused by it: a label clicks its control. */
  readonly clickedAt: number | null
  /** Time of the newest event of an Enter or space key that is held down, or was released in this task. */
  readonly heldAt: number | null
}

export const NO_TRACK: Track = { clickedAt: null, heldAt: null }

/** Milliseconds after which a task counts as over if its timer didn't fire, because timers were suspended. */
const TASK_MS = 1000
/** Milliseconds after which a key counts as released if its `keyup` wasn't seen, because a native dialog got it. */
const HELD_MS = 2000

/** Updates the track with an event, and tells whether the event is a user gesture. Pure. */
export function trackPress(
  track: Track,
  input: ObservedInput,
): { track: Track; isPressed: boolean } {
  const { at, isTrusted } = input
  switch (input.type) {
    case 'click':
      return {
        track: { ...track, clickedAt: at },
        isPressed: isTrusted && isOwnClick(track, input),
      }
    case 'keydown': {
      if (!isTrusted || !isPressKey(input.key)) return { track, isPressed: false }
      const isPressed = input.isRepeat !== true && input.isPress === true
      return { track: { ...track, heldAt: at }, isPressed }
    }
    case 'keyup':
      // Keeps `heldAt`: a space key's click follows its `keyup` in the same task.
      return {
        track: isTrusted && isPressKey(input.key) ? { ...track, heldAt: at } : track,
        isPressed: false,
      }
    default:
      return { track, isPressed: false }
  }
}

function isPressKey(key: string | undefined): boolean {
  return key === 'Enter' || key === ' '
}

/** True for a click that no earlier event caused: a click by a pointer or assistive technology. */
function isOwnClick(
  { clickedAt, heldAt }: Track,
  { at, hasPointer, isActive }: ObservedInput,
): boolean {
  if (clickedAt !== null && at - clickedAt < TASK_MS) return false
  if (hasPointer) return true
  if (heldAt !== null && at - heldAt < HELD_MS) return false
  return isActive !== false
}

/** A user gesture by a pointer, a key, or assistive technology. */
interface Gesture {
  /** Time on the clock of `nowMs`. */
  readonly at: number
  /** Value of `PageActs.turns` at that time. */
  readonly turns: number
}

/** Shared by all agents, frames and copies of the package on a page, so that each gesture counts once. */
interface GestureState {
  /** The newest gesture, unless it was used. */
  newest: Gesture | null
  track: Track
  /** Events that were already checked. */
  readonly seen: WeakSet<Event>
}

/** How long a gesture may be used. Milliseconds. */
const FRESH_MS = 5000

function gestureState(): GestureState {
  const make = (): GestureState => ({ newest: null, track: NO_TRACK, seen: new WeakSet() })
  return getPageSingleton('presses', make, outermost())
}

/**
 * Uses up the newest user gesture. Null if it is older than `since` or five seconds, or if page tools are acting or
 * have acted after it.
 */
function consumeGesture(since: number): Gesture | null {
  const state = gestureState()
  const { newest } = state
  const acts = pageActs()
  if (!newest || acts.open > 0 || newest.turns !== acts.turns) return null
  if (newest.at < since || nowMs() - newest.at > FRESH_MS) return null
  state.newest = null
  return newest
}

let isTrustedOf: ((this: unknown) => boolean) | undefined

/**
 * Whether the browser says that a person caused the event. Doesn't read `isTrusted` of the object: a fake or wrapped
 * event could claim it.
 */
function isPersonEvent(event: unknown): event is Event {
  // The browser's own accessor works on events of every frame, and throws for anything else.
  isTrustedOf ??= Object.getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get
  try {
    return isTrustedOf?.call(event) === true
  } catch {
    return false
  }
}

/** Records a user gesture. Default time: now. */
export function recordGesture(at: number = nowMs()): void {
  const acts = pageActs()
  if (acts.open === 0) gestureState().newest = { at, turns: acts.turns }
}

/** Checks an event for a user gesture, once. */
function checkGesture(event: Event): void {
  const state = gestureState()
  if (state.seen.has(event)) return
  state.seen.add(event)
  const { track, isPressed } = trackPress(state.track, observeInput(event))
  state.track = track
  if (isPressed) recordGesture(timeOf(event))
  // The timer fires after all events that this event's default action causes.
  if (event.type === 'click') setTimeout(() => forget('clickedAt'))
  if (event.type === 'keyup') setTimeout(() => forget('heldAt'))
}

function forget(name: keyof Track): void {
  const state = gestureState()
  state.track = { ...state.track, [name]: null }
}

function observeInput(event: Event): ObservedInput {
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

const EVENT_TYPES = ['click', 'keydown', 'keyup']

/** Records user gestures in all frames of this origin, outer and inner ones, until the signal aborts. */
class GestureWatch {
  readonly #signal: AbortSignal
  /** Documents that have listeners. Not windows: a frame that navigates keeps its window, but loses the listeners. */
  readonly #documents = new WeakSet<Document>()

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  /** Adds listeners to all frames, including new ones. */
  observe(): void {
    if (typeof document !== 'undefined') this.#observeFrames(outermost().window)
  }

  #observeFrames(view: Window): void {
    this.#addListeners(view)
    for (let index = 0; index < view.length; index++) {
      const frame = view[index]
      if (frame && isReachable(frame)) this.#observeFrames(frame)
    }
  }

  #addListeners(view: Window): void {
    if (this.#documents.has(view.document)) return
    this.#documents.add(view.document)
    const options = { capture: true, signal: this.#signal }
    for (const type of EVENT_TYPES) view.addEventListener(type, checkGesture, options)
    // The focus moves into a frame before a user gesture there, so a new frame gets its listeners in time.
    const onBlur = ({ target }: Event): void => {
      // Ignores `blur` of elements, which a capturing listener gets, too.
      if (target === view) this.#observeFocus(view.document)
    }
    view.addEventListener('blur', onBlur, options)
  }

  #observeFocus({ activeElement, body, documentElement }: Document): void {
    // Firefox moves the focus only after this event. Until then the target is unknown, so all frames get listeners.
    if (activeElement && activeElement !== body) this.#observeFocusedFrame(activeElement)
    else this.#observeFramesWithin(documentElement)
  }

  #observeFramesWithin(root: Element | ShadowRoot): void {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) this.#observeFramesWithin(element.shadowRoot)
      this.#observeFrame(element)
    }
  }

  /** Observes the frame that has the focus, also inside open shadow roots. */
  #observeFocusedFrame(element: Element | null): void {
    if (element?.shadowRoot) return this.#observeFocusedFrame(element.shadowRoot.activeElement)
    this.#observeFrame(element)
  }

  #observeFrame(element: Element | null): void {
    const view = (element as Partial<HTMLIFrameElement> | null)?.contentWindow
    if (view && isReachable(view)) this.#observeFrames(view)
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

/** A consent that was given and is not used yet. */
interface IssuedConsent {
  readonly toolCallId: string
  readonly conversationId?: string
  /** Time on the clock of `nowMs`. */
  readonly at: number
  /** Value of `PageActs.turns` when the consent was given. */
  readonly turns: number
  readonly seq: RequestSeq
}

class UserGestures implements GestureGuard {
  readonly #issued = new WeakMap<PersonConsent, IssuedConsent>()
  readonly #watch: GestureWatch

  constructor(signal: AbortSignal) {
    this.#watch = new GestureWatch(signal)
  }

  observe(): void {
    this.#watch.observe()
  }

  consume(since: number): Restore | null {
    const gesture = consumeGesture(since)
    // Restores the gesture unless there is a newer one.
    return gesture && (() => void (gestureState().newest ??= gesture))
  }

  grant(call: CallRef, request: CallRequest, event?: UserGestureEvent): PersonConsent | null {
    this.observe()
    const native = event && 'nativeEvent' in event ? event.nativeEvent : event
    const isFromPerson = isPersonEvent(native)
    if (isFromPerson) checkGesture(native)
    if ((native && !isFromPerson) || !consumeGesture(request.at)) return null
    const consent: PersonConsent = Object.freeze({ ...idsOf(call) })
    const { turns } = pageActs()
    this.#issued.set(consent, { ...consent, at: nowMs(), turns, seq: request.seq })
    return consent
  }

  use(consent: PersonConsent, call: CallRef, request: CallRequest): Restore | null {
    const issued = this.#issued.get(consent)
    if (!issued) return null
    const acts = pageActs()
    const ids = idsOf(call)
    const isSameCall =
      issued.toolCallId === ids.toolCallId &&
      (issued.conversationId ?? ids.conversationId) ===
        (ids.conversationId ?? issued.conversationId)
    if (!isSameCall) return null
    this.#issued.delete(consent)
    const isFresh = acts.open === 0 && acts.turns === issued.turns
    const isValid = isFresh && issued.seq === request.seq && nowMs() - issued.at <= CONSENT_MS
    return isValid ? () => void this.#issued.set(consent, issued) : null
  }
}

function idsOf(call: CallRef): Pick<IssuedConsent, 'toolCallId' | 'conversationId'> {
  const { toolCallId, conversationId } = toCallRef(call)
  return { toolCallId, ...(conversationId !== undefined && { conversationId }) }
}

guards.create = (signal) => new UserGestures(signal)
