import { cleanText } from '../clean-text.ts'
import { childrenOf, isElement } from '../dom.ts'
import type { PageOptions } from '../options.ts'
import { isExcluded } from '../outline/region.ts'
import { isSecretField, MASKED, maskSelector } from '../privacy.ts'

/** The text of an element with spaces between its parts, masked parts masked. For one-line mentions. */
export function readableText(
  element: Element,
  options: PageOptions,
  limit: number = LIMIT,
): string {
  const parts: string[] = []
  let length = 0
  const add = (node: Node): void => {
    if (length > limit) return
    if (node.nodeType === 3) {
      const text = cleanText(node.nodeValue ?? '')
      if (text) parts.push(text)
      length += text.length
    } else if (isElement(node) && !/^(script|style|template|svg)$/.test(node.localName)) {
      if (node !== element && (isHidden(node) || isExcluded(node, options))) return
      if (node.matches(maskSelector(options)) || isSecretField(node)) parts.push(MASKED)
      else for (const child of childrenOf(node)) add(child)
    }
  }
  add(element)
  return parts.join(' ')
}

/** Elements that were removed from the page were visible before. */
function isHidden(element: Element): boolean {
  return (
    element.getAttribute('aria-hidden') === 'true' ||
    (element.isConnected && !element.checkVisibility({ visibilityProperty: true }))
  )
}

const LIMIT = 300
