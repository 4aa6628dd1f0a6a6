import { cleanText, cut, quote, shorten, shownTyped } from '../clean-text.ts'
import {
  ancestorsOf,
  childrenOf,
  descendantsOf,
  isElement,
  isTag,
  labelsOf,
  referenced,
  viewOf,
} from '../dom.ts'
import { hasGenerated, shownAt, SIDES } from '../generated-text.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { isMasked, isSecretField, MASKED } from '../privacy.ts'
import { refOf, rememberRef } from '../refs.ts'
import { type ElementName, hasNamingAttribute, nameOf, sliderLabel } from '../outline/name.ts'
import { isNode, isText, type OutlineItem, type OutlineNode } from '../outline/outline-node.ts'
import { isActionable, isNamedByContent, isPopup, roleOf } from '../outline/role.ts'
import { stateOf } from '../outline/state.ts'
import { nameHint } from './hints.ts'
import { type Unseen, unseenByStyle, unseenGenerated, unseenReason } from '../sight/unseen.ts'
import { isInExcluded } from '../outline/region.ts'
import { hiddenUntilHover } from '../outline/hover/on-hover.ts'
import { pageContext } from '../outline/walk.ts'

/** Options of a closed list that its line shows. */
const OPTION_LIMIT = 12

/** Label of an option in a native list. Null if it may not be read. */
function optionText(option: HTMLOptionElement, options: PageOptions): string | null {
  if (isInExcluded(option, options)) return null
  return isMasked(option, options) ? MASKED : cleanText(option.label)
}

export function optionTexts(
  list: Iterable<HTMLOptionElement>,
  options: PageOptions,
): readonly string[] {
  return [...list].flatMap((option) => optionText(option, options) ?? [])
}

/** The choices of a native select, in one line. `limit`: characters. */
export function optionsLine(
  select: HTMLSelectElement,
  {
    masked,
    limit,
    options,
  }: { readonly masked: boolean; readonly limit: number; readonly options: PageOptions },
): string {
  if (masked) return `/options: ${MASKED}`
  const labels: string[] = []
  let left = limit
  const told = [...select.options].filter((option) => !isInExcluded(option, options))
  for (const option of told.slice(0, OPTION_LIMIT)) {
    const text = shorten(optionText(option, options) ?? '', 100)
    const name = quote(text) + (option.disabled ? ' [disabled]' : '')
    left -= name.length
    if (left < 0) break
    labels.push(name)
  }
  const rest = told.length - labels.length
  if (rest > 0) labels.push(`… ${rest} more`)
  return `/options: ${labels.join(', ')}`
}

/** A node for one element without its content, to show it in one line. */
export function standaloneNode(element: Element, options: PageOptions): OutlineNode {
  return {
    element,
    role: roleOf(element),
    control: element,
    parent: null,
    items: [],
    inView: true,
    holdsView: true,
    clickable: false,
    masked: isMasked(element, options),
    visuallyHidden: false,
    onHover: hiddenUntilHover(element),
    context: pageContext(viewOf(element)),
    signature: '',
    addedAt: 0,
    changedAt: 0,
    name: null,
  }
}

export const NAME_LIMIT = 100
export const VALUE_LIMIT = 120
/** Shortest cut text with a mark to read on from: for less, the mark would be longer than the text. */
export const LEAST_WITH_MARK = 40
const TITLE_LIMIT = 40
/** The length of a number in a calendar or a pager. */
const SHORT_TEXT = 3

const CONTAINER_ROLES = new Set(
  'banner,navigation,main,complementary,contentinfo,region,form,search,list,table,treegrid,tabpanel,toolbar,iframe,group,radiogroup,feed,article,rowgroup'.split(
    ',',
  ),
)

/** The name that is shown; computed once. */
function displayName(node: OutlineNode, options: PageOptions): ElementName {
  node.name ??= soleText(node) ?? nameOf(node.control, node.role, options)
  if (!node.name.text && node.control !== node.element)
    node.name = nameOf(node.element, 'button', options)
  return node.name
}

/**
 * Most controls contain one text, in any number of wrappers: that is their name, without calling the
 * library. Null for all others.
 */
function soleText(node: OutlineNode): ElementName | null {
  const { role, element, control, masked } = node
  if (masked || control !== element || !isNamedByContent(role) || labelsOf(element).length > 0)
    return null
  for (let at: OutlineNode | undefined = node; at;) {
    if (hasNamingAttribute(at.element) || at.items.length !== 1 || (at !== node && at.role))
      return null
    if (hasGenerated(at.element)) return null
    const item: OutlineItem | undefined = at.items[0]
    if (item && isText(item))
      return item.text === MASKED ? null : { text: item.text, visuallyHidden: false }
    at = item && isNode(item) ? item : undefined
  }
  return null
}

