import { once } from '../../lib/once.ts'
import { hasUserActivation, pageActs, type PageActs } from '../../protocol/page-acts.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { LivePage } from '../outline/live-page.ts'
import { isAllowed, requireAllowed, rootOf } from '../outline/region.ts'
import type { PageAction, PageOptions } from '../page.ts'
import { type Activation, defaultButtonOf, linkAround, requireSite, submitterOf } from './sites.ts'
import { closest, isElement, isTag, labelsOf, getParent, pathOf } from '../dom.ts'
import { isEditable } from './field-kind.ts'

const CONTROLS =
  'button,a,area,summary,input,select,textarea,[role=button],[role=link],[role=switch],[role^=menuitem]'
const BUTTONS = 'button,input[type=submit],input[type=button],input[type=image],[role=button]'
const LEVELS = 6
const BUTTONS_OF_COMPOSER = 12
/** Elements that a click on one of their parts activates. */
const AROUND =
  'button,a,summary,[role=button],[role=link],[role=switch],[role=checkbox],[role=radio],[role=tab],[role=option],[role^=menuitem]'
const ACTIVATING = /^(click|enter|check)$/

/** Returns the element, the controls around it, and the elements that it activates in turn. */
export function activatedElements(element: Element, action: PageAction): readonly Element[] {
  const around = ACTIVATING.test(action) ? pathOf(element, AROUND) : []
  return [...new Set([element, ...around, ...passedOn(element, action)])]
}

/** Returns the elements activated in turn: a label's control, and for Enter in a field the form's default button. */
function passedOn(element: Element, action: PageAction): readonly Element[] {
  const labelled = pathOf(element, 'label').map((one) => (isTag(one, 'label') ? one.control : null))
  const button = action === 'enter' ? defaultButtonOf(element) : null
  return [...labelled, button].flatMap((one) => (one && one !== element ? one : []))
}

/**
 * Controls behind the element that an approval must name, too: the control around it, and those it passes the action on
 * to.
 */
export function controlsBehind(element: Element, action: PageAction): readonly Element[] {
  if (!ACTIVATING.test(action)) return []
  const isControl = native.matches(element, CONTROLS)
  const [around] = isControl ? [] : pathOf(element, AROUND)
  const all = [around, ...passedOn(element, action), submitterOf(element), linkAround(element)]
  return [...new Set(all.flatMap((one) => one ?? []))].filter((one) => one !== element)
}

/** Returns the control that a click on the element activates: itself, or the nearest one around it. */
export function controlAround(element: Element): Element {
  return closest(element, CONTROLS) ?? element
}

/** Buttons that a page's script may press on Enter in a field: those beside it. Empty if Enter submits a form. */
export function pressedByScript(field: Element): readonly Element[] {
  const submits = activatedElements(field, 'enter').some((one) => submitterOf(one) !== null)
  return submits || !isEditable(field) ? [] : buttonsBeside(field)
}

/** Buttons beside a field for which a script may treat Enter as a click, as in a chat. Empty for search fields. */
function buttonsBeside(field: Element): readonly Element[] {
  if (closest(field, 'search,[role=search]')) return []
  let at = getParent(field)
  for (let level = 0; at && level < LEVELS; level += 1, at = getParent(at)) {
    const buttons = [...native.querySelectorAll(at, BUTTONS)].filter(isElement)
    if (buttons.length > BUTTONS_OF_COMPOSER) return []
    if (buttons.length > 0) return buttons
    if (native.matches(at, 'form,dialog,[role=dialog],main,body')) return []
  }
  return []
}

const MARKED = '[data-offstage-confirm]'

/**
 * Whether the action always needs approval: the page marks the element, or `classify` returns `'commit'`. `asked`:
 * marks that an approval already covers.
 */
export function mustConfirm(
  element: Element,
  action: PageAction,
  { classify, asked = [] }: PageOptions & { readonly asked?: readonly Element[] },
): boolean {
  const used = [
    ...activatedElements(element, action),
    ...(action === 'enter' ? pressedByScript(element) : []),
  ]
  return used.some(
    (one) =>
      marksOf(one).some((mark) => !asked.includes(mark)) || isClassified(one, action, classify),
  )
}

type Classify = NonNullable<PageOptions['classify']>

const warned = new WeakSet<Classify>()

/** Treats an unknown answer or an error as a commit: better to ask a person once too often. */
function isClassified(element: Element, action: PageAction, classify?: Classify): boolean {
  if (!classify) return false
  try {
    const answer: unknown = classify(element, action)
    if (!answer || answer === 'commit') return Boolean(answer)
    warnOnce(classify, `returned ${typeof answer === 'string' ? `'${answer}'` : typeof answer}`)
  } catch (error) {
    warnOnce(classify, 'threw', error)
  }
  return true
}

