import { computeAccessibleName } from 'dom-accessibility-api'
import { cleanText } from '../clean-text.ts'
import { childrenOf, isElement, isTag, labelsOf, getParent, referenced, viewOf } from '../dom.ts'
import {
  drawnText,
  hasGenerated,
  visibleGeneratedText,
  type Side,
  addGeneratedText,
} from '../generated-text.ts'
import * as native from '../native.ts'
import {
  isField,
  isInMaskedPart,
  isMasked,
  isSecretPart,
  MASKED,
  maskSelector,
} from '../secrets/secret-fields.ts'
import { rememberName } from '../secrets/field-words.ts'
import type { PageOptions } from '../page.ts'
import { hiddenReason } from './visibility.ts'
import { isNamedByContent } from './role.ts'
import { checkedState } from './state.ts'
import { isExcluded, isReadable } from './region.ts'
import { becomesVisible, hiddenUntilHover } from './hover/on-hover.ts'

/** The accessible name as the library computes it, including words of styles. */
function computeName(element: Element): string {
  const view = viewOf(element)
  try {
    const name = computeAccessibleName(element, {
      computedStyleSupportsPseudoElements: true,
      getComputedStyle: (target, side) =>
        side
          ? createContentStyle(target, side as Side)
          : getHoveredStyle(target, element, view.getComputedStyle(target)),
    })
    // Fields of a form may hide the properties that the library reads.
    return cleanText(
      name.replace(GLUED, '') || (isTag(element, 'form') ? labelContent(element) : ''),
    )
  } catch {
    // The library may throw, for example when id references cross trees.
    return cleanText(labelContent(element) || (native.textContent(element) ?? ''))
  }
}

/** Gives the library the hovered style of an element that is hidden until hover. */
function getHoveredStyle(
  target: Element,
  element: Element,
  style: CSSStyleDeclaration,
): CSSStyleDeclaration {
  const isHidden = (target === element && style.display === 'none') || style.visibility === 'hidden'
  if (!isHidden || !hiddenUntilHover(element) || !becomesVisible(target)) return style
  const overrides: Readonly<Record<string, string>> = {
    display: target === element ? 'block' : style.display,
    visibility: 'visible',
  }
  const getPropertyValue = (name: string): string => overrides[name] ?? style.getPropertyValue(name)
  return { getPropertyValue } as unknown as CSSStyleDeclaration
}

function labelContent(element: Element): string {
  const labels = referenced(element, 'aria-labelledby').map((label) => native.textContent(label))
  return native.getAttribute(element, 'aria-label') ?? labels.join(' ')
}

/** Marks the place between words of a style and the text they join: the library puts a space there. */
const GLUE = '\uFDD0'
const GLUED = /\uFDD0 ?| ?\uFDD1/gu
const GLUE_AFTER = '\uFDD1'

/**
 * Returns a substitute for the computed style of `::before` or `::after`. The accessible-name library reads only
 * `content`.
 */
function createContentStyle(element: Element, side: Side): CSSStyleDeclaration {
  const generated = visibleGeneratedText(element, side)
  const before = generated?.isJoined && side === '::after' ? GLUE_AFTER : ''
  const after = generated?.isJoined && side === '::before' ? GLUE : ''
  const content = generated ? `"${before}${generated.text}${after}"` : 'none'
  return { getPropertyValue: () => content } as unknown as CSSStyleDeclaration
}

const SLIDERS = 'input[type=range],[role=slider]'
const CONTROLS =
  'button,a[href],input:not([type=hidden]),select,textarea,[role=button],[role=spinbutton],[role=combobox],[role=textbox],[role=switch],[role=checkbox],[role=radio],[role=tab]'
const LEVELS = 5
const LONGEST_LABEL = 60

/**
 * Finds the element that labels a slider without a name, for people: a `label`, or words before it, or words after it.
 * Words label the slider only if no other control is in between. HTML gives labels only to its own fields.
 */
