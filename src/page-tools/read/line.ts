import { cleanText, cut, quote, shorten, formatTypedText, normalize } from '../clean-text.ts'
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
import {
  hasGenerated,
  visibleGeneratedText,
  SIDES,
  drawnText,
  mayWriteWords,
} from '../generated-text.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../page.ts'
import { isMasked, isSecretField, MASKED, maskSelector } from '../secrets/secret-fields.ts'
import { ensureRef, rememberRef } from '../refs.ts'
import {
  type ElementName,
  hasNamingAttribute,
  getAccessibleName,
  readSliderLabel,
  sliderLabel,
} from '../outline/name.ts'
import { isNode, isText, type OutlineItem, type OutlineNode, pageContext } from '../outline/walk.ts'
import { isActionable, isNamedByContent, isPopup, getShownRole } from '../outline/role.ts'
import { stateOf } from '../outline/state.ts'
import { type UnseenReason, unseenByStyle, unseenGenerated, unseenReason } from '../sight/unseen.ts'
import { excludedSelector, isInExcluded, isReadable } from '../outline/region.ts'
import { hiddenUntilHover } from '../outline/hover/on-hover.ts'
import { once } from '../../lib/once.ts'
import { hintWords, withoutTokens } from '../secrets/secret-matcher.ts'

/** Maximum options of a closed list in its line. */
const OPTION_LIMIT = 12

/** Label of an option in a native list. Null if tools must not read it. */
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
  let remaining = limit
  const readable = [...select.options].filter((option) => !isInExcluded(option, options))
  for (const option of readable.slice(0, OPTION_LIMIT)) {
    const text = shorten(optionText(option, options) ?? '', 100)
    const name = quote(text) + (option.disabled ? ' [disabled]' : '')
    remaining -= name.length
    if (remaining < 0) break
    labels.push(name)
  }
  const omitted = readable.length - labels.length
  if (omitted > 0) labels.push(`… ${omitted} more`)
  return `/options: ${labels.join(', ')}`
}

/** A node for one element without its content, to show it in one line. */
export function standaloneNode(element: Element, options: PageOptions): OutlineNode {
  return {
    element,
    role: getShownRole(element),
    control: element,
    parent: null,
    items: [],
    inView: true,
    holdsView: true,
    clickable: false,
    masked: isMasked(element, options),
    visuallyHidden: false,
    hoverHiding: hiddenUntilHover(element),
    context: pageContext(viewOf(element)),
    signature: '',
    addedAt: 0,
    changedAt: 0,
    name: null,
  }
}

export const NAME_LIMIT = 100
export const VALUE_LIMIT = 120
/** Minimum length of a cut text with a mark to read on from. The mark would be longer than a shorter text. */
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
  node.name ??= soleText(node) ?? getAccessibleName(node.control, node.role, options)
  if (!node.name.text && node.control !== node.element)
    node.name = getAccessibleName(node.element, 'button', options)
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
  for (let current: OutlineNode | undefined = node; current;) {
    if (
      hasNamingAttribute(current.element) ||
      current.items.length !== 1 ||
      (current !== node && current.role)
    )
      return null
    if (hasGenerated(current.element)) return null
    const item: OutlineItem | undefined = current.items[0]
    if (item && isText(item))
      return item.text === MASKED ? null : { text: item.text, visuallyHidden: false }
    current = item && isNode(item) ? item : undefined
  }
  return null
}

/** Everything before the colon of a line. */
export interface Head {
  readonly role: string
  /** Full name, or empty. */
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
  return [role, ...(name ? [quote(shortenName(name, nameLimit))] : []), ...rest].join(' ')
}

/** The parts of `headOf`, for a line that may be made again with a shorter name. */
export function readHead(node: OutlineNode, options: PageOptions): Head {
  const head = headWithoutRef(node, options)
  return hasRef(node) || isNamelessPicture(node, options) ? withRef(head, node) : head
}

