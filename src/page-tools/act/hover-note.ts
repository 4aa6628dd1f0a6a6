import { ancestorsOf, contains } from '../dom.ts'
import { mayDependOnHover } from '../outline/hover/on-hover.ts'
import type { LivePage } from '../outline/live-page.ts'
import type { OutlineNode } from '../outline/outline-node.ts'
import { isActionable } from '../outline/role.ts'
import { describeElement } from './describe.ts'

const MOST = 8
const LEVELS = 3

/** What a style shows of an element to a person's pointer, which no script's pointer causes; empty for nothing. */
export function hoverNote(element: Element, live: LivePage): string {
  const shown = live.outline
    .hiddenUntilHover()
    .filter((node) => (node.clickable || isActionable(node.role)) && isNear(node, element))
  if (shown.length > 0) {
    const lines = shown.slice(0, MOST).map((node) => `\n- ${describeElement(node.element, live)}`)
    return ` To a person's pointer a style shows there what click takes, too:${lines.join('')}`
  }
  return mayDependOnHover(element)
    ? " A style may show something there, but only to a person's pointer."
    : ''
}

/** Whether it is in the element, or shown beside it: the nearest thing around it that is seen holds both. */
function isNear(node: OutlineNode, element: Element): boolean {
  let seen = node.parent
  while (seen?.onHover) seen = seen.parent
  if (!seen) return false
  if (contains(element, node.element)) return true
  return [element, ...ancestorsOf(element)].slice(0, LEVELS).includes(seen.element)
}
