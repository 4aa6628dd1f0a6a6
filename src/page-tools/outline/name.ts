import { cleanText } from '../clean-text.ts'
import { isElement, isTag } from '../dom.ts'
import { drawnText, hasGenerated, withGenerated } from '../generated-text.ts'
import { labelsOf } from '../labels.ts'
import * as native from '../native.ts'
import { isField, isInMaskedPart, isMasked, MASKED } from '../privacy.ts'
import { rememberName } from '../secrets/field-words.ts'
import type { PageOptions } from '../options.ts'
import { hiddenReason } from './visibility.ts'
import { computeName } from './compute-name.ts'
import {
  BRANCH,
  isNamedOutside,
  keptIn,
  readableName,
  readableWords,
  textAroundMasked,
} from './name-privacy.ts'
import { isNamedByContent } from './role.ts'
import { sliderLabel } from './slider-label.ts'

export interface ElementName {
  readonly text: string
  /** Assistive technology gets it; the screen doesn't show these words. */
  readonly visuallyHidden: boolean
}

const NO_NAME: ElementName = { text: '', visuallyHidden: false }
const NAMING_ATTRIBUTES = ['aria-label', 'aria-labelledby', 'title', 'alt', 'placeholder']

/** The accessible name. `[masked]` where the element is masked. Secret fields keep their name. */
export function nameOf(element: Element, role: string, options: PageOptions): ElementName {
  const name = role ? ownName(element, role, options) : NO_NAME
  // What names a field says whether its value is secret, wherever the name is from.
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
  // Most elements have no name: only where there is one is looked at what it is made of.
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
    (isSlider ? nameBeside(element, options) : '')
  return { text, visuallyHidden: byAttribute && text !== '' && !isOnScreen(element, text) }
}

/** Whether it has an attribute that takes precedence over its content as the name. */
export function hasNamingAttribute(element: Element): boolean {
  return NAMING_ATTRIBUTES.some((name) => native.hasAttribute(element, name))
}

/** The attribute that takes precedence over all but `aria-labelledby`, without calling the library. */
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

/** Most elements: their name is their text, without calling the library. */
function isPlainText(element: Element): boolean {
  if (native.shadowRoot(element) || isTag(element, 'input')) return false
  for (let node = native.firstChild(element); node; node = native.nextSibling(node))
    if (native.nodeType(node) === 1) return false
  return true
}

const WRAPPERS = /^(span|div|p|b|i|em|strong|small)$/
/** Attributes of wrappers that say nothing of a name. */
const LOOKS = /^(class|style|id)$/

/** Many others: all of their text is in wrappers around each other, and no style adds to it or hides it. */
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

/** What a style writes into an element that has no words of its own, such as a script's button. */
function drawnName(element: Element, role: string): string {
  return isNamedByContent(role) && !/[\p{L}\p{N}]/u.test(native.textContent(element))
    ? drawnText(element)
    : ''
}

/** The words of a label that stands for its control, which isn't displayed; the library names no labels. */
function labelText(element: Element, options: PageOptions): string {
  return isTag(element, 'label') ? readableWords(element, options) : ''
}

/** What people read beside a slider. */
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
  // In a component it may be slotted content.
  const { host } = native.getRootNode(element) as Partial<ShadowRoot>
  return [element, host].some((one) => one && cleanText(native.textContent(one)).includes(text))
}
