import { pageWide } from '../lib/page-wide.ts'
import { hasUserActivation, outermost, pageActs } from '../protocol/page-acts.ts'
import { NO_TRACK, type Seen, type Track, trackPress } from './press-track.ts'

/** A user gesture: by a pointer, a key, or assistive technology. */
export interface Press {
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
  return pageWide('presses', make, outermost())
}

/** Milliseconds on a clock that all frames share, and that nobody can set. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

/**
 * Uses up the newest user gesture. Null if there is none of the last seconds since `since`, or page tools were acting
 * then or have acted since.
 */
export function usePress(since: number): Press | null {
  const all = presses()
  const { newest } = all
  const acts = pageActs()
  if (!newest || acts.open > 0 || newest.turns !== acts.turns) return null
  if (newest.at < since || nowMs() - newest.at > FRESH_MS) return null
  all.newest = null
  return newest
}

/** Makes a gesture usable again that answered nothing, unless there is a newer one. */
export function returnPress(press: Press): void {
  presses().newest ??= press
}

let isTrustedOf: ((this: unknown) => boolean) | undefined

/**
 * Whether the browser says that a person caused the event. An object that only looks like an event, or wraps one, could
 * claim so itself.
 */
export function isPersonsEvent(event: unknown): event is Event {
  // The browser's own accessor works on events of every frame, and throws for anything else.
  isTrustedOf ??= Object.getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get
  try {
    return isTrustedOf?.call(event) === true
  } catch {
    return false
  }
}

/** Records a user gesture, by default one made now. */
export function addPress(at: number = nowMs()): void {
  const acts = pageActs()
  if (acts.open === 0) presses().newest = { at, turns: acts.turns }
}

/** Checks an event for a user gesture, once. */
export function notePress(event: Event): void {
  const all = presses()
  if (all.seen.has(event)) return
  all.seen.add(event)
  const { track, isPressed } = trackPress(all.track, seenOf(event))
  all.track = track
  if (isPressed) addPress(timeOf(event))
  // Events caused by this event's default action come before the timer.
  if (event.type === 'click') setTimeout(() => forget('clickedAt'))
  if (event.type === 'keyup') setTimeout(() => forget('heldAt'))
}

function forget(name: keyof Track): void {
  const all = presses()
  all.track = { ...all.track, [name]: null }
}

function seenOf(event: Event): Seen {
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
