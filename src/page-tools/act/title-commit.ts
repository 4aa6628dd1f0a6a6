import { cleanText } from '../clean-text.ts'
import {
  isHarmless,
  readCommit,
  readConsent,
  readDecline,
  readSaving,
} from '../commits/read-commit.ts'
import { closest, descendantsOf, referenced } from '../dom.ts'
import { drawnText } from '../generated-text.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { nameOf } from '../outline/name.ts'

const DIALOGS = 'dialog,[role=dialog],[role=alertdialog]'
const SECTIONS = 'section,article,fieldset,[role=region],[role=group]'
const BUTTONS = 'button,input[type=submit],input[type=button],[role=button]'
const TITLES = 'h1,h2,h3,h4,h5,h6,legend,[role=heading]'
const CHOICES = 'input[type=checkbox],input[type=radio],[role=checkbox],[role=radio],[role=switch]'
const NAMED = '[aria-label],[aria-labelledby],[title]'
/** Maximum number of buttons in a dialog that asks a question, without those that decline. Other dialogs have more. */
const BUTTONS_OF_QUESTION = 2

interface Ending {
  /** The form that the control submits. */
  readonly form: HTMLFormElement | null
  readonly names: readonly string[]
  readonly options: PageOptions
}

/** Finds a committing word in the title of the form or dialog that a control ends: "OK" under "Delete account?". */
export function titleCommit(control: Element, { form, names, options }: Ending): string | null {
  const isOther = (name: string): boolean =>
    [readDecline, isHarmless, readSaving].some((read) => read(name))
  if (names.some(isOther)) return null
  const consents = names.every(readConsent)
  const dialog = closest(control, DIALOGS)
  const isAsked = dialog !== null && (form === null || consents) && isQuestion(dialog)
  const ended = [...(form && consents ? [form, sectionOf(form)] : []), isAsked ? dialog : null]
  for (const one of ended)
    for (const title of one ? titlesOf(one, options) : []) {
      const found = readCommit(title, 'ending')
      if (found) return found
    }
  return null
}

/** Whether the dialog asks for a yes or a no. */
function isQuestion(dialog: Element): boolean {
  const others = allIn(dialog, BUTTONS).filter((button) => !readDecline(labelOf(button)))
  return others.length <= BUTTONS_OF_QUESTION
}

function labelOf(button: Element): string {
  const value = native.getAttribute(button, 'value') ?? ''
  return cleanText(native.getAttribute(button, 'aria-label') ?? (drawnText(button) || value))
}

/** The part of the page that holds only this form. */
function sectionOf(form: Element): Element | null {
  const section = closest(form, SECTIONS)
  return section && native.querySelectorAll(section, 'form').length === 1 ? section : null
}

function titlesOf(element: Element, options: PageOptions): readonly string[] {
  const described = referenced(element, 'aria-describedby').slice(0, 1)
  const headings = allIn(element, TITLES)
    .filter((title) => !isOfChoices(title))
    .slice(0, 2)
  const words = native.matches(element, DIALOGS) ? allIn(element, 'p').slice(0, 2) : []
  // An unnamed element is called by its first words, which may be those of a choice.
  const isNamed = native.matches(element, NAMED) || native.querySelector(element, CHOICES) === null
  return [
    isNamed ? nameOf(element, 'form', options).text : '',
    ...[...headings, ...described, ...words].map((title) => drawnText(title)),
  ]
}

/** Whether the title is the legend of a group of boxes, which names the choices: "Send me mail about". */
function isOfChoices(title: Element): boolean {
  const group = native.localName(title) === 'legend' && native.parentElement(title)
  return group ? native.querySelector(group, CHOICES) !== null : false
}

/** Matching descendants as rendered, in slots and shadow roots, too. */
function allIn(element: Element, selector: string): Element[] {
  return [...descendantsOf(element)].filter((one) => native.matches(one, selector))
}
