import { pageWide } from '../lib/page-wide.ts'
import { hasUserActivation, outermost, pageActs } from '../protocol/page-acts.ts'
import { NO_TRACK, type Seen, type Track, trackPress } from './press-track.ts'

/** A person's press: of a pointer, of a key, or by assistive technology. */
export interface Press {
  /** As `nowMs`. */
  readonly at: number
  /** `turns` of the page tools. */
  readonly turns: number
}

/** What all agents of the page, its frames and copies of the package have in common: each press counts once. */
interface Presses {
  /** Not used yet. */
  newest: Press | null
  track: Track
  /** Events that were seen. */
  readonly seen: WeakSet<Event>
}

/** How long a press may be used. Milliseconds. */
const FRESH_MS = 5000

function presses(): Presses {
  const make = (): Presses => ({ newest: null, track: NO_TRACK, seen: new WeakSet() })
  return pageWide('presses', make, outermost())
}

/** Milliseconds on a clock that all frames have in common, and that nobody sets. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now()
}

/**
 * The newest press of a person, which is used up by this. Null when there is none of the last seconds since `since`,
 * or page tools were acting then or have acted since.
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

/** Nothing was answered by it: it is there again, unless a newer one is. */
export function returnPress(press: Press): void {
  presses().newest ??= press
}

let isTrustedOf: ((this: unknown) => boolean) | undefined

/** Whether the browser says that a person caused it. What only looks like an event, or hides one, says so of itself. */
export function isPersonsEvent(event: unknown): event is Event {
  // The browser's own accessor is on each event, and takes none but events, of whatever frame.
  isTrustedOf ??= Object.getOwnPropertyDescriptor(new Event('x'), 'isTrusted')?.get
  try {
    return isTrustedOf?.call(event) === true
  } catch {
    return false
  }
}

/** As if a person had pressed something now. */
export function addPress(at: number = nowMs()): void {
  const acts = pageActs()
  if (acts.open === 0) presses().newest = { at, turns: acts.turns }
}

/** Notes what an event says of a person, once. */
export function notePress(event: Event): void {
  const all = presses()
  if (all.seen.has(event)) return
  all.seen.add(event)
  const { track, isPressed } = trackPress(all.track, seenOf(event))
  all.track = track
  if (isPressed) addPress(timeOf(event))
  // What is sent off by this event's default action comes before that.
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
    // A click that a key, a script or assistive technology makes counts none.
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

/** When it happened: it may have been waiting for the page. */
function timeOf({ timeStamp, view }: Event & { readonly view?: Window | null }): number {
  const now = nowMs()
  const clock =
    (view as (Window & typeof globalThis) | null | undefined)?.performance ?? performance
  const at = clock.timeOrigin + timeStamp
  return at <= now ? at : now
}
