import { cleanText, shorten } from '../clean-text.ts'
import type { LivePage } from '../live-page.ts'
import { isMasked } from '../privacy.ts'
import { detachedNode } from '../read/detached-node.ts'
import { headOf } from '../read/line.ts'
import { readableText } from '../read/readable-text.ts'

/** An element in a sentence: `button "Save" [ref=e12]`. */
export function describeElement(element: Element, { options }: LivePage): string {
  const node = detachedNode(element, options)
  const head = headOf(node, options, true)
  if (node.name?.text || node.role) return head
  const text = isMasked(element, options) ? '' : readableText(element, options)
  const label = text || element.id || element.getAttribute('class') || element.localName
  return `${head} "${shorten(cleanText(label), 60).replace(/"/g, "'")}"`
}