export function sliderLabel(slider: Element, options: PageOptions): Element | null {
  const labelById = native.id(slider) && findLabelById(slider)
  if (labelById) return isUsable(labelById, options) ? labelById : null
  let inner: Element | null = slider
  let fallback: Element | null = null
  for (let level = 0; inner && level < LEVELS; level += 1) {
    const ancestor: Element | null = getParent(inner)
    if (!ancestor || containsOtherControl(ancestor, inner, slider)) break
    const textElements = findTextElements(ancestor, inner)
    const preceding = textElements.before.findLast((candidate) => isUsable(candidate, options))
    const following = textElements.after.find((candidate) => isUsable(candidate, options))
    // Words at both ends, such as "quiet" and "loud", label the slider only if there are no other words.
    if (preceding && !following) return preceding
    fallback ??= preceding ?? following ?? null
    inner = ancestor
  }
  return fallback
}

function findLabelById(slider: Element): Element | null {
  const root = native.getRootNode(slider) as Document | ShadowRoot
  return native.querySelector(root, `label[for="${CSS.escape(native.id(slider))}"]`)
}

function isUsable(label: Element, options: PageOptions): boolean {
  return (
    isReadable(label, options) &&
    !isMasked(label, options) &&
    native.checkVisibility(label, { visibilityProperty: true })
  )
}

/**
 * Whether the part holds another control, to which the words may belong. Another thumb of this slider is not another
 * control.
 */
function containsOtherControl(container: Element, inner: Element, slider: Element): boolean {
  if (native.matches(container, 'body,html')) return true
  const otherControls = [...native.querySelectorAll(container, `${CONTROLS},${SLIDERS}`)].filter(
    (candidate) =>
      candidate !== slider &&
      !native.contains(slider, candidate) &&
      !native.contains(inner, candidate),
  )
  const isThumb = (candidate: Element): boolean =>
    native.matches(candidate, SLIDERS) &&
    native.parentElement(candidate) === native.parentElement(slider)
  return otherControls.some((candidate) => !isThumb(candidate))
}

interface TextElements {
  readonly before: readonly Element[]
  readonly after: readonly Element[]
}

/** Elements with words of their own in `container`, before and after `inner`. */
function findTextElements(container: Element, inner: Element): TextElements {
  const before: Element[] = []
  const after: Element[] = []
  let target = before
  const add = (element: Element): void => {
    for (const node of childrenOf(element)) {
      if (node === inner) target = after
      else if (isElement(node)) add(node)
      else if (isLabel(node)) target.push(element)
    }
  }
  add(container)
  return { before, after }
}

function isLabel(node: Node): boolean {
  const text = native.nodeType(node) === 3 ? cleanText(native.nodeValue(node) ?? '') : ''
  return /\p{L}{2}/u.test(text) && text.length <= LONGEST_LABEL
}

export interface ElementName {
  readonly text: string
  /** Assistive technology gets these words, but the screen doesn't show them. */
  readonly visuallyHidden: boolean
}

const NO_NAME: ElementName = { text: '', visuallyHidden: false }
const NAMING_ATTRIBUTES = ['aria-label', 'aria-labelledby', 'title', 'alt', 'placeholder']

/** The accessible name, or `[masked]` if the element is masked. Secret fields keep their name. */
export function getAccessibleName(
  element: Element,
  role: string,
  options: PageOptions,
): ElementName {
  const name = role ? computeOwnName(element, role, options) : NO_NAME
  // The name of a field says whether its value is secret, wherever the name comes from.
  if (isField(element) && name.text !== MASKED) rememberName(element, name.text)
  return name
}

function computeOwnName(element: Element, role: string, options: PageOptions): ElementName {
  const createMaskedName = (isKnown: boolean): ElementName => ({
    text: (isKnown && readLabelsAroundMasked(element, options)) || MASKED,
    visuallyHidden: false,
  })
  if (isInMaskedPart(element, options)) return createMaskedName(isNamedOutside(element, options))
  const name = computeElementName(element, role, options)
  // Most elements have no name: look for its sources only if there is one.
  const restriction = name.text ? findRestriction(element, role, options) : null
  if (restriction === 'masked') return createMaskedName(true)
  return restriction ? { text: readableName(element, options), visuallyHidden: false } : name
}

