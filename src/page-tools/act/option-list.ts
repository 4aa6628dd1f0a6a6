import { cleanText, normalize } from '../clean-text.ts'
import {
  ancestorsOf,
  closest,
  contains,
  isElement,
  isTag,
  getParent,
  referenced,
  viewOf,
} from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { PageOptions } from '../page.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { getAccessibleName } from '../outline/name.ts'
import { readableText } from '../read/readable-text.ts'
import { isReadable } from '../outline/region.ts'
import { getShownRole } from '../outline/role.ts'

/** Options with these labels, as far as the page has them before the list is opened. */
export function choicesOf(
  element: Element,
  labels: readonly string[],
  options: PageOptions,
): readonly Element[] {
  const list = isTag(element, 'label') ? (element.control ?? element) : element
  if (!isElement(list)) return []
  return labels.flatMap((label) => findChoice(list, label, options) ?? [])
}

function findChoice(list: HTMLElement, label: string, options: PageOptions): Element | undefined {
  if (isTag(list, 'select')) return nativeChoice(list, label)
  const search = { element: list, options, before: new Set<Element>() }
  const shown = isOpen(list) ? findOption(search, label) : undefined
  if (shown) return shown
  const unopenedOptions = findOwnOptions(list).filter((candidate) => isReadable(candidate, options))
  return bestMatch(unopenedOptions, label, (item) => [
    ...namesOf(item, search),
    native.textContent(item),
  ])
}

/** Finds an option of a native select by its label, otherwise by its value. */
export function nativeChoice(
  select: HTMLSelectElement,
  label: string,
): HTMLOptionElement | undefined {
  const options = [...select.options]
  return (
    bestMatch(options, label, (option) => [option.label]) ??
    options.find(({ value }) => value === label)
  )
}

/** Whether an element is the option that one of the labels names. */
export function matchesLabels(
  element: Element,
  labels: readonly string[],
  options: PageOptions,
): boolean {
  if (!isElement(element)) return false
  const search = { element, options, before: new Set<Element>() }
  return labels.some((label) => bestMatch([element], label, (item) => namesOf(item, search)))
}

// Lists of options that components render themselves.

const OPTIONS =
  '[role=option],[role=menuitem],[role=menuitemradio],[role=menuitemcheckbox],[role=treeitem]'
const RADIOS = '[role=radio],input[type=radio]'
const FIELDS = 'input,select,textarea,[role=combobox],[role=textbox]'
export const LISTS = '[role=listbox],[role=menu],[role=tree],[role=option],[role=radio],datalist'
/** Number of ancestors of a field in which its own parts are searched. */
export const LEVELS = 3
const CHOSEN = '[aria-selected="true"],[aria-checked="true"]'

/** An element whose options are searched, with the options on the page before its list was opened. */
export interface OptionSearch {
  readonly element: HTMLElement
  readonly options: PageOptions
  readonly before: ReadonlySet<Element>
}

/** Finds options, and elements with an option's text, before the list is opened: they aren't part of the list. */
export function presentBeforeOpening(
  element: HTMLElement,
  labels: readonly string[],
): Set<Element> {
  if (isOpen(element)) return new Set()
  const texts = labels.flatMap((label) => findElementsByText(label, element))
  return new Set([...findShownOptions(element), ...texts])
}

/** Whether the options are visible. A plain listbox always shows them. */
export function isOpen(element: HTMLElement): boolean {
  return findList(element) !== null || native.ariaExpanded(findCombobox(element)) === 'true'
}

/** The only rendered option of this name, whether or not it has a role. */
export function findOption(search: OptionSearch, label: string): HTMLElement | undefined {
  const option = bestMatch(optionsFor(search), label, (item) => namesOf(item, search))
  if (option) return option
  const { element, before } = search
  const popup = findPopup(element)
  return findElementsByText(label, element).find(
    (candidate) =>
      isReadable(candidate, search.options) &&
      (popup
        ? native.contains(popup, candidate)
        : !before.has(candidate) && (before.size > 0 || isFloatingBeside(candidate, element))),
  )
}

/** Options that may be read. */
export function optionsFor(search: OptionSearch): HTMLElement[] {
  return offeredOptions(search).filter((option) => isReadable(option, search.options))
}

