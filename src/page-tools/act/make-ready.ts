import {
  closest,
  contains,
  focusedElement,
  isElement,
  isTag,
  ancestorsOf,
  referenced,
  renderedElement,
  toWindowPixels,
  viewOf,
} from '../dom.ts'
import * as native from '../native.ts'
import { type LivePage, scrub } from '../outline/live-page.ts'
import { PageError } from '../page.ts'
import { isActionable, getShownRole } from '../outline/role.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { isDisabled } from '../outline/state.ts'
import { deadline, nextFrame, sleep } from '../waiting.ts'
import { describeElement } from './target.ts'
import { type Hit, hitTestPlace, hitTest, type Point, scrollToPlace } from './hit-test.ts'
import * as nativeDocument from '../native-document.ts'
import { isAllowed } from '../outline/region.ts'
import { DIALOGS } from './commits.ts'
import { isEditable } from './field-kind.ts'
import { canReceiveKeys } from './guard-actions.ts'
import { keyOf } from './text/key.ts'
import { sendKey } from './text/keyboard.ts'
import { pressOutside } from './pointer.ts'

/** How long to wait for a moving element, which is then used while it moves. Milliseconds. */
const STABLE_MS = 600
/** How long an element may stay covered: by a closing menu, for example. Milliseconds. */
const COVER_MS = 700
/** Tries after which a covering list is dismissed: until then, a closing list may disappear by itself. */
const TRIES_BEFORE_DISMISSING = 2

export interface ReadyOptions {
  readonly live: LivePage
  readonly signal?: AbortSignal | undefined
  /** Rejects disabled elements. Default true; false for hovering and scrolling. */
  readonly enabled?: boolean
  /** Keys use the element, so its custom appearance may cover it. Default false. */
  readonly byKeys?: boolean
  /** Point on the element. Default: any point where it can be used. */
  readonly at?: Point | undefined
}

/**
 * Scrolls an element to where a person could use it, and finds the point to use it at. Rejects with
 * `hidden`, `disabled` or `covered`.
 */
export async function makeReady(element: HTMLElement, options: ReadyOptions): Promise<Hit> {
  const name = describeElement(element, options.live)
  const invisible = hiddenReason(element)
  if (invisible) throw new PageError('hidden', `${name} can't be used: ${invisible}.`)
  if (options.enabled !== false) requireEnabled(element, options.live)
  if (!isWithinView(element, options.at)) scrollPointIntoView(element, options.at)
  await becomeStable(element, options.signal)
  return waitForHit(element, { ...options, name })
}

/** Throws `disabled` for a disabled element, and for an option of a disabled list. */
export function requireEnabled(element: Element, live: LivePage): void {
  if (
    ![element, native.closest(element, 'select')].some(
      (candidate) => candidate && isDisabled(candidate),
    )
  )
    return
  const name = describeElement(element, live)
  throw new PageError('disabled', `${name} is disabled. Something else must be done first.`)
}

export function scrollIntoView(element: Element): void {
  // Browsers don't scroll to elements without a box.
  const rendered = renderedElement(element)
  const boxed =
    native.getClientRects(rendered).length > 0 ? rendered : native.firstElementChild(rendered)
  if (boxed)
    native.scrollIntoView(boxed, { block: 'center', inline: 'nearest', behavior: 'instant' })
}

function scrollPointIntoView(element: Element, at: Point | undefined): void {
  scrollIntoView(element)
  if (at) scrollToPlace(element, at)
}

function testHit(element: Element, at: Point | undefined): ReturnType<typeof hitTest> {
  return at ? hitTestPlace(element, at) : hitTest(element)
}

function isWithinView(element: Element, at: Point | undefined): boolean {
  if ('blocker' in testHit(element, at)) return false
  if (at) return true
  const rendered = renderedElement(element)
  const box = toWindowPixels(rendered, native.getBoundingClientRect(rendered))
  const { innerHeight } = viewOf(element)
  return box.top >= 0 && (box.bottom <= innerHeight || box.height > innerHeight)
}

/** Waits until the element keeps its position for two frames, with a limit for endless animations. */
async function becomeStable(element: Element, signal?: AbortSignal): Promise<void> {
  const view = viewOf(element)
  const deadline = performance.now() + STABLE_MS
  let before = native.getBoundingClientRect(element)
  while (performance.now() < deadline) {
    await nextFrame(view)
    signal?.throwIfAborted()
    const current = native.getBoundingClientRect(element)
    if (
      current.top === before.top &&
      current.left === before.left &&
      current.width === before.width
    )
      return
    before = current
  }
}

async function waitForHit(
  element: HTMLElement,
  { live, name, signal, byKeys = false, at }: ReadyOptions & { readonly name: string },
): Promise<Hit> {
  const isOver = deadline(viewOf(element), COVER_MS)
  for (let tries = 0; ; tries += 1) {
    const hit = testHit(element, at)
    if ('receiver' in hit) return hit
    if (byKeys && hit.blocker && isCustomAppearance(hit.blocker, element))
      return { point: { x: 0, y: 0 }, receiver: element }
    if (!native.isConnected(element))
      throw new PageError('stale-ref', `${name} was replaced meanwhile. Read the page again.`)
    // Requires some tries, because on a busy machine the time may be over before the first try.
    if (tries > TRIES_BEFORE_DISMISSING && isOver())
      throw unreachable(element, hit.blocker, { live, name })
    if (hit.blocker) leaveCovering(hit.blocker, element)
    if (hit.blocker && tries === TRIES_BEFORE_DISMISSING)
      dismissCovering(hit.blocker, element, live)
    scrollPointIntoView(element, at)
    await sleep(60, signal)
  }
}

