import { closest, isElement, parentOf } from '../dom.ts'
import * as native from '../native.ts'
import type { Extent } from './mutation-log.ts'
import type { OutlineNode } from './outline-node.ts'

interface KnownElements {
  readonly nodes: ReadonlyMap<Element, OutlineNode>
  /** Not rendered when they were walked. */
  readonly hidden: ReadonlySet<Element>
}

/**
 * The nodes that contain all changes, none inside another one that is walked whole; null when that is the
 * whole outline.
 */
export function changedNodes(
  changed: ReadonlyMap<Node, Extent>,
  known: KnownElements,
): Map<OutlineNode, Extent> | null {
  const found = new Map<OutlineNode, Extent>()
  for (const [target, extent] of changed) {
    const node = nearestNode(target, known)
    if (node === null) continue
    if (!node) return null
    // A target without a node may have become visible: as a new child of the nearest node.
    const isAll = extent === 'all' && node.element === target
    if (isAll && !node.parent) return null
    if (isAll || !found.has(node)) found.set(node, isAll ? 'all' : 'children')
  }
  for (const node of found.keys())
    for (let at = node.parent; at; at = at.parent) if (found.get(at) === 'all') found.delete(node)
  return found
}

/** Null: the change is not visible. `undefined`: nothing around it is in the outline. */
function nearestNode(
  target: Node,
  { nodes, hidden }: KnownElements,
): OutlineNode | null | undefined {
  if (isElement(target) && closest(target, '[data-offstage-ignore]')) return null
  for (let at: Node | null = target; at; at = parentOf(at)) {
    const node = isElement(at) && nodes.get(at)
    if (node) return node
    // Still hidden. What becomes visible is itself the target of a mutation, or inside of one.
    if (isElement(at) && at !== target && hidden.has(at) && !native.checkVisibility(at)) return null
  }
  return undefined
}
