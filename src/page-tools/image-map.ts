import { isTag } from './dom.ts'
import * as native from './native.ts'

/** The image of an `area` element. The area itself has no box and no style. */
export function imageOfArea(element: Element): HTMLImageElement | null {
  const map = isTag(element, 'area') && element.closest('map')
  if (!map || !map.name) return null
  const root = native.getRootNode(element) as Document | ShadowRoot
  return native.querySelector<HTMLImageElement>(root, `img[usemap="#${CSS.escape(map.name)}"]`)
}

/** The element whose box and style apply: an area's image, otherwise the element itself. */
export function renderedElement(element: Element): Element {
  return imageOfArea(element) ?? element
}

/** The bounding rectangle of an area's shape, in the coordinates of the view. */
export function boxOfArea(area: Element, image: HTMLImageElement): DOMRect {
  const around = image.getBoundingClientRect()
  const numbers = (native.getAttribute(area, 'coords') ?? '').split(/[\s,]+/).map(Number)
  const [x = 0, y = 0, radius = 0] = numbers
  if (native.getAttribute(area, 'shape') === 'default') return around
  if (native.getAttribute(area, 'shape') === 'circle')
    return new DOMRect(around.x + x - radius, around.y + y - radius, radius * 2, radius * 2)
  const across = numbers.filter((_, index) => index % 2 === 0)
  const down = numbers.filter((_, index) => index % 2 === 1)
  const [left, top] = [Math.min(...across), Math.min(...down)]
  const [width, height] = [Math.max(...across) - left, Math.max(...down) - top]
  return new DOMRect(around.x + left, around.y + top, width, height)
}
