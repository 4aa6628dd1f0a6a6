import { closest } from '../dom.ts'
import type { PageAction, PageOptions } from '../options.ts'
import { activated } from './activated.ts'

const MARKED = '[data-offstage-confirm]'

/** Whether a person is always to be asked first: the page marks it, or the host calls it a commit. */
export function mustConfirm(
  element: Element,
  action: PageAction,
  { classify }: PageOptions,
): boolean {
  return activated(element, action).some(
    (one) => closest(one, MARKED) !== null || classify?.(one, action) === 'commit',
  )
}
