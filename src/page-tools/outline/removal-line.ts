import { cut, quote } from '../clean-text.ts'
import { closest } from '../dom.ts'
import { knownRef, lookUpRef } from '../refs.ts'
import { isText, nodesOf, type OutlineNode } from './outline-node.ts'

/** The line that reports a removed node, as a snapshot showed it. */
export function removalLine(removed: OutlineNode): string {
  const node =
    [...nodesOf(removed)].find(({ role, items }) => role || items.some(isText)) ?? removed
  const ref = knownRef(node.element)
  const text = node.name?.text || (ref && lookUpRef(ref)?.memory.name) || firstText(node)
  const label = [node.role || (text && 'text'), text && quote(cut(text, 80))]
    .filter(Boolean)
    .join(' ')
  return label && ref ? `${label} [ref=${ref}]` : label
}

export function isInEditor(element: Element): boolean {
  return closest(element, '[contenteditable]') !== null
}

function firstText(node: OutlineNode): string {
  for (const inner of nodesOf(node)) {
    const text = ownText(inner)
    if (text) return text
  }
  return ''
}

/** The first text that is a direct child. */
export function ownText({ items }: OutlineNode): string {
  for (const item of items) if (isText(item)) return item.text
  return ''
}
