import { ancestorsOf, viewOf } from './dom.ts'
import * as native from './native.ts'

/**
 * Converts an element's box to pixels of its window, as events use them. WebKit and older Chromiums return boxes in the
 * element's own pixels, which `zoom` scales. Browsers with `currentCSSZoom` return window pixels.
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
