import { quote, shorten } from '../clean-text.ts'
import type { PageOptions } from '../options.ts'
import { elementsIn } from '../outline/order.ts'
import type { OutlineNode } from '../outline/outline-node.ts'
import { headOf } from './line.ts'
import { readableText } from './readable-text.ts'

const SHOWN = 12
const TEXT_LIMIT = 40

/** The line that reports a new order: the texts of the node's elements in that order. */
export function orderLine(node: OutlineNode, options: PageOptions): string {
  const texts = elementsIn(node.items)
    .map((element) => readableText(element, options))
    .filter(Boolean)
  const shown = texts.slice(0, SHOWN).map((text) => quote(shorten(text, TEXT_LIMIT)))
  const rest = texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : ''
  return `<changed> order in ${headOf(holderOf(node), options)}: ${shown.join(', ')}${rest}`
}

/** The nearest node with a role: the list or table, when the rows are in a wrapper. */
function holderOf(node: OutlineNode): OutlineNode {
  for (let at: OutlineNode | null = node; at; at = at.parent) if (at.role) return at
  return node
}
