import { normalize } from '../clean-text.ts'
import { contains, isTag, parentOf } from '../dom.ts'
import * as native from '../native.ts'
import { isOpen, namesOf, type OptionSearch } from './option-list.ts'

// What shows that an option was taken: its own state, and what stands in the field beside its list.

const FIELDS = 'input,select,textarea,[role=combobox],[role=textbox]'
const LISTS = '[role=listbox],[role=menu],[role=tree],[role=option],[role=radio],datalist'
const UNREAD = 'select,script,style,template'
const LEVELS = 3

/** An option that is about to be clicked, and what its field shows of it before. */
export interface PendingChoice {
  readonly option: HTMLElement
  readonly names: readonly string[]
  readonly scope: Element
  readonly timesShown: number
  readonly isValue: boolean
  /** Its list says `aria-selected` of what the pointer is over, chosen or not. */
  readonly marksPointer: boolean
}

/** To be called before the click. */
export function pendingChoice(
  option: HTMLElement,
  search: OptionSearch,
  marksPointer: boolean,
): PendingChoice {
  const { element } = search
  const names = namesOf(option, search).map(normalize).filter(Boolean)
  const scope = scopeOf(element)
  return {
    option,
    names,
    scope,
    marksPointer,
    timesShown: timesShown({ option, names, scope }, element),
    isValue: isValue(element, names),
  }
}

/** Whether the page shows the option as chosen now. */
export function showsChoice(choice: PendingChoice, element: HTMLElement): boolean {
  const { option, names, scope, marksPointer } = choice
  if (native.isConnected(option) && (isChecked(option) || (!marksPointer && isSelected(option))))
    return true
  if (names.some((name) => isChosenNatively(scope, name))) return true
  // What was typed to filter the list stands there, too, while it is open.
  if (isValue(element, names) && (!choice.isValue || !isOpen(element))) return true
  return timesShown(choice, element) > choice.timesShown
}

/** Whether the name of an option stands in its field, outside of its list. */
export function isShownIn(option: HTMLElement, search: OptionSearch): boolean {
  const { timesShown: times, isValue: isOwn } = pendingChoice(option, search, false)
  return times > 0 || isOwn
}

/** Whether a native select that a component keeps for its form has the choice. */
export function isChosenNatively(scope: Element, name: string): boolean {
  const wanted = normalize(name)
  return [...native.querySelectorAll<HTMLSelectElement>(scope, 'select')].some((select) =>
    [...select.selectedOptions].some(({ label }) => normalize(label) === wanted),
  )
}

/** By `aria-checked`, or a box that is checked in it: no pointer causes these. */
export function isChecked(option: HTMLElement): boolean {
  return (
    native.matches(option, '[aria-checked="true"],:checked') ||
    native.querySelector(option, ':checked') !== null
  )
}

/** A list may say it of what is highlighted only. */
export function isSelected(option: HTMLElement): boolean {
  return native.matches(option, '[aria-selected="true"]')
}

/** The field with what is drawn around it, as far as no other field is in it. */
export function scopeOf(element: HTMLElement): Element {
  let scope: Element = element
  for (let level = 0; level < LEVELS; level += 1) {
    const around = parentOf(scope)
    if (!around || isTag(around, 'body') || holdsOther(around, element)) break
    scope = around
  }
  return scope
}

function holdsOther(around: Element, element: Element): boolean {
  return [...native.querySelectorAll(around, FIELDS)].some(
    (one) =>
      native.checkVisibility(one) &&
      !native.closest(one, `${LISTS},[type=hidden],[aria-hidden=true]`) &&
      !contains(one, element) &&
      !contains(element, one),
  )
}

function isValue(element: Element, names: readonly string[]): boolean {
  return names.includes(normalize(valueOf(element) ?? native.textContent(element)))
}

function valueOf(element: Element): string | null {
  return isTag(element, 'input') || isTag(element, 'textarea') ? element.value : null
}

/** How often one of the names stands in the field, outside of lists. */
function timesShown(
  { option, names, scope }: Pick<PendingChoice, 'option' | 'names' | 'scope'>,
  element: HTMLElement,
): number {
  const list = parentOf(option)
  const isLeftOut = (one: Element): boolean =>
    native.matches(one, UNREAD) ||
    !native.checkVisibility(one) ||
    (!contains(one, element) && (one === list || one === option || native.matches(one, LISTS)))
  let count = 0
  const add = (text: string): void => {
    const shown = normalize(text)
    if (names.some((name) => shown.includes(name))) count += 1
  }
  const visit = (at: Element): void => {
    add(valueOf(at) ?? '')
    for (const node of native.childNodes(at)) {
      if (native.nodeType(node) === 3) add(native.nodeValue(node) ?? '')
      else if (native.nodeType(node) === 1 && !isLeftOut(node as Element)) visit(node as Element)
    }
  }
  visit(scope)
  return count
}