function warnOnce(classify: Classify, what: string, ...details: readonly unknown[]): void {
  if (warned.has(classify)) return
  warned.add(classify)
  console.warn(
    `offstage: classify ${what}, not 'commit' or undefined. Each such action needs approval.`,
    ...details,
  )
}

/** Elements with `data-offstage-confirm` that apply: around the element, its labels, or its form. */
export function marksOf(element: Element): readonly Element[] {
  return [element, ...labelsOf(element), formOf(element)].flatMap(
    (one) => (one && closest(one, MARKED)) ?? [],
  )
}

function formOf(element: Element): Element | null {
  const { form } = element as Partial<HTMLInputElement>
  return isElement(form) ? form : null
}

/** How an action affects the checked element. Undefined: it writes, chooses or moves the pointer. */
export type ActionEffect = Activation | 'drop'

/**
 * Compares actions with the call's approval. `checkBeforeAction` throws if the element isn't the approved one, or needed approval.
 */
export interface Guard {
  checkBeforeAction(element: Element, touch: ActionEffect | undefined): void
  /** For an element that the action has already changed: throws only if it needed approval. */
  checkDuringAction(element: Element, touch: ActionEffect | undefined): void
  /** Throws if the page submits a form by POST that needed approval. */
  checkFormPost(): void
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
export function checkAction(
  element: Element,
  { live, signal }: GuardedCall,
  touch?: ActionEffect,
): void {
  if (signal) guards.get(signal)?.checkBeforeAction(element, touch)
  requireActivated(element, touch, live.options)
  if (touch && touch !== 'drop') requireSite(element, touch, live)
}

/**
 * Throws `outside` unless the tools may use the elements that are activated in turn. A label passes a click on to its
 * control, and Enter in a field presses its form's button: either may be outside.
 */
export function requireActivated(
  element: Element,
  touch: ActionEffect | undefined,
  options: PageOptions,
): void {
  for (const one of passedOn(element, touch === 'activate' ? 'enter' : 'click'))
    requireAllowed(one, options)
}

/** Repeats the check before a key press: the page may have moved the focus elsewhere. */
export function checkKey(receiver: Element, call: GuardedCall, activation?: Activation): void {
  if (!canReceiveKeys(receiver, call.live)) requireAllowed(receiver, call.live.options)
  checkAction(receiver, call, activation)
}

/** Whether keys may go to the element. Without a focus they go to the body, even if only a part of it may be used. */
export function canReceiveKeys(receiver: Element, { options }: LivePage): boolean {
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
  if (signal && native.isConnected(element))
    guards.get(signal)?.checkDuringAction(element, activation)
  if (activation) requireSite(element, activation, live)
}

/** Call it when the page submits a form by POST. Throws if that needed approval. */
export function checkPost(signal: AbortSignal | undefined): void {
  if (signal) guards.get(signal)?.checkFormPost()
}

/** Longest time for which any browser keeps a transient user activation. Milliseconds. */
const ACTIVATION_MS = 5000
/**
 * Events that a script can't cause with `isTrusted` set. `click` isn't one of them: a script's click on a label causes
 * a trusted click on the label's control.
 */
const PRESSES = ['pointerdown', 'pointerup', 'keydown', 'keyup']

/** Signals that end the observation of user gestures, by window. */
const watched = new WeakMap<Window, AbortSignal>()

/**
 * Starts a period in which no event on the page counts as a user gesture, and returns the function that ends it. Later
 * user gestures in these windows are observed until the signal is aborted.
 */
export function beginActing(
  views: Iterable<Window> = [],
  released: AbortSignal = AbortSignal.abort(),
): () => void {
  const acts = pageActs()
  for (const view of views) watchPresses(view, acts, released)
  acts.open++
  acts.turns++
  const end = once(() => {
    removeEventListener('pagehide', end)
    acts.open--
    acts.turns++
    acts.staleUntil = hasUserActivation() ? Date.now() + ACTIVATION_MS : 0
  })
  // Removing a frame stops the code in it, but the page-wide record remains.
  addEventListener('pagehide', end)
  return end
}

function watchPresses(view: Window, acts: PageActs, signal: AbortSignal): void {
  if (watched.get(view)?.aborted === false) return
  watched.set(view, signal)
  const note = ({ isTrusted }: Event): void => {
    if (isTrusted) acts.pressed = acts.turns
  }
  for (const type of PRESSES) view.addEventListener(type, note, { capture: true, signal })
}
