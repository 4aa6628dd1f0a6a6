import { normalize } from '../clean-text.ts'
import { isElement, referenced } from '../dom.ts'
import { mayWriteWords } from '../generated-rules.ts'
import { drawnText } from '../generated-text.ts'
import { labelsOf } from '../labels.ts'
import { once } from '../once.ts'
import { isActionable, isNamedByContent } from '../outline/role.ts'

/** Longer texts are searched for in the descendants that contain them. */
export const LONG_TEXT = 400
const SHORT_TEXT = 100

export function isClickable(element: Element): boolean {
  return element.hasAttribute('onclick') || element.hasAttribute('tabindex')
}

/** The texts that the element's name is likely to be made of. */
export function hints(element: Element, role: string, drawnWords: (of: Element) => string): string {
  const parts = ['aria-label', 'title', 'alt', 'placeholder', 'value', 'aria-labelledby'].map(
    (name) => element.getAttribute(name) ?? '',
  )
  for (const label of labelsOf(element)) parts.push(label.textContent)
  if (parts[5])
    for (const label of referenced(element, 'aria-labelledby')) parts.push(drawnText(label))
  // Content slotted into a component's label.
  const { host } = element.getRootNode() as Partial<ShadowRoot>
  if (host && host.textContent.length < LONG_TEXT) parts.push(host.textContent)
  const byContent = !role || isNamedByContent(role)
  const text = byContent ? element.textContent : ownText(element)
  if (text.length < LONG_TEXT) parts.push(text)
  if (byContent && text.length < SHORT_TEXT) parts.push(...pictureTexts(element))
  // A style may write all or a part of the words of a control.
  if (text.length < SHORT_TEXT && (isActionable(role) || (!role && isClickable(element))))
    parts.push(drawnWords(element))
  return normalize(parts.join(' '))
}

/** The text of an element with what styles write into it; empty where that adds nothing to its content. */
export function drawnWordsOf(document: Document): (element: Element) => string {
  const mayWrite = once(() => mayWriteWords(document))
  return (element) =>
    element.getRootNode() === document && isOneText(element) && !mayWrite()
      ? ''
      : drawnText(element)
}

/** Whether one text is all that is in it, in whatever wrappers, and no component's rules reach them. */
function isOneText(element: Element): boolean {
  if (isOfComponent(element.parentElement)) return false
  let at: Node | null = element
  for (; isElement(at); at = at.firstChild)
    if (isOfComponent(at) || at.childNodes.length > 1) return false
  return true
}

/** A custom element may have a closed shadow root, in which rules for what is slotted into it stand. */
function isOfComponent(element: Element | null): boolean {
  return element !== null && (element.shadowRoot !== null || element.localName.includes('-'))
}

/** A button may contain only an icon with a label. */
function pictureTexts(element: Element): string[] {
  const found = element.firstElementChild ? element.querySelectorAll('[aria-label],[alt]') : []
  return [...found].map((one) => one.getAttribute('aria-label') ?? one.getAttribute('alt') ?? '')
}

function ownText(element: Element): string {
  let text = ''
  for (const node of element.childNodes) if (node.nodeType === 3) text += node.nodeValue
  return text.trim() ? text : element.textContent
}
