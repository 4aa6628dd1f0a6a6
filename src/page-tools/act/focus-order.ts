import { descendantsOf, isElement, isTag } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { hiddenReason } from '../outline/visibility.ts'

const FOCUSABLE =
  'a[href],area[href],button,input,select,textarea,summary,iframe,[tabindex],[contenteditable]'

/** The default action of the Tab key: focuses the next element in tab order, forwards or backwards. */
export function moveFocus(from: Element, step: 1 | -1): void {
  const ownerDocument = native.ownerDocument(from)
  const modal = native.querySelector(ownerDocument, 'dialog:modal')
  const order = tabOrder(modal ?? nativeDocument.body(ownerDocument))
  const at = order.indexOf(from as HTMLElement)
  const next =
    at < 0 ? nearest(order, from, step) : order[(at + step + order.length) % order.length]
  if (next) native.focus(next)
}

function tabOrder(root: Element): HTMLElement[] {
  const found = [...descendantsOf(root)].filter(
    (element) =>
      isElement(element) &&
      native.matches(element, FOCUSABLE) &&
      native.tabIndex(element) >= 0 &&
      !native.matches(element, ':disabled') &&
      isTabStopOfGroup(element) &&
      hiddenReason(element) === null,
  ) as HTMLElement[]
  const rank = (element: HTMLElement): number =>
    native.tabIndex(element) || Number.POSITIVE_INFINITY
  return found.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(a) - rank(b)))
}

/** A group of radio buttons has one tab stop: the checked one, or the first. */
function isTabStopOfGroup(element: Element): boolean {
  if (!isTag(element, 'input') || element.type !== 'radio' || element.checked || !element.name)
    return true
  const scope = element.form ?? (element.getRootNode() as Document)
  const group = [...native.querySelectorAll<HTMLInputElement>(scope, 'input')].filter(
    (input) => input.type === 'radio' && input.name === element.name,
  )
  return !group.some(({ checked }) => checked) && group[0] === element
}

function nearest(
  order: readonly HTMLElement[],
  from: Element,
  step: 1 | -1,
): HTMLElement | undefined {
  const wanted = step === 1 ? Node.DOCUMENT_POSITION_FOLLOWING : Node.DOCUMENT_POSITION_PRECEDING
  const side = order.filter((element) => native.compareDocumentPosition(from, element) & wanted)
  return step === 1 ? (side[0] ?? order[0]) : (side.at(-1) ?? order.at(-1))
}
