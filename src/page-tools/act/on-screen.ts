import { viewOf } from '../dom.ts'
import { renderedElement } from '../image-map.ts'
import * as native from '../native.ts'

/** Whether a part of the element is in its window's view. Always true for an element without a box of its own. */
export function isOnScreen(element: Element): boolean {
  const box = native.getBoundingClientRect(renderedElement(element))
  if (box.width === 0 && box.height === 0) return true
  const { innerWidth, innerHeight } = viewOf(element)
  return box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth
}
