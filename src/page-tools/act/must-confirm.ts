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
      marksOf(one).some((mark) => !asked.includes(mark)) || isClassified(one, action, classify),
  )
}

type Classify = NonNullable<PageOptions['classify']>

const warned = new WeakSet<Classify>()

/** An answer that can't be understood, and an error, count as a commit: a person is asked rather than not. */
function isClassified(element: Element, action: PageAction, classify?: Classify): boolean {
  if (!classify) return false
  try {
    const answer: unknown = classify(element, action)
    if (!answer || answer === 'commit') return Boolean(answer)
    warnOnce(classify, `returned ${typeof answer === 'string' ? `'${answer}'` : typeof answer}`)
  } catch (error) {
    warnOnce(classify, 'threw', error)
  }
  return true
}

function warnOnce(classify: Classify, what: string, ...details: readonly unknown[]): void {
  if (warned.has(classify)) return
  warned.add(classify)
  console.warn(
    `offstage: classify ${what}, not 'commit' or undefined: a person is asked each time it does.`,
    ...details,
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