function withRef(head: Head, { element, role }: OutlineNode): Head {
  const ref = ensureRef(element)
  rememberRef(element, { role: role || 'generic', name: head.name })
  return { ...head, rest: [...head.rest, `[ref=${ref}]`] }
}

function headWithoutRef(node: OutlineNode, options: PageOptions): Head {
  const { element } = node
  const { text, visuallyHidden } = displayName(node, options)
  const { flags } = stateOf(node.control, node.role)
  const marks: string[] = []
  const hint =
    interestHint(element, options) ||
    (text || node.masked || node.control !== element ? '' : nameHint(element, node.role, options))
  if (hint) marks.push(`[hint=${quote(hint)}]`)
  for (const flag of flags) marks.push(`[${flag}]`)
  const title = titleFlag(node)
  if (title && title !== text) marks.push(`[title=${quote(title)}]`)
  const unlabelled = labelsOf(node.control).length === 0
  if (node.hoverHiding) marks.push('[on hover]', ...hoverNameMark(node, options))
  else if (unlabelled && node.visuallyHidden && text) marks.push('[sr-only]')
  else if (unlabelled && visuallyHidden) marks.push(...unshownMark(text, node))
  else if (text && !visuallyHidden) marks.push(...nameMark(node, text, options))
  if (node.role === 'button' && native.closest(element, '[aria-hidden="true"]'))
    marks.push('[aria-hidden]')
  if (node.clickable) marks.push('[clickable]')
  return { role: node.role || 'generic', name: text, rest: marks }
}

/** The words that a person's pointer shows beside the element (`interestfor`), if tools may read all of them. */
function interestHint(element: Element, options: PageOptions): string {
  const [target] = referenced(element, 'interestfor')
  if (!target || !isReadable(target, options) || isMasked(target, options)) return ''
  const privateSelector = `${maskSelector(options)},${excludedSelector(options)}`
  return native.querySelector(target, privateSelector)
    ? ''
    : shorten(cleanText(native.textContent(target)), NAME_LIMIT)
}

/** Shortens a name. Adds how much is missing if the limit leaves space for it. */
function shortenName(text: string, limit: number): string {
  return limit < NAME_LIMIT ? cut(text, limit) : shorten(text, limit)
}

/** The title of an element with a short text: days of a calendar often differ only by a title such as `2026-03-09`. */
function titleFlag({ element, masked }: OutlineNode): string {
  const title = masked ? null : native.getAttribute(element, 'title')
  const { length } = title ? native.textContent(element).trim() : ''
  if (!title || length === 0 || length > SHORT_TEXT) return ''
  return shorten(cleanText(title), TITLE_LIMIT)
}

/** Elements to act on or to read in full get a ref; others only on request. */
function hasRef({ role, element, clickable }: OutlineNode): boolean {
  return clickable || canHaveRef(element, role)
}

/** Whether the node is a picture without a name, which needs a ref. A named picture can be looked at by its name. */
function isNamelessPicture(node: OutlineNode, options: PageOptions): boolean {
  return /^(img|canvas|video)$/.test(node.role) && !displayName(node, options).text
}

/** Whether the role is of a part of the page, such as a list or a form. */
export function isContainer(role: string): boolean {
  return CONTAINER_ROLES.has(role)
}

