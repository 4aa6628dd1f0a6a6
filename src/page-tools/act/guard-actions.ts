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
/** Elements that are activated by a click on one of their parts. */
const ACTIVATED_BY_PARTS =
  'button,a,summary,[role=button],[role=link],[role=switch],[role=checkbox],[role=radio],[role=tab],[role=option],[role^=menuitem]'
const ACTIVATING = /^(click|enter|check)$/

/** Returns the element, the controls around it, and the elements that it activates in turn. */
export function activatedElements(element: Element, action: PageAction): readonly Element[] {
  const ancestors = ACTIVATING.test(action) ? pathOf(element, ACTIVATED_BY_PARTS) : []
  return [...new Set([element, ...ancestors, ...findActivatedInTurn(element, action)])]
}

/** Returns the elements activated in turn: a label's control, and for Enter in a field the form's default button. */
function findActivatedInTurn(element: Element, action: PageAction): readonly Element[] {
  const labelControls = pathOf(element, 'label').map((item) =>
    isTag(item, 'label') ? item.control : null,
  )
  const button = action === 'enter' ? defaultButtonOf(element) : null
  return [...labelControls, button].flatMap((candidate) =>
    candidate && candidate !== element ? candidate : [],
  )
}

/**
 * Other controls that an approval must name: the control around the element, and controls that the element activates.
 */
export function findActivatedControls(element: Element, action: PageAction): readonly Element[] {
  if (!ACTIVATING.test(action)) return []
  const isControl = native.matches(element, CONTROLS)
  const [ancestor] = isControl ? [] : pathOf(element, ACTIVATED_BY_PARTS)
  const candidates = [
    ancestor,
    ...findActivatedInTurn(element, action),
    submitterOf(element),
    linkAround(element),
  ]
  return [...new Set(candidates.flatMap((candidate) => candidate ?? []))].filter(
    (candidate) => candidate !== element,
  )
}

/** Returns the control that a click on the element activates: itself, or the nearest one around it. */
export function findControl(element: Element): Element {
  return closest(element, CONTROLS) ?? element
}

/** Buttons that a page's script may press on Enter in a field: those beside it. Empty if Enter submits a form. */
export function findScriptedButtons(field: Element): readonly Element[] {
  const submitsForm = activatedElements(field, 'enter').some(
    (candidate) => submitterOf(candidate) !== null,
  )
  return submitsForm || !isEditable(field) ? [] : findButtonsBeside(field)
}

