import { ancestorsOf, viewOf } from './dom.ts'
import * as native from './native.ts'

/**
 * A box of an element in pixels of its window, as events have it. WebKit and older Chromiums return boxes
 * in the element's own pixels, which `zoom` scales; browsers that don't also have `currentCSSZoom`.
 */
export function toWindowPixels(element: Element, box: DOMRect): DOMRect {
  if (native.currentCSSZoom(element) !== undefined) return box
  let zoom = 1
  for (const one of [element, ...ancestorsOf(element)]) {
    if (native.ownerDocument(one) !== native.ownerDocument(element)) break
    zoom *= Number.parseFloat(viewOf(one).getComputedStyle(one).getPropertyValue('zoom')) || 1
  }
  return new DOMRect(box.x * zoom, box.y * zoom, box.width * zoom, box.height * zoom)
}
