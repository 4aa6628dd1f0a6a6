import { isTag } from '../dom.ts'
import * as native from '../native.ts'
import { livePage, type LivePage } from '../outline/live-page.ts'
import type { ActOptions } from '../options.ts'
import { PageError } from '../page-error.ts'
import { checkedState } from '../outline/state.ts'
import { clickElement, onlyPressed } from './click.ts'
import { describeElement } from './describe.ts'
import { perform, type ActionContext, type ActionReport, type Telling } from './perform.ts'
import { resolveTarget, type Target } from './target.ts'
import { requireAllowed } from '../outline/region.ts'
import { sleep } from '../waiting.ts'

/**
 * How long a control may take to show its new state: many ask a server first, and hidden tabs run timers once a second.
 * Milliseconds.
 */
const LATE_MS = 1500
const POLL_MS = 40

/** Checks or unchecks a checkbox, switch or radio button; does nothing when it is already in that state. */
export async function setChecked(
  target: Target,
  checked: boolean,
  options: ActOptions = {},
): Promise<ActionReport> {
  const { page, signal } = options
  const element = await resolveTarget(target, { page, live: livePage(page), signal })
  return perform(options, async (context) => ({
    summary: await check(element, checked, context),
    element,
    expectsChange: false,
  }))
}

/** Makes only the change, for actions of several steps. */
export async function check(
  target: HTMLElement,
  checked: boolean,
  context: ActionContext,
): Promise<Telling> {
  const { live, signal } = context
  const element = checkable(target)
  requireAllowed(element, live.options)
  const name = describeElement(element, live)
  const before = stateOf(element, live)
  if (before === checked) return () => `${name} was ${word(checked)} already.`
  if (!checked && isRadio(element))
    throw new PageError('unsupported', `${name} can only be unchecked by checking another one.`)
  const isClicked = await clickElement(element, context)
  if (!isClicked && !native.isConnected(element)) return () => onlyPressed(name)
  const isDue = (): boolean => native.isConnected(element) && stateOf(element, live) !== checked
  const end = performance.now() + LATE_MS
  while (isDue() && performance.now() < end) await sleep(POLL_MS, signal)
  if (isDue())
    throw new PageError(
      'refused-value',
      `${name} was clicked but is still not ${word(checked)}. The change may still be pending: read it before you try again, since a second click may undo it.`,
    )
  return () => {
    if (!native.isConnected(element)) return `Clicked ${name}; the page replaced it.`
    if (stateOf(element, live) === checked)
      return `${describeElement(element, live)} is now ${word(checked)}.`
    throw new PageError(
      'refused-value',
      `${name} was clicked, but the page did not keep that: it is not ${word(checked)}.`,
    )
  }
}

function stateOf(element: HTMLElement, live: LivePage): boolean | 'mixed' {
  const pressed = native.getAttribute(element, 'aria-pressed')
  const state = checkedState(element) ?? (pressed === null ? null : pressed === 'true')
  if (state === null)
    throw new PageError(
      'unsupported',
      `${describeElement(element, live)} is no checkbox, switch or radio button. Click it instead.`,
    )
  return state
}

/** The checkbox itself when the target is its label or a component around it. */
function checkable(target: HTMLElement): HTMLElement {
  if (checkedState(target) !== null) return target
  if (isTag(target, 'label') && target.control) return target.control
  const selector =
    'input[type=checkbox],input[type=radio],[role=switch],[role=checkbox],[role=radio]'
  const inside = [target, native.shadowRoot(target)].flatMap((scope) => [
    ...((scope && native.querySelectorAll<HTMLElement>(scope, selector)) ?? []),
  ])
  return inside.length === 1 && inside[0] ? inside[0] : target
}

function isRadio(element: Element): boolean {
  return (
    native.getAttribute(element, 'role') === 'radio' ||
    (isTag(element, 'input') && element.type === 'radio')
  )
}

function word(checked: boolean): string {
  return checked ? 'checked' : 'unchecked'
}
