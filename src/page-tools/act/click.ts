import {
  ancestorsOf,
  closest,
  contains,
  descendantsOf,
  isElement,
  isTag,
  labelsOf,
  getParent,
  viewOf,
} from '../dom.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { type ActOptions, type PageOptions, PageError } from '../page.ts'
import { hiddenUntilHover, mayDependOnHover } from '../outline/hover/on-hover.ts'
import { isActionable, getShownRole } from '../outline/role.ts'
import { describeElement, resolveTarget, type Target } from './target.ts'
import {
  elementAt,
  type Hit,
  hitTest,
  describePoint,
  type Point,
  requireNoInnerControl,
} from './hit-test.ts'
import { clickPointer, type Modifiers, movePointer } from './pointer.ts'
import { type ActionOutcome, type ActionReport, perform } from './perform.ts'
import { makeReady, requireEnabled, scrollIntoView } from './make-ready.ts'
import { editContextOf, isTypedField, sendChoice } from './field-kind.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { type ActionContext, checkAction, checkPressed } from './guard-actions.ts'
import { showAction } from './highlight.ts'
import { nextFrame } from '../waiting.ts'
import { reactsItself } from '../outline/own-reaction.ts'
import { isAllowed } from '../outline/region.ts'
import type { OutlineNode } from '../outline/walk.ts'

const FIELDS = 'input,select,textarea,[role=checkbox],[role=radio],[role=switch],[role=combobox]'
const LEVELS = 4

/**
 * Returns the element that people click to use a field: the field itself, or an element displayed in its place.
 * Restyled fields often have no size, ignore the pointer or lie below their custom appearance. People then click the
 * label, or the smallest ancestor without another field.
 */
export function clickTarget(element: HTMLElement, options: PageOptions): HTMLElement {
  const isField = native.matches(element, FIELDS) || editContextOf(element) !== null
  if (!isField) return findPointerTarget(element, options)
  // A person can't type into a hidden field, whatever is displayed in its place.
  if (isTypedField(element) && hiddenReason(element) !== null) return element
  if (!isOnScreen(element)) scrollIntoView(element)
  const wrappers = findWrappers(element)
  const isClickable = isOnScreen(element) && takesPointer(element)
  if (isClickable && !isOverlaid(element, wrappers.at(-1) ?? element)) return element
  const label = labelsOf(element).find(
    (candidate) => takesPointer(candidate) && isAllowed(candidate, options),
  )
  if (isElement(label)) return label
  return wrappers.find(takesPointer) ?? element
}

/**
 * Some controls, such as a component's inner button, let the pointer through to an ancestor. Returns that ancestor if
 * it is a control and holds no other control, otherwise the element itself. An element that only looks disabled has no
 * such ancestor.
 */
function findPointerTarget(element: HTMLElement, options: PageOptions): HTMLElement {
  if (!ignoresPointer(element)) return element
  for (const ancestor of [...ancestorsOf(element)].slice(0, LEVELS)) {
    if (!isElement(ancestor) || isTag(ancestor, 'body') || containsOtherControl(ancestor, element))
      break
    if (!ignoresPointer(ancestor))
      return reacts(ancestor, element) && isAllowed(ancestor, options) ? ancestor : element
  }
  return element
}

function reacts(ancestor: Element, element: Element): boolean {
  return (
    reactsItself(ancestor) ||
    isActionable(getShownRole(ancestor)) ||
    native.shadowRoot(ancestor)?.contains(element) === true
  )
}

function containsOtherControl(ancestor: Element, element: Element): boolean {
  for (const candidate of descendantsOf(ancestor))
    if (
      candidate !== element &&
      isActionable(getShownRole(candidate)) &&
      !contains(element, candidate) &&
      !contains(candidate, element)
    )
      return true
  return false
}

function ignoresPointer(element: Element): boolean {
  return viewOf(element).getComputedStyle(element).pointerEvents === 'none'
}

/** The ancestors of a field that contain no other field, innermost first. */
function findWrappers(element: Element): HTMLElement[] {
  const wrappers: HTMLElement[] = []
  for (const ancestor of [...ancestorsOf(element)].slice(0, LEVELS)) {
    if (!isElement(ancestor) || isTag(ancestor, 'body')) break
    const others = [...native.querySelectorAll(ancestor, FIELDS)].filter((other) =>
      isSeparateField(other, element),
    )
    if (others.length > 0) break
    wrappers.push(ancestor)
  }
  return wrappers
}