export function canHaveRef(element: Element, role: string): boolean {
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
 * A field's value as an outline shows it. Text that a tool typed isn't scrubbed. A value shown in part gets a mark for
 * reading on.
 */
export function formatFieldValue(
  node: OutlineNode,
  options: PageOptions,
  limit: number = VALUE_LIMIT,
): string | null {
  const text = valueText(node, options)
  if (!text) return text
  // Add neither a mark nor how much is missing: both would be longer than the text.
  if (text === MASKED) return text
  if (limit < LEAST_WITH_MARK) return formatTypedText(node.control, cut(text, limit), limit + 1)
  const formatted = formatTypedText(node.control, text, limit)
  const isWhole = text.length <= limit && !keepsLines(node.control)
  if (!isWhole) return `${formatted} ${textMark(node.control, 0)}`
  const [before = '', after = ''] = getOuterSpaces(node.control)
  return before || after ? quote(before + formatted + after) : formatted
}

/** Spaces around the value of a field of one line. */
function getOuterSpaces(field: Element): readonly string[] {
  return isTag(field, 'input')
    ? [/^ */, / *$/].map((pattern) => pattern.exec(field.value)?.[0] ?? '')
    : []
}

/** Whether the field has several lines, which its value on one line doesn't show. */
function keepsLines(field: Element): boolean {
  return isTag(field, 'textarea') && /\n/.test(field.value.trim())
}

/** Mark of a text that is shown in part, or without its lines: `[from=e3:0]`, with the character to read on from. */
export function textMark(element: Element, at: number): string {
  return `[from=${ensureRef(element)}:${at}]`
}

/** Maximum texts of a name to check. Names are cut long before that. */
const TEXT_LIMIT = 40
const CAPTIONS = 'caption,legend,figcaption,summary'

/**
 * Flags a name that nobody sees, or sees in part, on a visible element: `[name hidden: transparent]`. A name for
 * assistive technology only, as for an icon's button, is `[name sr-only]`. A part for assistive technology is usual,
 * and gets no flag: "Read more" with "about mugs".
 */
function nameMark(node: OutlineNode, text: string, options: PageOptions): readonly string[] {
  if (node.masked || node.visuallyHidden) return []
  const reasons: (UnseenReason | null)[] = []
  for (const source of namingElements(node, options)) addReasons(source, reasons)
  const visibleCount = reasons.filter((reason) => reason === null).length
  const hidden = reasons.filter((reason) => reason !== null && reason !== 'sr-only')
  const [reason] = hidden
  if (reason) return [`[name ${visibleCount > 0 ? 'partly ' : ''}hidden: ${reason}]`]
  return visibleCount === 0 && reasons.length > 0 ? unshownMark(text) : []
}

/** Maximum length of the name of an icon's button. */
const ICON_NAME_LIMIT = 40

/** Flags a name for assistive technology if the node's content has other words, or the name is too long for an icon. */
function unshownMark(name: string, node?: OutlineNode): readonly string[] {
  const shows =
    node && isNamedByContent(node.role) && /\p{L}/u.test(native.textContent(node.element))
  return shows || name.length > ICON_NAME_LIMIT ? ['[name sr-only]'] : []
}

/** Flags a hidden name of an element hidden until hover, by the styles of its texts alone: they have no boxes. */
function hoverNameMark(node: OutlineNode, options: PageOptions): readonly string[] {
  if (node.masked) return []
  const [reason] = namingElements(node, options)
    .flatMap((source) => [source, ...descendantsOf(source)])
    .slice(0, TEXT_LIMIT)
    .flatMap((candidate) => (hasWords(candidate) ? (unseenByStyle(candidate) ?? []) : []))
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
  const label = role === 'slider' ? sliderLabel(control, options) : null
  return label ? [label] : []
}

/**
 * Whether the element isn't rendered, so its text isn't part of a name. Rendered content that a browser skips is part
 * of a name.
 */
function isNotRendered(element: Element): boolean {
  const view = viewOf(element)
  return [element, ...ancestorsOf(element)].some(
    (candidate) => view.getComputedStyle(candidate).display === 'none',
  )
}

function addReasons(element: Element, reasons: (UnseenReason | null)[]): void {
  if (reasons.length >= TEXT_LIMIT || native.getAttribute(element, 'aria-hidden') === 'true') return
  const children = childrenOf(element)
  if (hasWords(element)) {
    const reason = unseenReason(element)
    if (reason !== 'not displayed' || !isNotRendered(element))
      reasons.push(reason && hiddenUntilHover(element) ? null : reason)
  }
  for (const side of SIDES) {
    const generated = visibleGeneratedText(element, side)
    if (generated) reasons.push(unseenGenerated(element, generated.style))
  }
  for (const child of children) if (isElement(child)) addReasons(child, reasons)
}

// Clues to the purpose of a control without a name: the name of its icon, the address it leads to, its id.

/** Maximum elements of an icon that are read. */
const MAX_ICON_PARTS = 12
const LIMIT = 40
/** `fa-trash`, `lucide-x`, `icon-close`: the icon's name. */
const ICON =
  /^(?:fa|fas|bi|mdi|ti|ri|la|pi|icons?|ico|lucide|feather|glyphicon|codicon|octicon|anticon|el-icon|ph|tabler-icon)[-_](.+)$/
/** `trash-icon`, `TrashIcon`. */
const ICON_SUFFIX = /^(.{2,}?)[-_]?icon$/i
/** Words for the look of an icon. */
const STYLE_WORDS =
  /^(?:\d.*|fw|lg|sm|xs|xl|md|solid|regular|light|thin|duotone|brands|spin|pulse|inverse|small|large|medium|button|btn|svg|only|wrapper|container)$/
/** Words that say nothing about a control. */
const GENERIC_WORDS =
  /^(?:btn|button|icon|icons|svg|img|link|item|wrapper|container|root|inner|clickable|active|small|large|primary|secondary|default|ghost|flat|rounded|circle|input|field|form-control)$/i

/** Classes of libraries, which all of their controls have. */
const LIBRARY_CLASS =
  /^(?:Mui|css-|sc-|jss|makeStyles-|ant-|anticon$|v-|el-|mat-|mdc-|cdk-|ng-|chakra-|mantine-|p-|ion-|q-|n-|k-|arco-|van-|slds-|cds-|bx-|pf-|fui-|ms-|rs-|svelte-|data-v-)/
/** Classes for layout or paint only, as in Tailwind and Bootstrap: `inline-flex`, `items-center`. */
const LAYOUT =
  /^(?:inline|(?:inline-)?(?:flex|grid|block)|contents|container|hidden|(?:in)?visible|isolate|relative|absolute|fixed|sticky|static|border|rounded|shadow|ring|outline|transition|transform|group|peer|grow|shrink|truncate|antialiased|row|col|pointer-events-none|select-none|appearance-none|no-underline|(?:not-)?sr-only|(?:flex|grid|d|position|items|justify|content|self|place|gap|space|[mp][trblxyse]?|[whz]|min|max|size|text|font|leading|tracking|bg|border|rounded|shadow|ring|outline|opacity|transition|ease|animate|origin|cursor|overflow|object|inset|float|whitespace|break|fill|stroke|aspect)(?:-[a-z]+)+)$/
/** Elements and classes of fonts that draw a word as its icon. */
const LIGATURES = /^(?:mat-icon|md-icon|material-(?:icons|symbols)(?:-\w+)?|mat-ligature-font)$/
const LIGATURE = /^[a-z][a-z\d]*(?:_[a-z\d]+)*$/

/** Controls that may have no name. */
const CONTROLS =
  /^(button|link|textbox|searchbox|combobox|checkbox|radio|switch|slider|spinbutton|tab|menuitem)$/

/** Hint for a control without a name, or for an element without role and content. Empty for all others. */
export function nameHint(element: Element, role: string, options: PageOptions): string {
  const isHinted = CONTROLS.test(role) || (!role && !native.textContent(element).trim())
  return isHinted ? cleanText(createHint(element, options)) : ''
}

function createHint(element: Element, options: PageOptions): string {
  const descendants = [...native.querySelectorAll(element, '*')]
    .slice(0, MAX_ICON_PARTS)
    .filter((candidate) => isReadable(candidate, options))
  const icon = firstResult([element, ...descendants], (part) => iconName(part, part === element))
  const found = [icon, addressHint(element), readIdWords(element)].filter(Boolean)
  const parts = found.length > 0 ? found : [classWords(element)]
  return cut([...new Set(parts)].slice(0, 2).join(', '), LIMIT)
}

function firstResult(parts: readonly Element[], evaluate: (part: Element) => string): string {
  for (const part of parts) {
    const found = evaluate(part)
    if (found) return found
  }
  return ''
}

function iconName(part: Element, isControl: boolean): string {
  const tag = native.localName(part)
  if (tag === 'title') return splitWords(native.textContent(part))
  const fragment = /#([\w-]+)$/.exec(
    tag === 'use'
      ? (native.getAttribute(part, 'href') ?? native.getAttribute(part, 'xlink:href') ?? '')
      : '',
  )?.[1]
  const names = getIconAttributes(part, isControl).map(
    (name) => native.getAttribute(part, name) ?? '',
  )
  if (tag === 'img') names.push(getFileName(native.getAttribute(part, 'src') ?? ''))
  names.push(ligature(part))
  const ownName = [fragment ?? '', ...names].find(
    (candidate) => candidate && !GENERIC_WORDS.test(candidate),
  )
  if (ownName)
    return splitWords(ICON.exec(ownName)?.[1] ?? ICON_SUFFIX.exec(ownName)?.[1] ?? ownName)
  for (const token of classes(part)) {
    const iconMatch = LIBRARY_CLASS.test(token) ? null : ICON_SUFFIX.exec(token)
    const name = ICON.exec(token)?.[1] ?? iconMatch?.[1]
    if (name && !STYLE_WORDS.test(name) && !GENERIC_WORDS.test(name)) return splitWords(name)
  }
  return ''
}