function computeElementName(element: Element, role: string, options: PageOptions): ElementName {
  const byAttribute = hasNamingAttribute(element)
  const replacedLabel = findReplacedLabel(element, role)
  if (replacedLabel && !isMasked(replacedLabel, options)) {
    const text = readableWords(replacedLabel, options)
    if (text) return { text, visuallyHidden: false }
  }
  const isSlider = role === 'slider'
  if (!byAttribute && !isSlider && !canBeNamed(element, role)) return NO_NAME
  if (!byAttribute && /^(treeitem|menuitem)/.test(role) && native.querySelector(element, BRANCH))
    return { text: cleanText(textWithoutBranches(element)), visuallyHidden: false }
  if (!byAttribute && isNamedByContent(role)) {
    if (isPlainText(element))
      return {
        text: cleanText(addGeneratedText(element, native.textContent(element))),
        visuallyHidden: false,
      }
    if (isWrappedText(element))
      return { text: cleanText(native.textContent(element)), visuallyHidden: false }
  }
  const text =
    readAriaLabel(element) ||
    computeName(element) ||
    fallbackName(element) ||
    drawnName(element, role) ||
    labelText(element, options) ||
    readAdjacentLabel(element, options) ||
    (isSlider ? readSliderLabel(element, options) : '')
  return { text, visuallyHidden: byAttribute && text !== '' && !isOnScreen(element, text) }
}

/** Whether the element has an attribute that names it and wins over its content. */
export function hasNamingAttribute(element: Element): boolean {
  return NAMING_ATTRIBUTES.some((name) => native.hasAttribute(element, name))
}

/** The `aria-label`, which wins over all but `aria-labelledby`, read without the library. */
function readAriaLabel(element: Element): string {
  return native.hasAttribute(element, 'aria-labelledby')
    ? ''
    : cleanText(native.getAttribute(element, 'aria-label') ?? '')
}

/** Whether the specification names the element by its content or by another element. */
function canBeNamed(element: Element, role: string): boolean {
  return (
    isNamedByContent(role) ||
    /^(input|select|textarea|fieldset|table|figure|img|svg|details|progress|meter|output)$/.test(
      native.localName(element),
    ) ||
    labelsOf(element).length > 0
  )
}

/** The text of an item without its subtree or submenu, which are not part of its name. */
function textWithoutBranches(element: Element): string {
  const texts = [...native.childNodes(element)].map((node) => {
    if (!isElement(node)) return native.nodeType(node) === 3 ? native.nodeValue(node) : ''
    return native.matches(node, `${BRANCH},script,style`) || hiddenReason(node)
      ? ''
      : textWithoutBranches(node)
  })
  return addGeneratedText(element, texts.join(' '))
}

/** Whether the element's name is simply its text, as for most elements. The library isn't needed then. */
function isPlainText(element: Element): boolean {
  if (native.shadowRoot(element) || isTag(element, 'input')) return false
  for (let node = native.firstChild(element); node; node = native.nextSibling(node))
    if (native.nodeType(node) === 1) return false
  return true
}

const WRAPPERS = /^(span|div|p|b|i|em|strong|small)$/
/** Attributes of wrappers that don't affect a name. */
const STYLE_ATTRIBUTES = /^(class|style|id)$/

/** Whether all text is in nested wrappers, and no style adds to it or hides it. The library isn't needed then. */
function isWrappedText(element: Element): boolean {
  if (labelsOf(element).length > 0) return false
  let current = element
  while (!isPlainText(current)) {
    const firstChild = native.firstChild(current)
    if (
      native.shadowRoot(current) ||
      native.childNodes(current).length !== 1 ||
      !isElement(firstChild)
    )
      return false
    if (!WRAPPERS.test(native.localName(firstChild))) return false
    if (!native.getAttributeNames(firstChild).every((name) => STYLE_ATTRIBUTES.test(name)))
      return false
    if (hasGenerated(current)) return false
    current = firstChild
  }
  return !hasGenerated(current) && native.checkVisibility(current, { visibilityProperty: true })
}

/** Words that a style writes into an element without words of its own, such as a script's button. */
function drawnName(element: Element, role: string): string {
  return isNamedByContent(role) && !/[\p{L}\p{N}]/u.test(native.textContent(element))
    ? drawnText(element)
    : ''
}

/** Words of a label that stands in for its hidden control. The library gives labels no names. */
function labelText(element: Element, options: PageOptions): string {
  return isTag(element, 'label') ? readableWords(element, options) : ''
}

/** Words that people read beside a slider. */
export function readSliderLabel(slider: Element, options: PageOptions): string {
  const label = sliderLabel(slider, options)
  return label ? readableWords(label, options, native.contains(label, slider)) : ''
}