/** Whether the field is separate from the element. Hidden fields are ignored: they only carry a value. */
function isSeparateField(field: Element, element: Element): boolean {
  const isHidden = native.matches(field, '[type=hidden],[aria-hidden=true]')
  return !isHidden && field !== element && !contains(element, field) && !contains(field, element)
}

function takesPointer(element: HTMLElement): boolean {
  const { width, height } = native.getBoundingClientRect(element)
  return width > 1 && height > 1 && hiddenReason(element) === null && !ignoresPointer(element)
}

/** Whether the topmost element at the element's centre is in the wrapper, or around the element. */
function isOverlaid(element: Element, wrapper: Element): boolean {
  const top = elementAt(native.ownerDocument(element), getMiddle(element))
  if (!top || contains(element, top)) return false
  return contains(wrapper, top) || contains(top, element)
}

function isOnScreen(element: Element): boolean {
  const { x, y } = getMiddle(element)
  const { innerWidth, innerHeight } = viewOf(element)
  return x >= 0 && y >= 0 && x < innerWidth && y < innerHeight
}

function getMiddle(element: Element): Point {
  const { left, top, width, height } = native.getBoundingClientRect(element)
  return { x: left + width / 2, y: top + height / 2 }
}

/** Options of `click`: the kind of click, modifier keys, and the point to click. */
export interface ClickOptions extends ActOptions {
  /** `double`: two left clicks; `right`: opens context menus. Default `single`. */
  readonly kind?: 'single' | 'double' | 'right'
  /** Keys held during the click: `ctrlKey`, `shiftKey`, `altKey`, `metaKey`. Default: none. */
  readonly modifiers?: Modifiers
  /**
   * Point on the element, as fractions of its width and height from 0 to 1; for a picture, as `look` shows it. Default:
   * the middle.
   */
  readonly at?: Point
}

export async function click(target: Target, options: ClickOptions = {}): Promise<ActionReport> {
  const { at } = options
  if (at && ![at.x, at.y].every((part) => part >= 0 && part <= 1))
    throw new PageError('invalid-input', 'at.x and at.y must be fractions, from 0 to 1.')
  const element = await resolveTarget(target, options)
  return perform(options, async (context) => {
    const isClicked = await clickElement(element, context, options)
    return createOutcome(element, context, { ...options, isClicked })
  })
}

function createOutcome(
  element: Element,
  { live }: ActionContext,
  { kind = 'single', at, isClicked }: ClickOptions & { readonly isClicked: boolean },
): ActionOutcome {
  if (!isClicked) return { summary: onlyPressed(describeElement(element, live)), element }
  const verb = { single: 'Clicked', double: 'Double-clicked', right: 'Right-clicked' }[kind]
  const positionNote = at ? ` at ${describePoint(at)}` : ''
  return { summary: `${verb} ${describeElement(element, live)}${positionNote}.`, element }
}

/** Report for a page that re-renders when the button goes down, before the click reaches the element. */
export function onlyPressed(name: string): string {
  return `${name} was pressed, but the page replaced or removed it before the click reached it: nothing was clicked. Read what changed before you try again.`
}

/**
 * Clicks without a report, for actions of several steps. Returns false if the page replaced the element before the
 * click.
 */
export async function clickElement(
  element: HTMLElement,
  context: ActionContext,
  { kind = 'single', modifiers = {}, at }: Pick<ClickOptions, 'kind' | 'modifiers' | 'at'> = {},
): Promise<boolean> {
  const { live } = context
  const clickable = at ? element : clickTarget(element, live.options)
  const option = closest(clickable, 'option')
  if (option && isTag(option, 'option')) {
    requireEnabled(option, live)
    checkAction(option, context)
    pickOption(option)
    return true
  }
  const name = describeElement(clickable, live)
  let hit = await readyToClick(clickable, context, at)
  await showAction(context.live, clickable)
  movePointer(live, hit)
  if (!native.isConnected(hit.receiver)) hit = replacementHit(hit, clickable, { live, name })
  if (at) requireNoInnerControl(hit.receiver, element, live)
  const effect = kind === 'right' ? undefined : 'click'
  checkAction(element, context, effect)
  checkAction(hit.receiver, context, effect)
  const button = kind === 'right' ? 2 : 0
  const check = (clicked: Element): void => {
    for (const pressed of [element, clicked]) checkPressed(pressed, context, effect)
  }
  const dispatchOptions = { target: clickable, check }
  const isClicked = clickPointer(hit, { ...modifiers, button, detail: 1 }, dispatchOptions)
  if (kind === 'double' && native.isConnected(clickable)) {
    const receiver = native.isConnected(hit.receiver) ? hit.receiver : clickable
    clickPointer({ ...hit, receiver }, { ...modifiers, button, detail: 2 }, dispatchOptions)
  }
  return isClicked
}

