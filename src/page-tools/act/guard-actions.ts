import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { LivePage } from '../outline/live-page.ts'
import { isAllowed, requireAllowed, rootOf } from '../outline/region.ts'
import type { PageOptions } from '../options.ts'
import { passedOn } from './activated.ts'
import { requireSite, type Activation } from './sites.ts'

/** What an action does to the element that is checked; nothing: it writes, chooses or moves the pointer. */
export type Touch = Activation | 'drop'

/** Throws when the element isn't what the call was approved for, or a person would have had to be asked. */
export interface Guard {
  begin(element: Element, touch: Touch | undefined): void
  /** Of what the action has changed already: only that no person would have had to be asked. */
  goOn(element: Element, touch: Touch | undefined): void
  /** Throws when the page submits a form by POST and a person would have had to be asked. */
  post(): void
}

/** Of the action whose elements are checked. */
export interface GuardedCall {
  readonly live: LivePage
  readonly signal: AbortSignal | undefined
}

const guards = new WeakMap<AbortSignal, Guard>()

/** Has each action of the call with this signal checked at the last moment. */
export function guardActions(signal: AbortSignal, guard: Guard): void {
  guards.set(signal, guard)
}

/** To be called right before events are sent to an element: nothing may be waited for in between. */
export function checkAction(element: Element, { live, signal }: GuardedCall, touch?: Touch): void {
  if (signal) guards.get(signal)?.begin(element, touch)
  requireActivated(element, touch, live.options)
  if (touch && touch !== 'drop') requireSite(element, touch, live)
}

/**
 * Throws `outside` unless the tools may use what the element activates in turn: a label passes a click on to its control,
 * and Enter in a field presses its form's button, which may be somewhere else.
 */
export function requireActivated(
  element: Element,
  touch: Touch | undefined,
  options: PageOptions,
): void {
  for (const one of passedOn(element, touch === 'activate' ? 'enter' : 'click'))
    requireAllowed(one, options)
}

/** The same before a key is pressed, which goes wherever the page has moved the focus. */
export function checkKey(receiver: Element, call: GuardedCall, activation?: Activation): void {
  if (!takesKeys(receiver, call.live)) requireAllowed(receiver, call.live.options)
  checkAction(receiver, call, activation)
}

/** Whether keys may go to the element: without a focus they go to the body, also where only a part of it may be used. */
export function takesKeys(receiver: Element, { options }: LivePage): boolean {
  return (
    receiver === nativeDocument.body(native.ownerDocument(rootOf(options))) ||
    isAllowed(receiver, options)
  )
}

/**
 * Repeats `checkAction` between the press of a button and its release, and before a link is followed: the page may
 * have marked what is pressed, or given it another address.
 */
export function checkPressed(
  element: Element,
  { live, signal }: GuardedCall,
  activation: Activation | undefined,
): void {
  if (signal && native.isConnected(element)) guards.get(signal)?.goOn(element, activation)
  if (activation) requireSite(element, activation, live)
}

/** To be called when the page submits a form by POST: throws when a person would have had to be asked. */
export function checkPost(signal: AbortSignal | undefined): void {
  if (signal) guards.get(signal)?.post()
}
