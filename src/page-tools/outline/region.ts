import { closest, contains, isAttached, isAgentElement } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { type PageOptions, PageError } from '../page.ts'
import { isMasked } from '../secrets/secret-fields.ts'
import { findVisibleButtons } from './visibility.ts'

const IGNORED = '[data-offstage-ignore]'

/** The element where reading starts. Throws when the region isn't on the page. */
export function rootOf({ root }: PageOptions): Element {
  const element = typeof root === 'function' ? root() : root
  if (root && !(element && isAttached(element)))
    throw new PageError('not-found', 'The part of the page that may be read does not exist now.')
  const found = element ?? nativeDocument.body(document) ?? nativeDocument.documentElement(document)
  if (!found) throw new PageError('not-found', 'The page is empty.')
  return found
}

/** Whether the page's options let the tools read the element. */
export function isReadable(element: Element, options: PageOptions): boolean {
  return contains(rootOf(options), element) && !isInExcluded(element, options)
}

/** Whether the element is in a part that is never read. Checks its ancestors, too. */
export function isInExcluded(element: Element, options: PageOptions): boolean {
  return closest(element, excludedSelector(options)) !== null || isAgentElement(element)
}

/** Selector of elements that are never read. */
export function excludedSelector({ deny = [] }: PageOptions): string {
  return [IGNORED, ...deny].join(',')
}

/** Whether the element itself is never read. Doesn't check its ancestors. */
export function isExcluded(element: Element, options: PageOptions): boolean {
  return (
    native.localName(element).startsWith('offstage-') ||
    native.matches(element, excludedSelector(options))
  )
}

export function requireReadable(element: Element, options: PageOptions): void {
  if (!isReadable(element, options))
    throw new PageError('outside', 'This element is outside the part of the page that you may use.')
}

/** Whether the page's options let the tools act on the element. */
export function isAllowed(element: Element, options: PageOptions): boolean {
  return isReadable(element, options) && isInAllowed(element, options)
}

function isInAllowed(element: Element, { allow }: PageOptions): boolean {
  return !allow || closest(element, allow.join(',')) !== null
}

/** Throws if the tools may not read the element, or not act on it. */
export function requireAllowed(element: Element, options: PageOptions): void {
  requireReadable(element, options)
  if (!isInAllowed(element, options))
    throw new PageError(
      'outside',
      'You may read this element but not act on it: it is outside the allowed region.',
    )
}

/** The buttons that people see in an `aria-hidden` part. The rest of the part is left out, as its author wants. */
export function findReadableButtons(part: Element, options: PageOptions): readonly Element[] {
  return findVisibleButtons(part).filter(
    (candidate) => isReadable(candidate, options) && !isMasked(candidate, options),
  )
}