function offeredOptions({ element, before }: OptionSearch): HTMLElement[] {
  const list = findList(element)
  // A list may open further lists next to it.
  if (list) return optionsIn(findPopup(element) ?? list)
  const shown = findShownOptions(element)
  const newOptions = shown.filter((option) => !before.has(option))
  if (newOptions.length > 0) return newOptions
  // A field that expands shows its list later. Options around such a field belong to something else.
  const isFixed = native.ariaExpanded(findCombobox(element)) === null
  const scope = isFixed ? scopeOf(element) : element
  return shown.filter((option) => contains(scope, option) || isFloatingBeside(option, element))
}

/**
 * The highest ancestor that holds no other field, at most `LEVELS` above the field. If there is none, the field itself.
 */
export function scopeOf(element: HTMLElement): Element {
  let scope: Element = element
  for (let level = 0; level < LEVELS; level += 1) {
    const ancestor = getParent(scope)
    if (!ancestor || isTag(ancestor, 'body') || holdsOther(ancestor, element)) break
    scope = ancestor
  }
  return scope
}

/** Whether an element around a field holds another field, outside of lists. */
export function holdsOther(ancestor: Element, element: Element): boolean {
  return [...native.querySelectorAll(ancestor, FIELDS)].some(
    (candidate) =>
      native.checkVisibility(candidate) &&
      !native.closest(candidate, `${LISTS},[type=hidden],[aria-hidden=true]`) &&
      !contains(candidate, element) &&
      !contains(element, candidate),
  )
}

/** Options of the element's own lists, visible or not. */
function findOwnOptions(element: HTMLElement): HTMLElement[] {
  const lists = [...referencedLists(element), element]
  return [
    ...new Set(lists.flatMap((list) => [...native.querySelectorAll<HTMLElement>(list, OPTIONS)])),
  ]
}

/** The names of an option: its accessible name and its visible text. */
export function namesOf(option: HTMLElement, { options }: OptionSearch): string[] {
  const role = getShownRole(option) || 'option'
  const visibleText = readableText(option, options)
  return [getAccessibleName(option, role, options).text || visibleText, visibleText]
}

/** Whether several options of its list may be chosen. */
export function allowsSeveral(option: HTMLElement, { element }: OptionSearch): boolean {
  const list = closest(option, '[role=listbox],[role=tree]') ?? findList(element)
  return (
    (list && native.getAttribute(list, 'aria-multiselectable')) === 'true' ||
    native.ariaChecked(option) !== null
  )
}

/** Whether the option's copy is chosen: a component may have a visible list, and a copy for assistive technology. */
export function chosenTwin(option: HTMLElement, search: OptionSearch): boolean {
  const texts = namesOf(option, search)
  return referencedLists(search.element)
    .flatMap((list) => [...native.querySelectorAll<HTMLElement>(list, CHOSEN)])
    .some((twin) => twin !== option && namesOf(twin, search).some((name) => texts.includes(name)))
}

export function scrollerOf(element: Element): Element | null {
  for (
    let ancestor = native.parentElement(element);
    ancestor;
    ancestor = native.parentElement(ancestor)
  )
    if (
      native.scrollHeight(ancestor) > native.clientHeight(ancestor) + 1 &&
      /auto|scroll/.test(getComputedStyle(ancestor).overflowY)
    )
      return ancestor
  return null
}

/** The list of a combobox: referenced by it, or inside it. */
export function findList(element: HTMLElement): Element | null {
  if (/^(listbox|menu|tree)$/.test(native.getAttribute(element, 'role') ?? '')) return element
  if (holdsRadios(element)) return element
  const hasVisibleOptions = (candidate: Element): boolean =>
    hiddenReason(candidate) === null && optionsIn(candidate).length > 0
  const referencedList = referencedLists(element).find(hasVisibleOptions)
  if (referencedList) return referencedList
  // A closed combobox may contain a list of the chosen values.
  if (native.ariaExpanded(findCombobox(element)) === 'false') return null
  const inner = [...native.querySelectorAll(element, '[role=listbox],[role=menu]')].filter(
    hasVisibleOptions,
  )
  return inner.find((candidate) => isFloatingBeside(candidate, element)) ?? inner[0] ?? null
}

function referencedLists(element: HTMLElement): Element[] {
  const owner = findCombobox(element)
  return [...referenced(owner, 'aria-controls'), ...referenced(owner, 'aria-owns')]
}

