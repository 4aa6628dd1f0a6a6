import { normalize } from '../clean-text.ts'
import { contains, isTag, parentOf } from '../dom.ts'
import * as native from '../native.ts'
import { isOpen, namesOf, type OptionSearch } from './option-list.ts'

// Detects whether the page took a choice: by the option's own state, and by the text in the field beside its list.

const FIELDS = 'input,select,textarea,[role=combobox],[role=textbox]'
const LISTS = '[role=listbox],[role=menu],[role=tree],[role=option],[role=radio],datalist'
const UNREAD = 'select,script,style,template'
const LEVELS = 3

/** An option about to be clicked, and what its field shows before the click. */
export interface PendingChoice {
  readonly option: HTMLElement
  readonly names: readonly string[]
  readonly scope: Element
  readonly timesShown: number
  readonly isValue: boolean
  /** The list sets `aria-selected` on the option under the pointer, chosen or not. */
  readonly marksPointer: boolean
}

/** Call it before the click. */
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
  // While the list is open, the field may hold the text typed to filter it: that proves no choice.
  if (isValue(element, names) && (!choice.isValue || !isOpen(element))) return true
  return timesShown(choice, element) > choice.timesShown
}

/** Whether the option's name appears in its field, outside of its list. */
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

/** Whether `aria-checked` or a checked box in the option says so. A pointer causes neither. */
export function isChecked(option: HTMLElement): boolean {
  return (
    native.matches(option, '[aria-checked="true"],:checked') ||
    native.querySelector(option, ':checked') !== null
  )
}

/** Whether the option has `aria-selected`. Some lists set it on the highlighted option only. */
export function isSelected(option: HTMLElement): boolean {
  return native.matches(option, '[aria-selected="true"]')
}

/** The field with the elements drawn around it, up to one that holds another field. */
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

/** Counts the places around the field, outside of lists, that show one of the names. */
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
