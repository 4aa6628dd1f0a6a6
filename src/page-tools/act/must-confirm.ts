import { closest, isTag } from '../dom.ts'
import type { PageAction, PageOptions } from '../options.ts'
import { defaultButtonOf } from './sites.ts'

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

/** The element, and what it activates in turn. */
function activated(element: Element, action: PageAction): readonly Element[] {
  const label = closest(element, 'label')
  const control = label && isTag(label, 'label') ? label.control : null
  const button = action === 'enter' ? defaultButtonOf(element) : null
  return [element, control, button].filter((one) => one !== null)
}
