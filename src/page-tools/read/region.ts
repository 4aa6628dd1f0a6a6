import { closest, contains } from '../dom.ts'
import { rootOf } from '../live-page.ts'
import type { PageOptions } from '../options.ts'
import { PageError } from '../page-error.ts'

const SET_ASIDE = '[data-offstage-ignore]'

/** Whether the page's options let the tools read the element. */
export function isReadable(element: Element, options: PageOptions): boolean {
  const { deny = [] } = options
  return (
    contains(rootOf(options), element) &&
    !closest(element, [SET_ASIDE, ...deny].join(',')) &&
    !element.localName.startsWith('offstage-')
  )
}

export function requireReadable(element: Element, options: PageOptions): void {
  if (!isReadable(element, options))
    throw new PageError('outside', 'This element is outside the part of the page that you may use.')
}

/** Whether the tools may act on it, too. */
export function requireAllowed(element: Element, options: PageOptions): void {
  requireReadable(element, options)
  const { allow } = options
  if (allow && !closest(element, allow.join(',')))
    throw new PageError(
      'outside',
      'You may read this element but not act on it: it is outside the allowed region.',
    )
}
