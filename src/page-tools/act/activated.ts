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
/** What a click on a part of it activates. */
const AROUND =
  'button,a,summary,[role=button],[role=link],[role=switch],[role=checkbox],[role=radio],[role=tab],[role=option],[role^=menuitem]'
const ACTIVATING = /^(click|enter|check)$/

/** The element, what it is a part of, and what it activates in turn. */
export function activated(element: Element, action: PageAction): readonly Element[] {
  const around = ACTIVATING.test(action) ? pathOf(element, AROUND) : []
  return [...new Set([element, ...around, ...passedOn(element, action)])]
}

/** What is activated in turn, wherever it is: a label's control, and by Enter in a field its form's button. */
export function passedOn(element: Element, action: PageAction): readonly Element[] {
  const labelled = pathOf(element, 'label').map((one) => (isTag(one, 'label') ? one.control : null))
  const button = action === 'enter' ? defaultButtonOf(element) : null
  return [...labelled, button].flatMap((one) => (one && one !== element ? one : []))
}

/** What a person who is asked about the element has to know of, too: the control that it is a part of or passes on to. */
export function controlsBehind(element: Element, action: PageAction): readonly Element[] {
  if (!ACTIVATING.test(action)) return []
  const isControl = native.matches(element, CONTROLS)
  const [around] = isControl ? [] : pathOf(element, AROUND)
  const all = [around, ...passedOn(element, action), submitterOf(element), linkAround(element)]
  return [...new Set(all.flatMap((one) => one ?? []))].filter((one) => one !== element)
}

/** The control that a press on the element activates: itself, or what it is a part of. */
export function controlAround(element: Element): Element {
  return closest(element, CONTROLS) ?? element
}

/** The buttons that a script may press at an Enter in a field: where that submits no form, those beside it. */
export function pressedByScript(field: Element): readonly Element[] {
  const submits = activated(field, 'enter').some((one) => submitterOf(one) !== null)
  return submits || !isEditable(field) ? [] : buttonsBeside(field)
}

/** The buttons beside a field whose Enter a script may take for a press of one of them: in a chat, for one. */
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
