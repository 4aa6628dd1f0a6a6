import { viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { OutlineNode } from './outline-node.ts'
import { skipsContent } from './visibility.ts'

/** What markup leaves out of an outline. */
export const EXCLUDED = '[aria-hidden="true"],[inert],[data-offstage-ignore]'

/** False when it was removed or moved together with an ancestor. */
export function isInParent(node: OutlineNode): boolean {
  const { element, parent } = node
  return native.isConnected(element) && (parent === null || parent.items.includes(node))
}

export function isRendered(element: Element): boolean {
  return (
    !native.matches(element, `${EXCLUDED},script,style,template`) &&
    native.checkVisibility(element) &&
    !skipsContent(element, viewOf(element).getComputedStyle(element))
  )
}

/** The last dialog opened with `showModal()`: everything else is inert. */
export function openModal(root: Element): Element | null {
  const modals = [...native.querySelectorAll(root, 'dialog:modal')]
  return modals.at(-1) ?? null
}
