import { quote, shorten } from '../clean-text.ts'
import type { PageOptions } from '../options.ts'
import { headOf } from './line.ts'
import { isNode, type OutlineItem, type OutlineNode } from './outline-node.ts'
import { readableText } from './readable-text.ts'

const SHOWN = 12
const TEXT_LIMIT = 40

/** Whether what is in both stands in another order now. */
export function isReordered(was: readonly OutlineItem[], now: readonly OutlineItem[]): boolean {
  const before = elementsIn(was)
  const places = new Map(before.map((element, place) => [element, place]))
  let last = -1
  for (const element of elementsIn(now)) {
    const place = places.get(element)
    if (place === undefined) continue
    if (place < last) return true
    last = place
  }
  return false
}

/** The order of what is in it, in the words that stand there. */
export function orderLine(node: OutlineNode, options: PageOptions): string {
  const texts = elementsIn(node.items)
    .map((element) => readableText(element, options))
    .filter(Boolean)
  const shown = texts.slice(0, SHOWN).map((text) => quote(shorten(text, TEXT_LIMIT)))
  const rest = texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : ''
  return `<changed> order in ${headOf(holderOf(node), options, false)}: ${shown.join(', ')}${rest}`
}

/** The list or table that a reader knows, where the rows are in a wrapper. */
function holderOf(node: OutlineNode): OutlineNode {
  for (let at: OutlineNode | null = node; at; at = at.parent) if (at.role) return at
  return node
}

function elementsIn(items: readonly OutlineItem[]): Element[] {
  return items.filter(isNode).map(({ element }) => element)
}
