import { cleanText } from '../clean-text.ts'
import { childrenOf, isElement, parentOf } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { excludedSelector, isExcluded } from '../outline/region.ts'
import { isSecretPart, MASKED, maskSelector } from '../privacy.ts'
import { hasSecrets } from '../scrub.ts'
import { unseenReason } from '../sight/unseen.ts'
import { joinTold, markOf } from './marked-text.ts'

/** The text of an element with spaces between its parts, masked parts masked. For comparisons. */
export function readableText(
  element: Element,
  options: PageOptions,
  limit: number = LIMIT,
): string {
  return partsOf(element, options, limit)
    .map(({ text }) => text)
    .join(' ')
}

/** All of its text that may be read, before secrets are removed from it. Looked at closely only where it must be. */
export function comparableText(element: Element, options: PageOptions): string {
  const parts = [maskSelector(options), excludedSelector(options), TEXT_FIELDS].join(',')
  // Without gaps between its blocks, no part of a secret would be found.
  const isRead =
    hasSecrets() || native.matches(element, parts) || native.querySelector(element, parts) !== null
  return isRead
    ? readableText(element, options, Number.POSITIVE_INFINITY)
    : native.textContent(element)
}

/** What has no text to read: only `textContent` has it. */
const UNREAD = ['script', 'style', 'template', 'svg', 'datalist']
/** Their text is their value, or no text. */
const TEXT_FIELDS = `textarea,select,[contenteditable],[role=textbox],[role=searchbox],${UNREAD.join(',')}`

/** The same for one-line mentions: it can't look like a mark, and what nobody sees is marked. */
export function shownText(element: Element, options: PageOptions): string {
  return joinTold(
    partsOf(element, options, LIMIT).map(({ text, holder }) => ({
      text,
      mark: holder ? markOf(unseenReason(holder)) : '',
    })),
  )
}

interface Part {
  readonly text: string
  /** Null for what is masked. */
  readonly holder: Element | null
}

function partsOf(element: Element, options: PageOptions, limit: number): readonly Part[] {
  const parts: Part[] = []
  let length = 0
  const add = (node: Node): void => {
    if (length > limit) return
    if (native.nodeType(node) === 3) {
      const text = cleanText(native.nodeValue(node) ?? '')
      if (text) parts.push({ text, holder: parentOf(node) })
      length += text.length
    } else if (isElement(node) && !UNREAD.includes(native.localName(node))) {
      if (node !== element && (isHidden(node) || isExcluded(node, options))) return
      if (native.matches(node, maskSelector(options)) || isSecretPart(node))
        parts.push({ text: MASKED, holder: null })
      else for (const child of childrenOf(node)) add(child)
    }
  }
  add(element)
  return parts
}

/** Elements that were removed from the page were visible before. */
function isHidden(element: Element): boolean {
  return (
    native.getAttribute(element, 'aria-hidden') === 'true' ||
    (native.isConnected(element) && !native.checkVisibility(element, { visibilityProperty: true }))
  )
}

const LIMIT = 300