/** A name for an element that has none from its author. */
function fallbackName(element: Element): string {
  const hint =
    native.getAttribute(element, 'placeholder') ??
    native.getAttribute(element, 'title') ??
    // The library regards areas of an image map as hidden.
    (isTag(element, 'area') ? element.alt : null)
  if (hint) return cleanText(hint)
  if (native.shadowRoot(element)) return cleanText(native.textContent(element))
  const host = (native.getRootNode(element) as Partial<ShadowRoot>).host
  return cleanText(
    (host && native.getAttribute(host, 'label')) ??
      (host && native.getAttribute(host, 'aria-label')) ??
      '',
  )
}

/**
 * Words of the label of the component around a field, or of a label without a field right after a checkbox, radio
 * button or the like.
 */
function readAdjacentLabel(element: Element, options: PageOptions): string {
  const next = native.nextElementSibling(element)
  const isBox = checkedState(element) !== null && next && isTag(next, 'label') && !next.control
  const labels = isBox ? [next] : labelsOf(element)
  return labels
    .filter((label) => isReadable(label, options) && !isMasked(label, options))
    .map((label) => readableWords(label, options))
    .join(' ')
}

/** The label of the hidden field that a custom control replaces, which is right before the control. */
function findReplacedLabel(element: Element, role: string): Element | null {
  if (!REPLACING_ROLES.test(role) || !native.hasAttribute(element, 'role')) return null
  let current: Element | null = element
  for (let level = 0; current && level < 3; level += 1, current = native.parentElement(current)) {
    const field: Element | null = native.previousElementSibling(current)
    const [label] = field ? labelsOf(field) : []
    if (field && label) return isSmall(field) ? label : null
  }
  return null
}

const REPLACING_ROLES = /^(combobox|textbox|searchbox|listbox)$/

/** Libraries hide the fields that they replace: not displayed, or one pixel in size. */
function isSmall(field: Element): boolean {
  const { width, height } = native.getBoundingClientRect(field)
  return width <= 1 || height <= 1
}

function isOnScreen(element: Element, text: string): boolean {
  if (
    native.hasAttribute(element, 'placeholder') ||
    native.hasAttribute(element, 'aria-labelledby')
  )
    return true
  // If the element is in a component, its text may be slotted content.
  const { host } = native.getRootNode(element) as Partial<ShadowRoot>
  return [element, host].some(
    (candidate) => candidate && cleanText(native.textContent(candidate)).includes(text),
  )
}

// Keeps masked text, and text outside the readable parts of the page, out of accessible names.

/** Reason why a name can't be shown as it is. */
type Restriction = 'masked' | 'unreadable' | null

/** Subtrees and submenus, which aren't part of an item's name. */
const BRANCH = '[role=group],[role=menu],[role=tree],[role=treeitem]'
/** Elements named by an attribute, which wins over their content. */
const NAMED_BY_ATTRIBUTE = '[aria-label]:not([aria-label=""]),[aria-labelledby]'
const CELLS = /^(row|cell|gridcell|columnheader|rowheader)$/
/** Captions that name the fieldset, table or drawing around them. */
const CAPTION = ':scope>:is(legend,caption,title)'
const CAPTIONED = /^(fieldset|table|svg)$/

/** Whether the sources of a name hold something private, wherever they are. */
function findRestriction(element: Element, role: string, options: PageOptions): Restriction {
  const search = new Search(element, options)
  for (const source of [...getLabels(element), findCaption(element)])
    if (source) search.addWhole(source)
  const isNamed = native.matches(element, NAMED_BY_ATTRIBUTE)
  const isCell = CELLS.test(role) && !isNamed
  if (isNamedByContent(role) || isCell) {
    const isItem = /^(treeitem|menuitem)/.test(role) && !isNamed
    search.addContent(element, isItem ? BRANCH : '', isNamed)
  }
  return search.found
}

/** Whether the part itself is private, regardless of its surroundings. */
function isPrivate(part: Element, options: PageOptions): boolean {
  return isExcluded(part, options) || isMaskedItself(part, options)
}

/** Words of a part, except private words. `isOwnOnly`: leaves out all elements in it. */
function readableWords(part: Element, options: PageOptions, isOwnOnly = false): string {
  return drawnText(part, (item) => (isOwnOnly && item !== part) || isPrivate(item, options))
}

