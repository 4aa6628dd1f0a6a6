import { closest, isElement } from '../dom.ts'
import { labelsOf } from '../labels.ts'
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
    (one) => isMarked(one) || classify?.(one, action) === 'commit',
  )
}

/** By a part that it is in, by a label that names it, or by a form that it belongs to from outside. */
function isMarked(element: Element): boolean {
  return [element, ...labelsOf(element), formOf(element)].some(
    (one) => one !== null && closest(one, MARKED) !== null,
  )
}

function formOf(element: Element): Element | null {
  const { form } = element as Partial<HTMLInputElement>
  return isElement(form) ? form : null
}
