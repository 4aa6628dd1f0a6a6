import { closest, isElement } from '../dom.ts'
import { labelsOf } from '../labels.ts'
import type { PageAction, PageOptions } from '../options.ts'
import { activated, pressedByScript } from './activated.ts'

const MARKED = '[data-offstage-confirm]'

/**
 * Whether the action always needs approval: the page marks the element, or `classify` returns `'commit'`. `asked`:
 * marks that an approval already covers.
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

/** Treats an unknown answer or an error as a commit: better to ask a person once too often. */
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

/** Elements with `data-offstage-confirm` that apply: around the element, its labels, or its form. */
export function marksOf(element: Element): readonly Element[] {
  return [element, ...labelsOf(element), formOf(element)].flatMap(
    (one) => (one && closest(one, MARKED)) ?? [],
  )
}

function formOf(element: Element): Element | null {
  const { form } = element as Partial<HTMLInputElement>
  return isElement(form) ? form : null
}
