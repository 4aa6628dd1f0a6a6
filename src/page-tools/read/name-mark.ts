import { ancestorsOf, childrenOf, isElement, referenced, viewOf } from '../dom.ts'
import { shownAt, SIDES } from '../generated-text.ts'
import { labelsOf } from '../labels.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import type { OutlineNode } from '../outline/outline-node.ts'
import { isNamedByContent } from '../outline/role.ts'
import { sliderLabel } from '../outline/slider-label.ts'
import type { Unseen } from '../sight/reasons.ts'
import { unseenGenerated, unseenReason } from '../sight/unseen.ts'

/** Names are cut long before that many texts. */
const TEXT_LIMIT = 40
const CAPTIONS = 'caption,legend,figcaption,summary'

/**
 * The flag for a name of which nobody sees all or a part, though what it names is seen: `[name hidden: transparent]`,
 * `[name sr-only]` for one that is left to assistive technology, as of a button with an icon. A part that is left
 * to assistive technology is usual: "Read more" with "about mugs".
 */
export function nameMark(node: OutlineNode, options: PageOptions): readonly string[] {
  if (node.masked || node.visuallyHidden) return []
  const reasons: (Unseen | null)[] = []
  for (const source of namingElements(node, options)) addReasons(source, reasons)
  const seen = reasons.filter((reason) => reason === null).length
  const hidden = reasons.filter((reason) => reason !== null && reason !== 'sr-only')
  const [reason] = hidden
  if (reason) return [`[name ${seen > 0 ? 'partly ' : ''}hidden: ${reason}]`]
  return seen === 0 && reasons.length > 0 ? ['[name sr-only]'] : []
}

/** The elements whose texts the name is made of; none when an attribute gives it. */
function namingElements(
  { element, control, role }: OutlineNode,
  options: PageOptions,
): readonly Element[] {
  if (native.hasAttribute(control, 'aria-labelledby')) return referenced(control, 'aria-labelledby')
  if (isNamedByContent(role)) return [element]
  if (native.hasAttribute(control, 'aria-label')) return []
  const labels = labelsOf(control)
  if (labels.length > 0) return labels
  const caption = [...native.children(element)].find((child) => native.matches(child, CAPTIONS))
  if (caption) return [caption]
  const beside = role === 'slider' ? sliderLabel(control, options) : null
  return beside ? [beside] : []
}

/** What isn't rendered is no part of a name, but what is skipped while it is rendered is one. */
function isNoPart(element: Element): boolean {
  const view = viewOf(element)
  return [element, ...ancestorsOf(element)].some(
    (one) => view.getComputedStyle(one).display === 'none',
  )
}

function addReasons(element: Element, reasons: (Unseen | null)[]): void {
  if (reasons.length >= TEXT_LIMIT || native.getAttribute(element, 'aria-hidden') === 'true') return
  const children = childrenOf(element)
  if (children.some((child) => native.nodeType(child) === 3 && native.nodeValue(child)?.trim())) {
    const reason = unseenReason(element)
    if (reason !== 'not displayed' || !isNoPart(element)) reasons.push(reason)
  }
  for (const side of SIDES) {
    const generated = shownAt(element, side)
    if (generated) reasons.push(unseenGenerated(element, generated.style))
  }
  for (const child of children) if (isElement(child)) addReasons(child, reasons)
}
