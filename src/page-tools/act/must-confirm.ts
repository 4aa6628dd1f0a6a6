import { closest } from '../dom.ts'
import type { PageAction, PageOptions } from '../options.ts'
import { activated } from './activated.ts'

const MARKED = '[data-offstage-confirm]'

/**
 * Whether a person is always to be asked first: the page marks it, or the host calls it a commit. `asked`: the marks about
 * which a person was asked.
 */
export function mustConfirm(
  element: Element,
  action: PageAction,
  { classify, asked = [] }: PageOptions & { readonly asked?: readonly (Element | null)[] },
): boolean {
  return activated(element, action).some((one) => {
    const mark = markOf(one)
    return (mark !== null && !asked.includes(mark)) || classify?.(one, action) === 'commit'
  })
}

/** What marks the element: itself, or a part that it is in. */
export function markOf(element: Element): Element | null {
  return closest(element, MARKED)
}