/** Whether labels that aren't masked name the element. Its own attributes count as masked. */
function isNamedOutside(element: Element, options: PageOptions): boolean {
  const labels = getLabels(element)
  return (
    labels.length > 0 &&
    !native.hasAttribute(element, 'aria-label') &&
    labels.every((label) => !isInMaskedPart(label, options))
  )
}

/** The readable part of a name: an attribute of its own, or its content without private parts. */
function readableName(element: Element, options: PageOptions): string {
  for (const name of ['aria-label', 'alt', 'placeholder', 'title']) {
    const value = cleanText(native.getAttribute(element, name) ?? '')
    if (value) return value
  }
  return findNameSources(element, options)
    .map((item) => readableWords(item, options))
    .join(' ')
}

/** Text of an element's labels without their masked parts, for a masked element or masked labels. */
function readLabelsAroundMasked(element: Element, options: PageOptions): string {
  const labels = native.hasAttribute(element, 'aria-labelledby')
    ? referenced(element, 'aria-labelledby')
    : labelsOf(element)
  const hasOwnName = native.hasAttribute(element, 'aria-label')
  if (hasOwnName || labels.some((label) => isMasked(label, options) || !isReadable(label, options)))
    return ''
  return cleanText(labels.map((item) => readableWords(item, options)).join(' '))
}

function findNameSources(element: Element, options: PageOptions): readonly Element[] {
  const labels = labelsOf(element).filter((label) => isReadable(label, options))
  if (labels.length > 0) return labels
  const isField = /^(input|select|textarea|fieldset|table)$/.test(native.localName(element))
  return [findCaption(element) ?? (isField ? [] : element)].flat()
}

function findCaption(element: Element): Element | null {
  return CAPTIONED.test(native.localName(element)) ? native.querySelector(element, CAPTION) : null
}

function getLabels(element: Element): readonly Element[] {
  return [...labelsOf(element), ...referenced(element, 'aria-labelledby')]
}

function isMaskedItself(element: Element, options: PageOptions): boolean {
  return isSecretPart(element) || native.matches(element, maskSelector(options))
}

/** Searches the sources of a name for private parts: slots, shadow roots, frames and referenced elements. */
class Search {
  found: Restriction = null
  readonly #target: Element
  readonly #options: PageOptions
  readonly #visited = new Set<Element>()

  constructor(target: Element, options: PageOptions) {
    this.#target = target
    this.#options = options
  }

  /** Adds a part from elsewhere: its surroundings count, too. */
  addWhole(part: Element): void {
    if (isMasked(part, this.#options)) this.found = 'masked'
    else if (!isReadable(part, this.#options)) this.found ??= 'unreadable'
    this.addContent(part)
  }

  /**
   * `excluded`: selector of elements to skip. `isMaskedOnly`: an attribute gives the name, so unreadable content
   * doesn't matter.
   */
  addContent(part: Element, excluded = '', isMaskedOnly = false): void {
    const before = this.found
    if (part === this.#target && isSecretPart(part)) this.found = 'masked'
    const stack: Element[] = [part]
    for (let current = stack.pop(); current && this.found !== 'masked'; current = stack.pop()) {
      if (this.#visited.has(current)) continue
      this.#visited.add(current)
      for (const child of getInnerElements(current)) {
        if (child === this.#target || (excluded && native.matches(child, excluded))) continue
        this.#checkElement(child)
        stack.push(child)
      }
    }
    if (isMaskedOnly && this.found === 'unreadable') this.found = before
  }

  #checkElement(element: Element): void {
    if (isMaskedItself(element, this.#options)) this.found = 'masked'
    else if (isExcluded(element, this.#options)) this.found ??= 'unreadable'
    if (!native.hasAttributes(element)) return
    for (const source of [...getLabels(element), ...referenced(element, 'aria-owns')])
      if (!this.#visited.has(source)) this.addWhole(source)
  }
}

/** Elements inside an element. In a component, also elements that no slot shows: a name may use them. */
function getInnerElements(element: Element): readonly Element[] {
  const found = [...native.children(element)]
  const isPlain =
    !native.shadowRoot(element) && !/^(slot|iframe|frame)$/.test(native.localName(element))
  return isPlain ? found : [...found, ...childrenOf(element).filter(isElement)]
}
