import { closest, isElement } from '../dom.ts'
import { labelsOf } from '../labels.ts'
import type { PageAction, PageOptions } from '../options.ts'
import { activated, pressedByScript } from './activated.ts'

const MARKED = '[data-offstage-confirm]'

/**
 * Whether a person is always to be asked first: the page marks it, or the host calls it a commit. `asked`: the marks about
 * which a person was asked.
 */
export function mustConfirm(
  element: Element,
  action: PageAction,
  { classify, asked = [] }: PageOptions & { readonly asked?: readonly Element[] },
): boolean {
  const used = [
    ...activated(element, action),
    ...(action === 'enter' ? pressedByScript(element) : []),
  ]
  return used.some(
    (one) =>
      marksOf(one).some((mark) => !asked.includes(mark)) || classify?.(one, action) === 'commit',
  )
}

/** What marks the element: a part that it is in, a label that names it, or a form that it belongs to from outside. */
export function marksOf(element: Element): readonly Element[] {
  return [element, ...labelsOf(element), formOf(element)].flatMap(
    (one) => (one && closest(one, MARKED)) ?? [],
  )
}

function formOf(element: Element): Element | null {
  const { form } = element as Partial<HTMLInputElement>
  return isElement(form) ? form : null
}