/**
 * Returns the point to click. If a style shows the element only on hover, the events go directly to the element, while
 * the pointer is over the nearest visible ancestor.
 */
async function readyToClick(
  element: HTMLElement,
  { live, signal }: ActionContext,
  at: ClickOptions['at'],
): Promise<Hit> {
  if (!hiddenUntilHover(element)) return makeReady(element, { live, signal, ...(at && { at }) })
  const ancestorHit = await hoverAncestor(element, { live, signal })
  // A hit test finds an element that is only transparent, or that a script has shown by now.
  const hit = hiddenReason(element) === null ? hitTest(element) : null
  return hit && 'receiver' in hit ? hit : { point: ancestorHit.point, receiver: element }
}

/**
 * Returns the new hit if the page re-rendered what is under the pointer. Throws `stale-ref` if the element is gone, and
 * no element with its role and text has replaced it.
 */
function replacementHit(
  { point, receiver }: Hit,
  element: HTMLElement,
  { live, name }: { readonly live: LivePage; readonly name: string },
): Hit {
  const found = elementAt(native.ownerDocument(receiver), point)
  const isSame = (candidate: Element): boolean =>
    getShownRole(candidate) === getShownRole(element) &&
    native.textContent(candidate) === native.textContent(element)
  for (let current = found; current; current = getParent(current))
    if (current === element || (!native.isConnected(element) && isSame(current)))
      return { point, receiver: found ?? current }
  const replacement = found ? ` by ${describeElement(found, live)}` : ''
  throw new PageError(
    'stale-ref',
    `${name} was replaced${replacement} when the pointer came over it.`,
  )
}

function pickOption(option: HTMLOptionElement): void {
  const list = option.closest('select')
  if (!list || option.selected) return
  option.selected = true
  sendChoice(list)
}

/**
 * Moves the pointer onto the nearest visible ancestor of an element that a style shows on hover only. Rejects if the
 * ancestor can't be reached, or if the element is disabled.
 */
async function hoverAncestor(element: HTMLElement, context: ActionContext): Promise<Hit> {
  const { live, signal } = context
  requireEnabled(element, live)
  const isVisible = (candidate: Element): boolean =>
    hiddenReason(candidate) === null && !hiddenUntilHover(candidate)
  const ancestor = [...ancestorsOf(element)].find(isVisible)
  if (!isElement(ancestor))
    throw new PageError('hidden', `${describeElement(element, live)} can't be used: it is hidden.`)
  const hit = await makeReady(ancestor, { live, signal, enabled: false })
  movePointer(live, hit)
  // Waits two frames, in which a script may show the element, or another in its place.
  for (let frame = 0; frame < 2; frame += 1) await nextFrame(viewOf(ancestor))
  return hit
}

export async function hover(target: Target, options: ActOptions = {}): Promise<ActionReport> {
  const element = await resolveTarget(target, options)
  return perform(options, async ({ live, signal }) => {
    const hit = await makeReady(element, { live, signal, enabled: false })
    await showAction(live, element)
    movePointer(live, hit)
    return {
      summary: ({ changed }) =>
        `The pointer is over ${describeElement(element, live)}.${changed ? '' : hoverNote(element, live)}`,
      element,
      opensSlowly: true,
    }
  })
}

const MAX_LISTED = 8
const HOVERED_LEVELS = 3

/**
 * Lists what `:hover` styles show at the element for a real pointer, but not for a scripted one. Empty if they show
 * nothing.
 */
function hoverNote(element: Element, live: LivePage): string {
  const shown = live.outline
    .hiddenUntilHover()
    .filter((node) => (node.clickable || isActionable(node.role)) && isNear(node, element))
  if (shown.length > 0) {
    const lines = shown
      .slice(0, MAX_LISTED)
      .map((node) => `\n- ${describeElement(node.element, live)}`)
    return ` To a person's pointer a style shows there what click takes, too:${lines.join('')}`
  }
  return mayDependOnHover(element)
    ? " A style may show something there, but only to a person's pointer."
    : ''
}

/** Whether the node is in the element, or shown beside it: their nearest visible ancestor holds both. */
function isNear(node: OutlineNode, element: Element): boolean {
  let visibleNode = node.parent
  while (visibleNode?.hoverHiding) visibleNode = visibleNode.parent
  if (!visibleNode) return false
  if (contains(element, node.element)) return true
  return [element, ...ancestorsOf(element)].slice(0, HOVERED_LEVELS).includes(visibleNode.element)
}
