import { closest, isTag } from '../dom.ts'
import type { LivePage } from '../outline/live-page.ts'
import { requireAllowed } from '../outline/region.ts'
import { requireSite, type Activation } from './sites.ts'

/** Throws when the element isn't what the call was approved for, or a person would have had to be asked. */
export interface Guard {
  begin(element: Element, activation: Activation | undefined): void
  /** Of what the action has changed already: only that no person would have had to be asked. */
  goOn(element: Element, activation: Activation | undefined): void
}

const guards = new WeakMap<AbortSignal, Guard>()

/** Has each action of the call with this signal checked at the last moment. */
export function guardActions(signal: AbortSignal, guard: Guard): void {
  guards.set(signal, guard)
}

/** To be called right before events are sent to an element: nothing may be waited for in between. */
export function checkAction(
  element: Element,
  { live, signal }: { readonly live: LivePage; readonly signal: AbortSignal | undefined },
  activation?: Activation,
): void {
  if (signal) guards.get(signal)?.begin(element, activation)
  // A label passes a click on to its control, which may be somewhere else.
  const label = closest(element, 'label')
  if (label && isTag(label, 'label') && label.control) requireAllowed(label.control, live.options)
  if (activation) requireSite(element, activation, live)
}

/** The same between the press of a button and its release: the page may have marked what is pressed. */
export function checkPressed(
  element: Element,
  signal: AbortSignal | undefined,
  activation: Activation | undefined,
): void {
  if (signal && element.isConnected) guards.get(signal)?.goOn(element, activation)
}