/** Everything before the colon of a line. */
export interface Head {
  readonly role: string
  /** Full name. Empty: none. */
  readonly name: string
  /** States, marks and the ref. */
  readonly rest: readonly string[]
}

/**
 * The head of a line, such as `button "Save" [disabled] [ref=e12]`, without the colon and what follows. Elements to act
 * on or to read in full have a ref.
 */
export function headOf(node: OutlineNode, options: PageOptions): string {
  return headText(readHead(node, options))
}

/** The head of a line, with a ref in any case. */
export function headWithRef(node: OutlineNode, options: PageOptions): string {
  return headText(withRef(headWithoutRef(node, options), node))
}

export function headText({ role, name, rest }: Head, nameLimit: number = NAME_LIMIT): string {
  return [role, ...(name ? [quote(shownName(name, nameLimit))] : []), ...rest].join(' ')
}

/** The parts of `headOf`, for a line that may be made again with a shorter name. */
export function readHead(node: OutlineNode, options: PageOptions): Head {
  const head = headWithoutRef(node, options)
  return hasRef(node) || isNamelessPicture(node, options) ? withRef(head, node) : head
}

function withRef(head: Head, { element, role }: OutlineNode): Head {
  const ref = refOf(element)
  rememberRef(element, { role: role || 'generic', name: head.name })
  return { ...head, rest: [...head.rest, `[ref=${ref}]`] }
}

function headWithoutRef(node: OutlineNode, options: PageOptions): Head {
  const { element } = node
  const { text, visuallyHidden } = displayName(node, options)
  const { flags } = stateOf(node.control, node.role)
  const rest: string[] = []
  const hint =
    text || node.masked || node.control !== element ? '' : nameHint(element, node.role, options)
  if (hint) rest.push(`[hint=${quote(hint)}]`)
  for (const flag of flags) rest.push(`[${flag}]`)
  const title = titleFlag(node)
  if (title && title !== text) rest.push(`[title=${quote(title)}]`)
  const unlabelled = labelsOf(node.control).length === 0
  if (node.onHover) rest.push('[on hover]', ...hoverNameMark(node, options))
  else if (unlabelled && node.visuallyHidden && text) rest.push('[sr-only]')
  else if (unlabelled && visuallyHidden) rest.push('[name sr-only]')
  else if (text && !visuallyHidden) rest.push(...nameMark(node, options))
  if (node.clickable) rest.push('[clickable]')
  return { role: node.role || 'generic', name: text, rest }
}

/** Adds how much of a name is missing, if there is room for that. */
function shownName(text: string, limit: number): string {
  return limit < NAME_LIMIT ? cut(text, limit) : shorten(text, limit)
}

/**
 * The title of an element with a short text: days of a calendar often differ by it only, as `2026-03-09`.
 */
function titleFlag({ element, masked }: OutlineNode): string {
  const title = masked ? null : native.getAttribute(element, 'title')
  const { length } = title ? native.textContent(element).trim() : ''
  if (!title || length === 0 || length > SHORT_TEXT) return ''
  return shorten(cleanText(title), TITLE_LIMIT)
}

/** Elements to act on or to read in full get a ref; others only on request. */
function hasRef({ role, element, clickable }: OutlineNode): boolean {
  return clickable || mayHoldRef(element, role)
}

/** Whether it is a picture without a name, which needs a ref. A named one can be looked at by its name. */
function isNamelessPicture(node: OutlineNode, options: PageOptions): boolean {
  return /^(img|canvas|video)$/.test(node.role) && !displayName(node, options).text
}

/** Whether it is a part of the page rather than something in one. */
export function isContainer(role: string): boolean {
  return CONTAINER_ROLES.has(role)
}

export function mayHoldRef(element: Element, role: string): boolean {
  return (
    isActionable(role) ||
    isPopup(role) ||
    isContainer(role) ||
    native.tabIndex(element as HTMLElement) >= 0 ||
    native.hasAttribute(element, 'aria-selected') ||
    native.draggable(element as HTMLElement) === true
  )
}

/** A field's value on one line, masked if it must be. Null for other elements. */
export function valueText(node: OutlineNode, options: PageOptions): string | null {
  const { value } = stateOf(node.control, node.role)
  if (value === null) return null
  const text = isTag(node.control, 'select')
    ? optionTexts(node.control.selectedOptions, options).join(', ')
    : cleanText(value)
  return text && (node.masked || isSecretField(node.control)) ? MASKED : text
}

