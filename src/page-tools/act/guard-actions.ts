import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { LivePage } from '../outline/live-page.ts'
import { isAllowed, requireAllowed, rootOf } from '../outline/region.ts'
import type { PageOptions } from '../options.ts'
import { passedOn } from './activated.ts'
import { requireSite, type Activation } from './sites.ts'

/** How an action affects the checked element. Undefined: it writes, chooses or moves the pointer. */
export type Touch = Activation | 'drop'

/**
 * Compares actions with the call's approval. `begin` throws if the element isn't the approved one, or needed approval.
 */
export interface Guard {
  begin(element: Element, touch: Touch | undefined): void
  /** For an element that the action has already changed: throws only if it needed approval. */
  goOn(element: Element, touch: Touch | undefined): void
  /** Throws if the page submits a form by POST that needed approval. */
  post(): void
}

/** Call whose elements are checked. */
export interface GuardedCall {
  readonly live: LivePage
  readonly signal: AbortSignal | undefined
}

const guards = new WeakMap<AbortSignal, Guard>()

/** Registers the guard that checks each action of the call with this signal, right before it acts. */
export function guardActions(signal: AbortSignal, guard: Guard): void {
  guards.set(signal, guard)
}

/** Call it right before sending events to an element, with no `await` in between. */
export function checkAction(element: Element, { live, signal }: GuardedCall, touch?: Touch): void {
  if (signal) guards.get(signal)?.begin(element, touch)
  requireActivated(element, touch, live.options)
  if (touch && touch !== 'drop') requireSite(element, touch, live)
}

/**
 * Throws `outside` unless the tools may use the elements that are activated in turn. A label passes a click on to its
 * control, and Enter in a field presses its form's button: either may be outside.
 */
export function requireActivated(
  element: Element,
  touch: Touch | undefined,
  options: PageOptions,
): void {
  for (const one of passedOn(element, touch === 'activate' ? 'enter' : 'click'))
    requireAllowed(one, options)
}

/** Repeats the check before a key press: the page may have moved the focus elsewhere. */
export function checkKey(receiver: Element, call: GuardedCall, activation?: Activation): void {
  if (!takesKeys(receiver, call.live)) requireAllowed(receiver, call.live.options)
  checkAction(receiver, call, activation)
}

/** Whether keys may go to the element. Without a focus they go to the body, even if only a part of it may be used. */
export function takesKeys(receiver: Element, { options }: LivePage): boolean {
  return (
    receiver === nativeDocument.body(native.ownerDocument(rootOf(options))) ||
    isAllowed(receiver, options)
  )
}

/**
 * Repeats `checkAction` between the press of a button and its release, and before a link is followed. The page may have
 * marked the pressed element, or given it another address.
 */
export function checkPressed(
  element: Element,
  { live, signal }: GuardedCall,
  activation: Activation | undefined,
): void {
  if (signal && native.isConnected(element)) guards.get(signal)?.goOn(element, activation)
  if (activation) requireSite(element, activation, live)
}

/** Call it when the page submits a form by POST. Throws if that needed approval. */
export function checkPost(signal: AbortSignal | undefined): void {
  if (signal) guards.get(signal)?.post()
}