/** The combobox itself when the target is an element around it. */
function findCombobox(element: HTMLElement): Element {
  if (native.matches(element, '[role=combobox],[aria-controls],[aria-owns]')) return element
  return native.querySelector(element, '[role=combobox]') ?? element
}

/** The popup that contains the list. */
function findPopup(element: HTMLElement): Element | null {
  const [list] = referencedLists(element).filter((candidate) => hiddenReason(candidate) === null)
  return list ? findFloatingAncestor(list, element) : null
}

function isFloatingBeside(inner: Element, element: HTMLElement): boolean {
  return findFloatingAncestor(inner, element) !== null
}

/** The outermost positioned element around `inner` that doesn't also contain the combobox. */
function findFloatingAncestor(inner: Element, element: HTMLElement): Element | null {
  let found: Element | null = null
  for (const ancestor of [inner, ...ancestorsOf(inner)]) {
    if (contains(ancestor, element)) break
    if (/^(absolute|fixed)$/.test(viewOf(ancestor).getComputedStyle(ancestor).position))
      found = ancestor
  }
  return found
}

function findShownOptions(element: HTMLElement): HTMLElement[] {
  const host = native.getRootNode(element) as Document | ShadowRoot
  const rootOptions = 'host' in host ? [...optionsIn(host), ...optionsIn(host.host)] : []
  const shadow = native.shadowRoot(element)
  const shadowOptions = shadow ? optionsIn(shadow) : []
  return [
    ...new Set([
      ...shadowOptions,
      ...rootOptions,
      ...optionsIn(native.ownerDocument(element)),
      ...optionsIn(element),
    ]),
  ]
}

function holdsRadios(element: Element): boolean {
  return (
    /^(radiogroup|group)$/.test(getShownRole(element)) &&
    native.querySelector(element, RADIOS) !== null
  )
}

function optionsIn(scope: ParentNode): HTMLElement[] {
  // Native radio buttons may be hidden behind their labels.
  if (isElement(scope as Element) && holdsRadios(scope as Element))
    return [...native.querySelectorAll<HTMLElement>(scope, RADIOS)]
  const ownedElements = isElement(scope as Element) ? referenced(scope as Element, 'aria-owns') : []
  const found = [
    ...native.querySelectorAll(scope, OPTIONS),
    ...ownedElements.filter((candidate) => native.matches(candidate, OPTIONS)),
  ]
  return found.filter(
    (candidate): candidate is HTMLElement => isElement(candidate) && hasVisibleBox(candidate),
  )
}

/** Some components keep a second list of their options, without a size, for assistive technology. */
function hasVisibleBox(element: Element): boolean {
  const { width, height } = native.getBoundingClientRect(element)
  return width > 1 && height > 1 && hiddenReason(element) === null
}

/** Elements with exactly this text: options that are rendered without a role. */
function findElementsByText(label: string, element: HTMLElement): HTMLElement[] {
  const ownerDocument = native.ownerDocument(element)
  const normalized = normalize(label)
  const walker = nativeDocument.createTreeWalker(
    ownerDocument,
    nativeDocument.body(ownerDocument),
    NodeFilter.SHOW_TEXT,
  )
  const holders: HTMLElement[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const holder = native.parentElement(node)
    if (!holder || normalize(native.nodeValue(node) ?? '') !== normalized || !hasVisibleBox(holder))
      continue
    if (!native.contains(element, holder)) holders.push(holder)
  }
  return holders
}

/**
 * The option with exactly this name. Otherwise an option that differs only in case, or the only option that contains
 * the name.
 */
function bestMatch<Option>(
  options: readonly Option[],
  label: string,
  getNames: (option: Option) => readonly string[],
): Option | undefined {
  const normalized = normalize(label)
  const namedOptions = options.map((option) => ({ option, names: getNames(option).map(cleanText) }))
  const exact = namedOptions.find(({ names }) => names.includes(label))
  const match =
    exact ?? namedOptions.find(({ names }) => names.some((name) => normalize(name) === normalized))
  if (match || !normalized) return match?.option
  const partial = namedOptions.filter(({ names }) =>
    names.some((name) => normalize(name).includes(normalized)),
  )
  return partial.length === 1 ? partial[0]?.option : undefined
}
