import { contains, isElement } from '../dom.ts'
import * as native from '../native.ts'
import type { OmittedItem } from './outline-node.ts'

/** Children that are always shown: headers, and the first items. */
const HEAD = 3

/** Elements that aren't lists may have this many times more children. */
const NON_LIST_FACTOR = 3
const LISTS = /^(ul|ol|dl|table|tbody|list|listbox|grid|treegrid|tree|feed|menu|rowgroup)$/

interface WindowOptions {
  readonly listLimit: number
  readonly from: Element | null
}

/**
 * The children to walk. Of a long list, those that are in view or follow `from`; the rest is counted. Reads
 * positions of children only, never their content.
 */
export function listWindow(
  options: WindowOptions,
  element: Element,
  children: readonly Node[],
): readonly (Node | OmittedItem)[] {
  const { from } = options
  if (children.length <= options.listLimit) return children
  const listLimit =
    LISTS.test(native.role(element) ?? '') || LISTS.test(native.localName(element))
      ? options.listLimit
      : options.listLimit * NON_LIST_FACTOR
  if (children.length <= listLimit) return children
  const elements = children.filter(isElement)
  if (elements.length <= listLimit) return children
  const start = from ? elements.findIndex((child) => contains(child, from)) : -1
  const first = start >= 0 ? start : firstInView(elements, element)
  const shown = [
    ...indexes(0, first <= HEAD || start < 0 ? Math.min(HEAD, first) : 0),
    ...indexes(first, Math.min(first + listLimit - HEAD, elements.length)),
  ]
  const result: (Node | OmittedItem)[] = []
  let next = 0
  for (const index of [...shown, elements.length]) {
    const skipped = elements[next]
    if (index > next && skipped) result.push({ count: index - next, first: skipped })
    const child = elements[index]
    if (child) result.push(child)
    next = index + 1
  }
  return result
}

/** A binary search, as children of a list are mostly in vertical order. */
function firstInView(elements: readonly HTMLElement[], list: Element): number {
  const top = Math.max(0, native.getBoundingClientRect(list).top)
  let low = 0
  let high = elements.length
  while (low < high) {
    const middle = (low + high) >> 1
    const element = elements[middle]
    if (element && native.getBoundingClientRect(element).bottom > top) high = middle
    else low = middle + 1
  }
  return low >= elements.length ? 0 : low
}

function indexes(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
}
