import { closest, isElement, isTag, parentOf, pathOf } from '../dom.ts'
import * as native from '../native.ts'
import type { PageAction } from '../options.ts'
import { isEditable } from './field-kind.ts'
import { defaultButtonOf, linkAround, submitterOf } from './sites.ts'

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
export function activated(element: Element, action: PageAction): readonly Element[] {
  const around = ACTIVATING.test(action) ? pathOf(element, AROUND) : []
  return [...new Set([element, ...around, ...passedOn(element, action)])]
}

/** Returns the elements activated in turn: a label's control, and for Enter in a field the form's default button. */
export function passedOn(element: Element, action: PageAction): readonly Element[] {
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
  const submits = activated(field, 'enter').some((one) => submitterOf(one) !== null)
  return submits || !isEditable(field) ? [] : buttonsBeside(field)
}

/** Buttons beside a field for which a script may treat Enter as a click, as in a chat. Empty for search fields. */
function buttonsBeside(field: Element): readonly Element[] {
  if (closest(field, 'search,[role=search]')) return []
  let at = parentOf(field)
  for (let level = 0; at && level < LEVELS; level += 1, at = parentOf(at)) {
    const buttons = [...native.querySelectorAll(at, BUTTONS)].filter(isElement)
    if (buttons.length > BUTTONS_OF_COMPOSER) return []
    if (buttons.length > 0) return buttons
    if (native.matches(at, 'form,dialog,[role=dialog],main,body')) return []
  }
  return []
}
