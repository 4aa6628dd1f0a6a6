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
      // The click of a space key follows its `keyup`, in the same task.
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
interface Gesture {
  /** Time on the clock of `nowMs`. */
  readonly at: number
  /** Turns of page tools at that time. */
  readonly turns: number
}

/** Shared by all agents of the page, its frames and copies of the package, so that each gesture counts once. */
interface GestureState {
  /** The newest gesture, unless it was used. */
  newest: Gesture | null
  track: Track
  /** Events that were seen before. */
  readonly seen: WeakSet<Event>
}

/** How long a gesture may be used. Milliseconds. */
const FRESH_MS = 5000

function gestureState(): GestureState {
  const make = (): GestureState => ({ newest: null, track: NO_TRACK, seen: new WeakSet() })
  return getPageSingleton('presses', make, outermost())
}

/**
 * Uses up the newest user gesture. Null if there is none of the last seconds since `since`, or page tools were acting
 * then or have acted since.
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
 * Whether the browser says that a person caused the event. An object that only looks like an event, or wraps one, could
 * claim so itself.
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

/** Records a user gesture, by default one made now. */
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
  // Events caused by this event's default action come before the timer.
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

/** Records user gestures in all windows of this origin, around this one and in it, until the signal aborts. */
class GestureWatch {
  readonly #signal: AbortSignal
  /** Documents that have listeners. A frame that navigates loses its listeners, but keeps its window. */
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
    // A frame gets the focus before a user gesture in it.
    const onBlur = ({ target }: Event): void => {
      // A capturing listener also gets the event for each element of the page.
      if (target === view) this.#observeFocus(view.document)
    }
    view.addEventListener('blur', onBlur, options)
  }

  #observeFocus({ activeElement, body, documentElement }: Document): void {
    // Firefox moves the focus after this event: until then nothing has it, so it may go to any frame.
    if (activeElement && activeElement !== body) this.#observeFocusedFrame(activeElement)
    else this.#observeFramesWithin(documentElement)
  }

  #observeFramesWithin(root: Element | ShadowRoot): void {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) this.#observeFramesWithin(element.shadowRoot)
      this.#observeFrame(element)
    }
  }

  /** Looks in the frame that has the focus, within any open shadow root. */
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
  /** Turns of page tools when the consent was given. */
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
    // Returned unless there is a newer one.
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