/**
 * Attributes that name an icon. Leaves out attributes of the control itself that any control may have: they are a later
 * hint.
 */
function getIconAttributes(part: Element, isControl: boolean): readonly string[] {
  const attributes = ['data-icon', 'data-lucide', 'data-feather', 'data-icon-name', 'icon']
  if (isControl) return attributes
  const isIcon = native.localName(part).endsWith('-icon')
  return [...attributes, 'data-mat-icon-name', 'data-testid', ...(isIcon ? ['name'] : [])]
}

/** `delete_forever` of `<mat-icon>delete_forever</mat-icon>`. */
function ligature(part: Element): string {
  const isDrawn = [native.localName(part), ...classes(part)].some((candidate) =>
    LIGATURES.test(candidate),
  )
  const text = isDrawn ? native.textContent(part).trim() : ''
  return LIGATURE.test(text) ? text : ''
}

function getFileName(source: string): string {
  return source.startsWith('data:') ? '' : (/([^/?#]+)\.\w+(?:[?#]|$)/.exec(source)?.[1] ?? '')
}

/** Address of a link, without its origin, its query, and parts that may be keys. */
function addressHint(element: Element): string {
  const href = isTag(element, 'a') ? native.getAttribute(element, 'href') : null
  return href && !/^(#?$|javascript:)/i.test(href)
    ? href.replace(/^\w+:\/\/[^/]*|[?#].*$/gs, '').replace(/[^/]{25,}/g, '…')
    : ''
}

function readIdWords(element: Element): string {
  const values = ['data-action', 'data-testid', 'name', 'id'].map(
    (name) => native.getAttribute(element, name) ?? '',
  )
  return splitWords(values.find((candidate) => /\p{L}{2}/u.test(candidate)) ?? '')
}

function classWords(element: Element): string {
  const className = classes(element).find(
    (candidate) =>
      /^[a-z][a-z-]{2,30}$/i.test(candidate) &&
      ![GENERIC_WORDS, LIBRARY_CLASS, LAYOUT].some((pattern) => pattern.test(candidate)),
  )
  return className && !isShared(element, className) ? splitWords(className) : ''
}

/** Whether the control beside this element has the class, too, so that it doesn't distinguish them. */
function isShared(element: Element, name: string): boolean {
  return [native.previousElementSibling(element), native.nextElementSibling(element)].some(
    (candidate) =>
      candidate &&
      native.localName(candidate) === native.localName(element) &&
      classes(candidate).includes(name),
  )
}

function classes(element: Element): readonly string[] {
  return (native.getAttribute(element, 'class') ?? '').split(/\s+/).filter(Boolean)
}

/** Splits a mark into words. Removes keys and tokens first: their parts couldn't be recognized. */
function splitWords(mark: string): string {
  return hintWords(withoutTokens(mark, ''))
}

/** Longer texts are searched for in the descendants that contain them. */
export const LONG_TEXT = 400
const UNCLEAR_TEXT = 100

export function isClickable(element: Element): boolean {
  return native.hasAttribute(element, 'onclick') || native.hasAttribute(element, 'tabindex')
}

/** Texts that the element's name is likely to be made of. */
export function hints(element: Element, role: string, drawnWords: (of: Element) => string): string {
  const parts = ['aria-label', 'title', 'alt', 'placeholder', 'value', 'aria-labelledby'].map(
    (name) => native.getAttribute(element, name) ?? '',
  )
  for (const label of labelsOf(element)) parts.push(label.textContent)
  const value = typedValue(element)
  if (value.length < LONG_TEXT) parts.push(value)
  if (parts[5])
    for (const label of referenced(element, 'aria-labelledby')) parts.push(drawnText(label))
  // A label in a web component may show slotted content. The text of the component's host includes that content.
  const { host } = native.getRootNode(element) as Partial<ShadowRoot>
  if (host && native.textContent(host).length < LONG_TEXT) parts.push(native.textContent(host))
  const usesContent = !role || isNamedByContent(role)
  const text = usesContent ? native.textContent(element) : getOwnText(element)
  if (text.length < LONG_TEXT) parts.push(text)
  if (usesContent && text.length < UNCLEAR_TEXT) parts.push(...pictureTexts(element))
  // A style may write all or some of a control's words.
  if (text.length < UNCLEAR_TEXT && (isActionable(role) || (!role && isClickable(element))))
    parts.push(drawnWords(element))
  if (role === 'slider') parts.push(readSliderLabel(element, {}))
  const words = normalize(parts.join(' '))
  const isControl = isActionable(role) || (!role && isClickable(element))
  return words || !isControl ? words : normalize(nameHint(element, role, {}))
}

/** Value of a text field. Empty for other elements. */
export function typedValue(element: Element): string {
  if (isTag(element, 'textarea')) return element.value
  return isTag(element, 'input') && !WITHOUT_TEXT.test(element.type) ? element.value : ''
}

const WITHOUT_TEXT = /^(checkbox|radio|submit|reset|button|image|file|hidden|password)$/

/** The text of an element with words of styles. Empty if styles add nothing to its content. */
export function drawnWordsOf(document: Document): (element: Element) => string {
  const canWriteWords = once(() => mayWriteWords(document))
  return (element) =>
    native.getRootNode(element) === document && hasSingleText(element) && !canWriteWords()
      ? ''
      : drawnText(element)
}

/** Whether the element holds a single text, in any wrappers, that no component's rules reach. */
function hasSingleText(element: Element): boolean {
  if (isInComponent(native.parentElement(element))) return false
  let current: Node | null = element
  for (; isElement(current); current = native.firstChild(current))
    if (isInComponent(current) || native.childNodes(current).length > 1) return false
  return true
}

/**
 * Whether the element is a component: a custom element may have a closed shadow root, with rules for its slotted
 * content.
 */
function isInComponent(element: Element | null): boolean {
  return (
    element !== null &&
    (native.shadowRoot(element) !== null || native.localName(element).includes('-'))
  )
}

/** A button may contain only an icon with a label. */
function pictureTexts(element: Element): string[] {
  const found = native.firstElementChild(element)
    ? native.querySelectorAll(element, '[aria-label],[alt]')
    : []
  return [...found].map(
    (item) => native.getAttribute(item, 'aria-label') ?? native.getAttribute(item, 'alt') ?? '',
  )
}

function getOwnText(element: Element): string {
  let text = ''
  for (const node of native.childNodes(element))
    if (native.nodeType(node) === 3) text += native.nodeValue(node)
  return text.trim() ? text : native.textContent(element)
}