/**
 * A field's value as an outline shows it. Text that a tool typed isn't scrubbed. A value shown in part has the mark to
 * read on from.
 */
export function shownValue(
  node: OutlineNode,
  options: PageOptions,
  limit: number = VALUE_LIMIT,
): string | null {
  const text = valueText(node, options)
  if (!text) return text
  // Add neither a mark nor how much is missing: both would be longer than the text.
  if (text === MASKED) return text
  if (limit < LEAST_WITH_MARK) return shownTyped(node.control, cut(text, limit), limit + 1)
  const shown = shownTyped(node.control, text, limit)
  const isWhole = text.length <= limit && !isOfLines(node.control)
  return isWhole ? shown : `${shown} ${textMark(node.control, 0)}`
}

/** Whether it is a field with several lines, which its value on one line doesn't show. */
function isOfLines(field: Element): boolean {
  return isTag(field, 'textarea') && /\n/.test(field.value.trim())
}

/** Mark of a text that is shown in part, or without its lines: `[from=e3:0]`, with the character to read on from. */
export function textMark(element: Element, at: number): string {
  return `[from=${refOf(element)}:${at}]`
}

/** Texts of one name to check: names are cut long before. */
const TEXT_LIMIT = 40
const CAPTIONS = 'caption,legend,figcaption,summary'

/**
 * Flags a name that nobody sees, or sees in part, on a visible element: `[name hidden: transparent]`. A name for
 * assistive technology only, as for an icon's button, is `[name sr-only]`. A part for assistive technology is usual,
 * and gets no flag: "Read more" with "about mugs".
 */
function nameMark(node: OutlineNode, options: PageOptions): readonly string[] {
  if (node.masked || node.visuallyHidden) return []
  const reasons: (Unseen | null)[] = []
  for (const source of namingElements(node, options)) addReasons(source, reasons)
  const seen = reasons.filter((reason) => reason === null).length
  const hidden = reasons.filter((reason) => reason !== null && reason !== 'sr-only')
  const [reason] = hidden
  if (reason) return [`[name ${seen > 0 ? 'partly ' : ''}hidden: ${reason}]`]
  return seen === 0 && reasons.length > 0 ? ['[name sr-only]'] : []
}

/** Flags a hidden name of an element hidden until hover, by the styles of its texts alone: they have no boxes. */
function hoverNameMark(node: OutlineNode, options: PageOptions): readonly string[] {
  if (node.masked) return []
  const [reason] = namingElements(node, options)
    .flatMap((source) => [source, ...descendantsOf(source)])
    .slice(0, TEXT_LIMIT)
    .flatMap((one) => (hasWords(one) ? (unseenByStyle(one) ?? []) : []))
  return reason ? [`[name hidden: ${reason}]`] : []
}

function hasWords(element: Element): boolean {
  return childrenOf(element).some(
    (child) => native.nodeType(child) === 3 && native.nodeValue(child)?.trim(),
  )
}

/** The elements whose texts form the name. Empty if an attribute gives it. */
function namingElements(
  { element, control, role }: OutlineNode,
  options: PageOptions,
): readonly Element[] {
  if (native.hasAttribute(control, 'aria-labelledby')) return referenced(control, 'aria-labelledby')
  if (isNamedByContent(role)) return [element]
  if (native.hasAttribute(control, 'aria-label')) return []
  const labels = labelsOf(control)
  if (labels.length > 0) return labels
  const caption = [...native.children(element)].find((child) => native.matches(child, CAPTIONS))
  if (caption) return [caption]
  const beside = role === 'slider' ? sliderLabel(control, options) : null
  return beside ? [beside] : []
}

/**
 * Whether the element isn't rendered, so its text is no part of a name. Rendered content that a browser skips is one.
 */
function isNoPart(element: Element): boolean {
  const view = viewOf(element)
  return [element, ...ancestorsOf(element)].some(
    (one) => view.getComputedStyle(one).display === 'none',
  )
}

function addReasons(element: Element, reasons: (Unseen | null)[]): void {
  if (reasons.length >= TEXT_LIMIT || native.getAttribute(element, 'aria-hidden') === 'true') return
  const children = childrenOf(element)
  if (hasWords(element)) {
    const reason = unseenReason(element)
    if (reason !== 'not displayed' || !isNoPart(element)) reasons.push(reason)
  }
  for (const side of SIDES) {
    const generated = shownAt(element, side)
    if (generated) reasons.push(unseenGenerated(element, generated.style))
  }
  for (const child of children) if (isElement(child)) addReasons(child, reasons)
}
