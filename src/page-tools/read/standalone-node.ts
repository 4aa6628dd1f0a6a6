import { viewOf } from '../dom.ts'
import type { PageOptions } from '../options.ts'
import { isMasked } from '../privacy.ts'
import type { OutlineNode } from '../outline/outline-node.ts'
import { roleOf } from '../outline/role.ts'
import { hiddenUntilHover } from '../outline/hover/on-hover.ts'
import { pageContext } from '../outline/walk.ts'

/** A node for one element without its content, to show it in one line. */
export function standaloneNode(element: Element, options: PageOptions): OutlineNode {
  return {
    element,
    role: roleOf(element),
    control: element,
    parent: null,
    items: [],
    inView: true,
    holdsView: true,
    clickable: false,
    masked: isMasked(element, options),
    visuallyHidden: false,
    onHover: hiddenUntilHover(element),
    context: pageContext(viewOf(element)),
    signature: '',
    addedAt: 0,
    changedAt: 0,
    name: null,
  }
}
