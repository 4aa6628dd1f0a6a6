import { closest, contains, focusedElement, isElement, isTag, referenced, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { LivePage } from '../outline/live-page.ts'
import { isAllowed } from '../outline/region.ts'
import { takesKeys } from './guard-actions.ts'
import { keyOf } from './key.ts'
import { sendKey } from './keyboard.ts'
import { pressOutside } from './pointer.ts'

const LISTS = '[role=listbox],[role=menu],[role=tree],[role=grid]'
const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]'
const ESCAPE = keyOf('Escape')

/** Blurs the focused field when its open list is in the way of an element, as a click elsewhere would. */
export function leaveCovering(blocker: Element, element: Element): void {
  const focused = focusedElement(native.ownerDocument(element))
  if (!isElement(focused) || contains(focused, element)) return
  if (ownLists(focused).some((list) => contains(list, blocker) && !contains(list, element)))
    native.blur(focused)
}

/**
 * Closes a list that still floats over an element, as a person does first: it gets an Escape, and what listens for a press
 * elsewhere hears one. Neither activates anything. Both may close a dialog: in one, only the list of the focused field is
 * closed, by the field's own Escape.
 */
export function dismissCovering(blocker: Element, element: Element, live: LivePage): void {
  const focused = focusedElement(native.ownerDocument(element))
  const own = focused ? ownLists(focused).find((one) => contains(one, blocker)) : undefined
  const list = own ?? closest(blocker, LISTS)
  if (!list || contains(list, element) || !isFloating(list)) return
  const receiver = [focused, list].find((one) => one && takesKeys(one, live))
  const isInDialog = [list, receiver].some((one) => one && closest(one, DIALOGS))
  if (isInDialog && !own) return
  if (receiver) pressEscape(receiver)
  if (isInDialog) return
  const body = nativeDocument.body(native.ownerDocument(list))
  if (native.checkVisibility(list) && isAllowed(body, live.options)) pressOutside(body)
}

function pressEscape(receiver: Element): void {
  sendKey(receiver, 'keydown', ESCAPE)
  sendKey(receiver, 'keyup', ESCAPE)
}

function ownLists(field: Element): readonly Element[] {
  return [...referenced(field, 'aria-controls'), ...referenced(field, 'aria-owns')]
}

/** Whether it lies over the page rather than in it. */
function isFloating(list: Element): boolean {
  for (let at: Element | null = list; at && !isTag(at, 'body'); at = native.parentElement(at))
    if (/^(absolute|fixed)$/.test(viewOf(at).getComputedStyle(at).position)) return true
  return false
}