/** Buttons beside a field for which a script may treat Enter as a click, as in a chat. Empty for search fields. */
function findButtonsBeside(field: Element): readonly Element[] {
  if (closest(field, 'search,[role=search]')) return []
  let ancestor = getParent(field)
  for (let level = 0; ancestor && level < LEVELS; level += 1, ancestor = getParent(ancestor)) {
    const buttons = [...native.querySelectorAll(ancestor, BUTTONS)].filter(isElement)
    if (buttons.length > BUTTONS_OF_COMPOSER) return []
    if (buttons.length > 0) return buttons
    if (native.matches(ancestor, 'form,dialog,[role=dialog],main,body')) return []
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
  { classify, asked: approvedMarks = [] }: PageOptions & { readonly asked?: readonly Element[] },
): boolean {
  const activated = [
    ...activatedElements(element, action),
    ...(action === 'enter' ? findScriptedButtons(element) : []),
  ]
  return activated.some(
    (candidate) =>
      marksOf(candidate).some((mark) => !approvedMarks.includes(mark)) ||
      isClassified(candidate, action, classify),
  )
}

type Classify = NonNullable<PageOptions['classify']>

const warnedClassifiers = new WeakSet<Classify>()

/** Treats an unknown answer or an error as a commit: it is better to ask a person once too often. */
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

function warnOnce(classify: Classify, problem: string, ...details: readonly unknown[]): void {
  if (warnedClassifiers.has(classify)) return
  warnedClassifiers.add(classify)
  console.warn(
    `offstage: classify ${problem}, not 'commit' or undefined. Each such action needs approval.`,
    ...details,
  )
}

/** Elements with `data-offstage-confirm` that apply: around the element, its labels, or its form. */
export function marksOf(element: Element): readonly Element[] {
  return [element, ...labelsOf(element), getForm(element)].flatMap(
    (candidate) => (candidate && closest(candidate, MARKED)) ?? [],
  )
}

function getForm(element: Element): Element | null {
  const { form } = element as Partial<HTMLInputElement>
  return isElement(form) ? form : null
}

/** How an action affects the checked element. Undefined for actions that write, choose or move the pointer. */
export type ActionEffect = Activation | 'drop'

/**
 * Compares actions with the call's approval. `checkBeforeAction` throws if another element was approved, or if the
 * element needs approval and has none.
 */
export interface Guard {
  checkBeforeAction(element: Element, effect: ActionEffect | undefined): void
  /**
   * Checks an element that the action may already have changed. Throws if its address has changed, or approval is
   * missing.
   */
  checkDuringAction(element: Element, effect: ActionEffect | undefined): void
  /** Throws if the page submits a form by POST that needed approval. */
  checkFormPost(): void
}

/** The page of an action, and the signal of its call. */
export interface ActionContext {
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
  { live, signal }: ActionContext,
  effect?: ActionEffect,
): void {
  if (signal) guards.get(signal)?.checkBeforeAction(element, effect)
  requireActivated(element, effect, live.options)
  if (effect && effect !== 'drop') requireSite(element, effect, live)
}

/**
 * Throws `outside` unless the tools may use the elements that are activated in turn. A label passes a click on to its
 * control, and Enter in a field presses its form's button: either may be outside.
 */
export function requireActivated(
  element: Element,
  effect: ActionEffect | undefined,
  options: PageOptions,
): void {
  for (const activated of findActivatedInTurn(element, effect === 'activate' ? 'enter' : 'click'))
    requireAllowed(activated, options)
}

/** Repeats the check before a key press: the page may have moved the focus elsewhere. */
export function checkKey(receiver: Element, call: ActionContext, activation?: Activation): void {
  if (!canReceiveKeys(receiver, call.live)) requireAllowed(receiver, call.live.options)
  checkAction(receiver, call, activation)
}

/**
 * Whether keys may go to the element. If nothing is focused, keys go to the body, even if only a part of the body may
 * be used.
 */
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
  { live, signal }: ActionContext,
  activation: Activation | undefined,
): void {
  if (signal && native.isConnected(element))
    guards.get(signal)?.checkDuringAction(element, activation)
  if (activation) requireSite(element, activation, live)
}

/** Call it when the page submits a form by POST. Throws if the submission needed approval. */
export function checkPost(signal: AbortSignal | undefined): void {
  if (signal) guards.get(signal)?.checkFormPost()
}

/** Longest time for which any browser keeps a transient user activation. Milliseconds. */
const ACTIVATION_MS = 5000
/**
 * Events that a script can't cause with `isTrusted` set. `click` isn't one of them: a script's click on a label causes
 * a trusted click on the label's control.
 */
const GESTURE_EVENTS = ['pointerdown', 'pointerup', 'keydown', 'keyup']

/** Signals that end the observation of user gestures, by window. */
const observedWindows = new WeakMap<Window, AbortSignal>()

/**
 * Starts a period in which no event on the page counts as a user gesture, and returns the function that ends it. Later
 * user gestures in these windows are observed until the signal is aborted.
 */
export function beginActing(
  views: Iterable<Window> = [],
  releaseSignal: AbortSignal = AbortSignal.abort(),
): () => void {
  const acts = pageActs()
  for (const view of views) observeGestures(view, acts, releaseSignal)
  acts.open++
  acts.turns++
  const endActing = once(() => {
    removeEventListener('pagehide', endActing)
    acts.open--
    acts.turns++
    acts.staleUntil = hasUserActivation() ? Date.now() + ACTIVATION_MS : 0
  })
  // Ends the period when this frame is removed: its code stops, but the record is page-wide.
  addEventListener('pagehide', endActing)
  return endActing
}

function observeGestures(view: Window, acts: PageActs, signal: AbortSignal): void {
  if (observedWindows.get(view)?.aborted === false) return
  observedWindows.set(view, signal)
  const recordGesture = ({ isTrusted }: Event): void => {
    if (isTrusted) acts.pressed = acts.turns
  }
  for (const type of GESTURE_EVENTS)
    view.addEventListener(type, recordGesture, { capture: true, signal })
}
