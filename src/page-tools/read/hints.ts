import { normalize } from '../clean-text.ts'
import { isElement, isTag, referenced } from '../dom.ts'
import { mayWriteWords } from '../generated-rules.ts'
import { drawnText } from '../generated-text.ts'
import { labelsOf } from '../labels.ts'
import * as native from '../native.ts'
import { once } from '../../lib/once.ts'
import { nameHint } from './name-hint.ts'
import { isActionable, isNamedByContent } from '../outline/role.ts'
import { sliderLabel, sliderLabelText } from '../outline/slider-label.ts'

/** Longer texts are searched for in the descendants that contain them. */
export const LONG_TEXT = 400
const SHORT_TEXT = 100

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
  // Content slotted into a component's label.
  const { host } = native.getRootNode(element) as Partial<ShadowRoot>
  if (host && native.textContent(host).length < LONG_TEXT) parts.push(native.textContent(host))
  const byContent = !role || isNamedByContent(role)
  const text = byContent ? native.textContent(element) : ownText(element)
  if (text.length < LONG_TEXT) parts.push(text)
  if (byContent && text.length < SHORT_TEXT) parts.push(...pictureTexts(element))
  // A style may write all or some of a control's words.
  if (text.length < SHORT_TEXT && (isActionable(role) || (!role && isClickable(element))))
    parts.push(drawnWords(element))
  if (role === 'slider') parts.push(wordsBeside(element))
  const words = normalize(parts.join(' '))
  const acts = isActionable(role) || (!role && isClickable(element))
  return words || !acts ? words : normalize(nameHint(element, role, {}))
}

function wordsBeside(slider: Element): string {
  const label = sliderLabel(slider, {})
  return label ? sliderLabelText(label, slider) : ''
}

/** Value of a text field. Empty for other elements. */
export function typedValue(element: Element): string {
  if (isTag(element, 'textarea')) return element.value
  return isTag(element, 'input') && !WITHOUT_TEXT.test(element.type) ? element.value : ''
}

const WITHOUT_TEXT = /^(checkbox|radio|submit|reset|button|image|file|hidden|password)$/

/** The text of an element with words of styles. Empty if styles add nothing to its content. */
export function drawnWordsOf(document: Document): (element: Element) => string {
  const mayWrite = once(() => mayWriteWords(document))
  return (element) =>
    native.getRootNode(element) === document && isOneText(element) && !mayWrite()
      ? ''
      : drawnText(element)
}

/** Whether the element holds a single text, in any wrappers, that no component's rules reach. */
function isOneText(element: Element): boolean {
  if (isOfComponent(native.parentElement(element))) return false
  let at: Node | null = element
  for (; isElement(at); at = native.firstChild(at))
    if (isOfComponent(at) || native.childNodes(at).length > 1) return false
  return true
}

/** Whether it is a component: a custom element may have a closed shadow root, with rules for its slotted content. */
function isOfComponent(element: Element | null): boolean {
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
    (one) => native.getAttribute(one, 'aria-label') ?? native.getAttribute(one, 'alt') ?? '',
  )
}

function ownText(element: Element): string {
  let text = ''
  for (const node of native.childNodes(element))
    if (native.nodeType(node) === 3) text += native.nodeValue(node)
  return text.trim() ? text : native.textContent(element)
}