/**
 * Whether the blocker is the custom appearance of the field: sliders are often invisible fields below or
 * inside it.
 */
function isCustomAppearance(blocker: Element, element: Element): boolean {
  if (contains(blocker, element)) return true
  const parent = native.parentElement(element)
  const grandparent = (parent && native.parentElement(parent)) ?? element
  return contains(grandparent, blocker)
}

function unreachable(
  element: HTMLElement,
  blocker: Element | null,
  { live, name }: { readonly live: LivePage; readonly name: string },
): PageError {
  const { width, height } = native.getBoundingClientRect(renderedElement(element))
  if (width === 0 || height === 0)
    return new PageError('hidden', `${name} can't be used: it has no size on the screen.`)
  if (viewOf(element).getComputedStyle(element).pointerEvents === 'none')
    return new PageError('disabled', `${name} ignores the pointer (pointer-events: none).`)
  if (!blocker) return new PageError('hidden', `${name} can't be scrolled into view.`)
  const cover = describeElement(findNamedCover(blocker), live)
  // A transparent field lies over its custom appearance, which is what a person sees.
  const { opacity } = viewOf(blocker).getComputedStyle(blocker)
  const advice =
    opacity === '0' && isActionable(getShownRole(blocker))
      ? 'Use that instead.'
      : 'Close or move that first.'
  const text = `${name} is covered by ${cover}. ${advice}`
  return new PageError('covered', scrub(text, live))
}

/**
 * The dialog in a covering element, or the nearest ancestor with an id, a role or a label, which says more in an error.
 */
function findNamedCover(blocker: Element): Element {
  const dialog = native.querySelector(blocker, '[role=dialog],dialog,[role=alertdialog]')
  if (dialog) return dialog
  for (const ancestor of [blocker, ...ancestorsOf(blocker)]) {
    if (isTag(ancestor, 'body')) break
    if (
      native.id(ancestor) ||
      native.hasAttribute(ancestor, 'role') ||
      native.hasAttribute(ancestor, 'aria-label')
    )
      return ancestor
  }
  return blocker
}

const LISTS = '[role=listbox],[role=menu],[role=tree],[role=grid]'
const ESCAPE = keyOf('Escape')

/** Blurs the focused field when its open list covers the element, as a click elsewhere would. */
function leaveCovering(blocker: Element, element: Element): void {
  const focused = focusedElement(native.ownerDocument(element))
  if (!isElement(focused) || contains(focused, element)) return
  if (
    getControlledLists(focused).some((list) => contains(list, blocker) && !contains(list, element))
  )
    native.blur(focused)
}

/**
 * Closes a list that still floats over an element, as a person would: with Escape, then with a press outside. Neither
 * activates anything, but both may close a dialog. In a dialog, only the focused field's own list is closed, with
 * Escape.
 */
function dismissCovering(blocker: Element, element: Element, live: LivePage): void {
  const focused = focusedElement(native.ownerDocument(element))
  const ownList = focused
    ? getControlledLists(focused).find((candidate) => contains(candidate, blocker))
    : undefined
  const list = ownList ?? closest(blocker, LISTS)
  if (!list) return leavePicker(blocker, element, live)
  if (contains(list, element) || !isFloating(list)) return
  const receiver = [focused, list].find((candidate) => candidate && canReceiveKeys(candidate, live))
  const isInDialog = [list, receiver].some((candidate) => candidate && closest(candidate, DIALOGS))
  if (isInDialog && !ownList) return
  if (receiver) pressEscape(receiver)
  if (isInDialog) return
  const body = nativeDocument.body(native.ownerDocument(list))
  if (native.checkVisibility(list) && isAllowed(body, live.options)) pressOutside(body)
}

/** Leaves a field whose picker floats over an element, as a press beside it would: a colour picker over a button. */
function leavePicker(blocker: Element, element: Element, live: LivePage): void {
  const focused = focusedElement(native.ownerDocument(element))
  const body = nativeDocument.body(native.ownerDocument(element))
  const isPickerOfFocused = focused && (isEditable(focused) || contains(blocker, focused))
  if (
    !isPickerOfFocused ||
    !isFloating(blocker) ||
    isFloating(element) ||
    closest(blocker, DIALOGS)
  )
    return
  native.blur(focused as HTMLElement)
  if (native.checkVisibility(blocker) && isAllowed(body, live.options)) pressOutside(body)
}

function pressEscape(receiver: Element): void {
  sendKey(receiver, 'keydown', ESCAPE)
  sendKey(receiver, 'keyup', ESCAPE)
}

function getControlledLists(field: Element): readonly Element[] {
  return [...referenced(field, 'aria-controls'), ...referenced(field, 'aria-owns')]
}

/** Whether the list floats over the page. */
function isFloating(list: Element): boolean {
  for (
    let ancestor: Element | null = list;
    ancestor && !isTag(ancestor, 'body');
    ancestor = native.parentElement(ancestor)
  )
    if (/^(absolute|fixed)$/.test(viewOf(ancestor).getComputedStyle(ancestor).position)) return true
  return false
}
