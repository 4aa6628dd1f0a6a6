import { cleanText, quote, shorten } from '../clean-text.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { isMasked } from '../privacy.ts'
import { headWithRef, shownValue, standaloneNode } from '../read/line.ts'
import { readableText } from '../read/readable-text.ts'
import { isReadable } from '../outline/region.ts'

const LIMIT = 200

/** The browser's validation message for the field's value, in quotes; null when the value is valid. */
export function validationMessageOf(element: Element): string | null {
  const { validity, validationMessage = '', title } = element as Partial<HTMLInputElement>
  if (validity?.valid !== false) return null
  // Browsers show the title with their message about a pattern.
  const hint = validity.patternMismatch && title ? ` (${cleanText(title)})` : ''
  return quote(shorten(cleanText(validationMessage) + hint, LIMIT))
}

const TEXT_LIMIT = 60

/** An element in a sentence: `button "Save" [ref=e12]`. */
export function describeElement(element: Element, { options }: LivePage): string {
  if (native.isConnected(element) && !isReadable(element, options))
    return 'something outside the part of the page that you may use'
  const node = standaloneNode(element, options)
  const head = headWithRef(node, options)
  if (node.name?.text || shownValue(node, options) !== null || head.includes(' [hint=')) return head
  const text = isMasked(element, options) ? '' : cleanText(readableText(element, options))
  if (node.role && (!text || text.length > TEXT_LIMIT)) return head
  const label =
    text || native.id(element) || native.getAttribute(element, 'class') || native.localName(element)
  return `${head} ${quote(shorten(cleanText(label), TEXT_LIMIT).replace(/"/g, "'"))}`
}
