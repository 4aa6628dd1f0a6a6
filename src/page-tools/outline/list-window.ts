import { contains, isElement, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { OmittedItem } from './outline-node.ts'

/** Children that are always shown: headers, and the first items. */
const HEAD = 3

/** Elements that aren't lists may have this many times more children, and lists as many in view. */
const MORE_FACTOR = 3
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
      : options.listLimit * MORE_FACTOR
  if (children.length <= listLimit) return children
  const elements = children.filter(isElement)
  if (elements.length <= listLimit) return children
  const start = from ? elements.findIndex((child) => contains(child, from)) : -1
  const first = start >= 0 ? start : firstInView(elements, element)
  const count = Math.min(
    options.listLimit * MORE_FACTOR,
    Math.max(listLimit - HEAD, endOfView(elements, element) - first),
  )
  const shown = [
    ...indexes(0, first <= HEAD || start < 0 ? Math.min(HEAD, first) : 0),
    ...indexes(first, Math.min(first + count, elements.length)),
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

function firstInView(elements: readonly HTMLElement[], list: Element): number {
  const top = Math.max(0, native.getBoundingClientRect(list).top)
  const found = firstWith(elements, (box) => box.bottom > top)
  return found >= elements.length ? 0 : found
}

/** The first child below what is in view. */
function endOfView(elements: readonly HTMLElement[], list: Element): number {
  const end = Math.min(viewOf(list).innerHeight, native.getBoundingClientRect(list).bottom)
  return firstWith(elements, (box) => box.top >= end)
}

/** A binary search, as children of a list are mostly in vertical order. */
function firstWith(elements: readonly HTMLElement[], isWanted: (box: DOMRect) => boolean): number {
  let low = 0
  let high = elements.length
  while (low < high) {
    const middle = (low + high) >> 1
    const element = elements[middle]
    if (element && isWanted(native.getBoundingClientRect(element))) high = middle
    else low = middle + 1
  }
  return low
}

function indexes(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
}
