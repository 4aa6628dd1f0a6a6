import { cleanText, quote, shorten } from '../clean-text.ts'
import * as native from '../native.ts'
import type { LivePage } from '../outline/live-page.ts'
import { isMasked } from '../privacy.ts'
import { standaloneNode } from '../read/standalone-node.ts'
import { headWithRef, shownValue } from '../read/line.ts'
import { readableText } from '../read/readable-text.ts'
import { isReadable } from '../outline/region.ts'

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
