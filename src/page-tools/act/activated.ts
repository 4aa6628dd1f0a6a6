import { closest, isElement, isTag, parentOf } from '../dom.ts'
import * as native from '../native.ts'
import type { PageAction } from '../options.ts'
import { isEditable } from './field-kind.ts'
import { defaultButtonOf, submitterOf } from './sites.ts'

const CONTROLS =
  'button,a,area,summary,input,select,textarea,[role=button],[role=link],[role=switch],[role^=menuitem]'
const BUTTONS = 'button,input[type=submit],input[type=button],input[type=image],[role=button]'
const LEVELS = 6
const BUTTONS_OF_COMPOSER = 12

/** The element, and what it activates in turn. */
export function activated(element: Element, action: PageAction): readonly Element[] {
  const label = closest(element, 'label')
  const control = label && isTag(label, 'label') ? label.control : null
  const button = action === 'enter' ? defaultButtonOf(element) : null
  return [element, control, button].filter((one) => one !== null)
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
