import { cut } from '../clean-text.ts'
import { ancestorsOf, contains } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import type { TextItem } from '../outline/outline-node.ts'
import { LEAST_WITH_MARK, textMark } from './line.ts'
import { textPlaces } from './text-places.ts'

/**
 * A text of these items, with the mark by which it is read where it is cut or its lines are lost on one. `limit`:
 * characters.
 */
export function cutText(
  text: string,
  items: readonly TextItem[],
  { limit, options }: { readonly limit: number; readonly options: PageOptions },
): string {
  const isCut = text.length > limit
  const first = items[0]?.holder.element
  if (!first || (!isCut && !items.some(({ holder }) => isOfLines(holder.element)))) return text
  if (limit < LEAST_WITH_MARK) return cut(text, limit)
  const around = items.reduce((found, { holder }) => commonAncestor(found, holder.element), first)
  if (!isCut) return `${text} ${textMark(around, 0)}`
  return `${cut(text, limit)} ${textMark(around, placeBehind(around, items, { limit, options }))}`
}

function placeBehind(
  around: Element,
  items: readonly TextItem[],
  { limit, options }: { readonly limit: number; readonly options: PageOptions },
): number {
  const isAll = items.length === 1 && native.childNodes(around).length === 1
  return isAll && !native.closest(around, 'pre')
    ? limit
    : placeIn(textPlaces(around, options).text, items, limit)
}

/** Where in a text the words behind the limit begin. */
function placeIn(text: string, items: readonly TextItem[], limit: number): number {
  let left = limit
  let at = 0
  for (const item of items) {
    const [start] = item.text.split(' ')
    const found = start ? text.indexOf(start, at) : -1
    if (found < 0) return 0
    if (item.text.length >= left) return Math.min(text.length, found + left)
    at = found + item.text.length
    left -= item.text.length + 1
  }
  return at
}

function commonAncestor(one: Element, other: Element): Element {
  for (const at of [one, ...ancestorsOf(one)]) if (contains(at, other)) return at
  return one
}

function isOfLines(element: Element): boolean {
  const code = native.closest(element, 'pre')
  return code !== null && /\n/.test(native.textContent(code).trim())
}
