import { computeAccessibleName } from 'dom-accessibility-api'
import { cleanText } from '../clean-text.ts'
import { childrenOf, isElement, isTag, labelsOf, getParent, referenced, viewOf } from '../dom.ts'
import {
  drawnText,
  hasGenerated,
  visibleGeneratedText,
  type Side,
  withGenerated,
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
          ? contentOf(target, side as Side)
          : shownStyle(target, element, view.getComputedStyle(target)),
    })
    // Fields of a form may hide the properties that the library reads.
    return cleanText(
      name.replace(GLUED, '') || (isTag(element, 'form') ? labelContent(element) : ''),
    )
  } catch {
    // For example when id references cross trees.
    return cleanText(labelContent(element) || (native.textContent(element) ?? ''))
  }
}

/** Gives the library the hovered style of an element that is hidden until hover. */
function shownStyle(
  target: Element,
  element: Element,
  style: CSSStyleDeclaration,
): CSSStyleDeclaration {
  const isHidden = (target === element && style.display === 'none') || style.visibility === 'hidden'
  if (!isHidden || !hiddenUntilHover(element) || !becomesVisible(target)) return style
  const shown: Readonly<Record<string, string>> = {
    display: target === element ? 'block' : style.display,
    visibility: 'visible',
  }
  const getPropertyValue = (name: string): string => shown[name] ?? style.getPropertyValue(name)
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
function contentOf(element: Element, side: Side): CSSStyleDeclaration {
  const shown = visibleGeneratedText(element, side)
  const before = shown?.isJoined && side === '::after' ? GLUE_AFTER : ''
  const after = shown?.isJoined && side === '::before' ? GLUE : ''
  const content = shown ? `"${before}${shown.text}${after}"` : 'none'
  return { getPropertyValue: () => content } as unknown as CSSStyleDeclaration
}

const SLIDERS = 'input[type=range],[role=slider]'
const CONTROLS =
  'button,a[href],input:not([type=hidden]),select,textarea,[role=button],[role=spinbutton],[role=combobox],[role=textbox],[role=switch],[role=checkbox],[role=radio],[role=tab]'
const LEVELS = 5
const LONGEST_LABEL = 60

/**
 * Finds the element that labels a slider without a name, for people: a `label` for it, else words before it, else words
 * after it. Words label the slider only if no other control is in between. HTML gives labels to its own fields only.
 */
export function sliderLabel(slider: Element, options: PageOptions): Element | null {
  const byId = native.id(slider) && labelFor(slider)
  if (byId) return isUsable(byId, options) ? byId : null
  let inner: Element | null = slider
  let after: Element | null = null
  for (let level = 0; inner && level < LEVELS; level += 1) {
    const around: Element | null = getParent(inner)
    if (!around || holdsOther(around, inner, slider)) break
    const beside = holdersIn(around, inner)
    const before = beside.before.findLast((one) => isUsable(one, options))
    const behind = beside.after.find((one) => isUsable(one, options))
    // Words at both ends, such as "quiet" and "loud", label the slider only if there are no other words.
    if (before && !behind) return before
    after ??= before ?? behind ?? null
    inner = around
  }
  return after
}

/** Text of the label without the content of the slider. */
export function sliderLabelText(label: Element, slider: Element): string {
  const isAround = native.contains(label, slider)
  const texts = [...native.childNodes(label)].map((node) =>
    native.nodeType(node) === 3 || !isAround
      ? native.nodeType(node) === 3
        ? native.nodeValue(node)
        : native.textContent(node)
      : '',
  )
  return cleanText(texts.join(' '))
}

function labelFor(slider: Element): Element | null {
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
function holdsOther(around: Element, inner: Element, slider: Element): boolean {
  if (native.matches(around, 'body,html')) return true
  const others = [...native.querySelectorAll(around, `${CONTROLS},${SLIDERS}`)].filter(
    (one) => one !== slider && !native.contains(slider, one) && !native.contains(inner, one),
  )
  const isThumb = (one: Element): boolean =>
    native.matches(one, SLIDERS) && native.parentElement(one) === native.parentElement(slider)
  return others.some((one) => !isThumb(one))
}

interface Beside {
  readonly before: readonly Element[]
  readonly after: readonly Element[]
}

/** Elements with words of their own in `around`, before and after `inner`. */
function holdersIn(around: Element, inner: Element): Beside {
  const before: Element[] = []
  const after: Element[] = []
  let found = before
  const add = (element: Element): void => {
    for (const node of childrenOf(element)) {
      if (node === inner) found = after
      else if (isElement(node)) add(node)
      else if (isLabel(node)) found.push(element)
    }
  }
  add(around)
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

/** The accessible name. `[masked]` where the element is masked. Secret fields keep their name. */
export function getAccessibleName(
  element: Element,
  role: string,
  options: PageOptions,
): ElementName {
  const name = role ? ownName(element, role, options) : NO_NAME
  // The name of a field says whether its value is secret, wherever the name comes from.
  if (isField(element) && name.text !== MASKED) rememberName(element, name.text)
  return name
}

function ownName(element: Element, role: string, options: PageOptions): ElementName {
  const around = (isKnown: boolean): ElementName => ({
    text: (isKnown && textAroundMasked(element, options)) || MASKED,
    visuallyHidden: false,
  })
  if (isInMaskedPart(element, options)) return around(isNamedOutside(element, options))
  const name = computedName(element, role, options)
  // Most elements have no name: look for its sources only if there is one.
  const kept = name.text ? keptIn(element, role, options) : null
  if (kept === 'masked') return around(true)
  return kept ? { text: readableName(element, options), visuallyHidden: false } : name
}

function computedName(element: Element, role: string, options: PageOptions): ElementName {
  const byAttribute = hasNamingAttribute(element)
  const replaced = labelOfReplaced(element, role)
  if (replaced && !isMasked(replaced, options)) {
    const text = readableWords(replaced, options)
    if (text) return { text, visuallyHidden: false }
  }
  const isSlider = role === 'slider'
  if (!byAttribute && !isSlider && !mayBeNamed(element, role)) return NO_NAME
  if (!byAttribute && /^(treeitem|menuitem)/.test(role) && native.querySelector(element, BRANCH))
    return { text: cleanText(textWithoutBranches(element)), visuallyHidden: false }
  if (!byAttribute && isNamedByContent(role)) {
    if (isPlainText(element))
      return {
        text: cleanText(withGenerated(element, native.textContent(element))),
        visuallyHidden: false,
      }
    if (isWrappedText(element))
      return { text: cleanText(native.textContent(element)), visuallyHidden: false }
  }
  const text =
    givenName(element) ||
    computeName(element) ||
    fallbackName(element) ||
    drawnName(element, role) ||
    labelText(element, options) ||
    labelBeside(element, options) ||
    (isSlider ? nameBeside(element, options) : '')
  return { text, visuallyHidden: byAttribute && text !== '' && !isOnScreen(element, text) }
}

/** Whether it has an attribute that wins over its content as the name. */
export function hasNamingAttribute(element: Element): boolean {
  return NAMING_ATTRIBUTES.some((name) => native.hasAttribute(element, name))
}

/** The attribute that wins over all but `aria-labelledby`, read without the library. */
function givenName(element: Element): string {
  return native.hasAttribute(element, 'aria-labelledby')
    ? ''
    : cleanText(native.getAttribute(element, 'aria-label') ?? '')
}

/** Elements that the specification names by their content or by another element. */
function mayBeNamed(element: Element, role: string): boolean {
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
  return withGenerated(element, texts.join(' '))
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
const LOOKS = /^(class|style|id)$/

/** Whether all text is in nested wrappers, and no style adds to it or hides it. The library isn't needed then. */
function isWrappedText(element: Element): boolean {
  if (labelsOf(element).length > 0) return false
  let at = element
  while (!isPlainText(at)) {
    const firstChild = native.firstChild(at)
    if (native.shadowRoot(at) || native.childNodes(at).length !== 1 || !isElement(firstChild))
      return false
    if (!WRAPPERS.test(native.localName(firstChild))) return false
    if (!native.getAttributeNames(firstChild).every((name) => LOOKS.test(name))) return false
    if (hasGenerated(at)) return false
    at = firstChild
  }
  return !hasGenerated(at) && native.checkVisibility(at, { visibilityProperty: true })
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
function nameBeside(slider: Element, options: PageOptions): string {
  const label = sliderLabel(slider, options)
  return label ? readableWords(label, options, native.contains(label, slider)) : ''
}

/** A name for an element that the author gave none. */
function fallbackName(element: Element): string {
  const hint =
    native.getAttribute(element, 'placeholder') ??
    native.getAttribute(element, 'title') ??
    // The library takes an area of an image map for hidden.
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

/** Words of the label of the component that a field is in, or of one right after a box that belongs to nothing. */
function labelBeside(element: Element, options: PageOptions): string {
  const next = native.nextElementSibling(element)
  const isBox = checkedState(element) !== null && next && isTag(next, 'label') && !next.control
  const labels = isBox ? [next] : labelsOf(element)
  return labels
    .filter((label) => isReadable(label, options) && !isMasked(label, options))
    .map((label) => readableWords(label, options))
    .join(' ')
}

/** The label of the hidden field that a custom control replaces, which is right before the control. */
function labelOfReplaced(element: Element, role: string): Element | null {
  if (!REPLACING_ROLES.test(role) || !native.hasAttribute(element, 'role')) return null
  let at: Element | null = element
  for (let level = 0; at && level < 3; level += 1, at = native.parentElement(at)) {
    const field: Element | null = native.previousElementSibling(at)
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
  // Inside a component, the text may be slotted content.
  const { host } = native.getRootNode(element) as Partial<ShadowRoot>
  return [element, host].some((one) => one && cleanText(native.textContent(one)).includes(text))
}

// Keeps masked text, and text outside the readable parts of the page, out of accessible names.

/** Reason why a name can't be shown as it is. */
type Kept = 'masked' | 'unreadable' | null

/** Subtrees and submenus, which aren't part of an item's name. */
const BRANCH = '[role=group],[role=menu],[role=tree],[role=treeitem]'
/** Elements named by an attribute, which wins over their content. */
const NAMED = '[aria-label]:not([aria-label=""]),[aria-labelledby]'
const CELLS = /^(row|cell|gridcell|columnheader|rowheader)$/
/** Captions that name the fieldset, table or drawing around them. */
const CAPTION = ':scope>:is(legend,caption,title)'
const CAPTIONED = /^(fieldset|table|svg)$/

/** Whether the sources of a name hold something private, wherever they are. */
function keptIn(element: Element, role: string, options: PageOptions): Kept {
  const search = new Search(element, options)
  for (const one of [...labelsFor(element), captionOf(element)]) if (one) search.addWhole(one)
  const isNamed = native.matches(element, NAMED)
  const isCell = CELLS.test(role) && !isNamed
  if (isNamedByContent(role) || isCell) {
    const isItem = /^(treeitem|menuitem)/.test(role) && !isNamed
    search.addContent(element, isItem ? BRANCH : '', isNamed)
  }
  return search.found
}

/** Whether one part is private itself, regardless of its surroundings. */
function isPrivate(part: Element, options: PageOptions): boolean {
  return isExcluded(part, options) || isMaskedHere(part, options)
}

/** Words of a part, without private ones. `isOwnOnly`: leaves out all elements in it. */
function readableWords(part: Element, options: PageOptions, isOwnOnly = false): string {
  return drawnText(part, (one) => (isOwnOnly && one !== part) || isPrivate(one, options))
}

/** Whether labels that aren't masked name the element. Its own attributes count as masked. */
function isNamedOutside(element: Element, options: PageOptions): boolean {
  const labels = labelsFor(element)
  return (
    labels.length > 0 &&
    !native.hasAttribute(element, 'aria-label') &&
    labels.every((label) => !isInMaskedPart(label, options))
  )
}

/** The readable part of a name: an attribute of its own, else its content without private parts. */
function readableName(element: Element, options: PageOptions): string {
  for (const name of ['aria-label', 'alt', 'placeholder', 'title']) {
    const own = cleanText(native.getAttribute(element, name) ?? '')
    if (own) return own
  }
  return holdersOf(element, options)
    .map((one) => readableWords(one, options))
    .join(' ')
}

/** Text of an element's labels without their masked parts, for a masked element or masked labels. */
function textAroundMasked(element: Element, options: PageOptions): string {
  const labels = native.hasAttribute(element, 'aria-labelledby')
    ? referenced(element, 'aria-labelledby')
    : labelsOf(element)
  const isOther = native.hasAttribute(element, 'aria-label')
  if (isOther || labels.some((label) => isMasked(label, options) || !isReadable(label, options)))
    return ''
  return cleanText(labels.map((one) => readableWords(one, options)).join(' '))
}

function holdersOf(element: Element, options: PageOptions): readonly Element[] {
  const labels = labelsOf(element).filter((label) => isReadable(label, options))
  if (labels.length > 0) return labels
  const isField = /^(input|select|textarea|fieldset|table)$/.test(native.localName(element))
  return [captionOf(element) ?? (isField ? [] : element)].flat()
}

function captionOf(element: Element): Element | null {
  return CAPTIONED.test(native.localName(element)) ? native.querySelector(element, CAPTION) : null
}

function labelsFor(element: Element): readonly Element[] {
  return [...labelsOf(element), ...referenced(element, 'aria-labelledby')]
}

function isMaskedHere(element: Element, options: PageOptions): boolean {
  return isSecretPart(element) || native.matches(element, maskSelector(options))
}

/** Searches the sources of a name for private parts: slots, shadow roots, frames and referenced elements. */
class Search {
  found: Kept = null
  readonly #named: Element
  readonly #options: PageOptions
  readonly #seen = new Set<Element>()

  constructor(named: Element, options: PageOptions) {
    this.#named = named
    this.#options = options
  }

  /** Adds a part from elsewhere: its surroundings count, too. */
  addWhole(part: Element): void {
    if (isMasked(part, this.#options)) this.found = 'masked'
    else if (!isReadable(part, this.#options)) this.found ??= 'unreadable'
    this.addContent(part)
  }

  /**
   * `without`: selector of elements to skip. `isMaskedOnly`: an attribute gives the name, so unreadable content doesn't
   * matter.
   */
  addContent(part: Element, without = '', isMaskedOnly = false): void {
    const before = this.found
    if (part === this.#named && isSecretPart(part)) this.found = 'masked'
    const stack: Element[] = [part]
    for (let at = stack.pop(); at && this.found !== 'masked'; at = stack.pop()) {
      if (this.#seen.has(at)) continue
      this.#seen.add(at)
      for (const child of insideOf(at)) {
        if (child === this.#named || (without && native.matches(child, without))) continue
        this.#lookAtElement(child)
        stack.push(child)
      }
    }
    if (isMaskedOnly && this.found === 'unreadable') this.found = before
  }

  #lookAtElement(one: Element): void {
    if (isMaskedHere(one, this.#options)) this.found = 'masked'
    else if (isExcluded(one, this.#options)) this.found ??= 'unreadable'
    if (!native.hasAttributes(one)) return
    for (const other of [...labelsFor(one), ...referenced(one, 'aria-owns')])
      if (!this.#seen.has(other)) this.addWhole(other)
  }
}

/** Elements inside. For a component, also those that no slot shows: a name may use them. */
function insideOf(element: Element): readonly Element[] {
  const found = [...native.children(element)]
  const isPlain =
    !native.shadowRoot(element) && !/^(slot|iframe|frame)$/.test(native.localName(element))
  return isPlain ? found : [...found, ...childrenOf(element).filter(isElement)]
}
