import { descendantsOf, isTag, viewOf } from '../dom.ts'
import { renderedElement } from '../image-map.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { isReadable } from '../outline/region.ts'
import { hiddenReason } from '../outline/visibility.ts'
import { toWindowPixels } from '../window-pixels.ts'

/** Element to look at: an image, a canvas, a drawing, or a video with its current frame. */
export type Picture = HTMLImageElement | HTMLCanvasElement | HTMLVideoElement | SVGSVGElement

/** Smaller pictures inside a part are icons, and not meant. CSS pixels. */
const SMALLEST = 24
/** The largest picture is meant alone if it is this many times larger than the next. */
const FAR_LARGER = 4

function isPicture(element: Element): element is Picture {
  return (
    isTag(element, 'img') || isTag(element, 'canvas') || isTag(element, 'video') || isSvg(element)
  )
}

export function isSvg(element: Element): element is SVGSVGElement {
  return native.localName(element) === 'svg'
}

/** The pictures that an element stands for: itself, the drawing around it, or those in it. */
export function picturesOf(target: Element, options: PageOptions): readonly Picture[] {
  const element = renderedElement(target)
  const drawing = drawingAround(element)
  if (drawing) return [drawing]
  if (isPicture(element)) return [element]
  const found = [...descendantsOf(element)]
    .filter(isPicture)
    .filter((one) => drawingAround(one) === (isSvg(one) ? one : null))
    .filter((one) => isReadable(one, options) && hiddenReason(one) === null)
    .map((picture) => ({ picture, size: sizeOf(picture) }))
    .filter(({ size }) => size >= SMALLEST ** 2)
    .toSorted((one, other) => other.size - one.size)
  const [largest, next] = found
  if (largest && (!next || largest.size >= next.size * FAR_LARGER)) return [largest.picture]
  return found.map(({ picture }) => picture)
}

/** The outermost `svg`. */
function drawingAround(element: Element): SVGSVGElement | null {
  let found: SVGSVGElement | null = null
  for (let at: Element | null = element; at; at = native.parentElement(at))
    if (isSvg(at)) found = at
  return found
}

function sizeOf(element: Element): number {
  const { width, height } = native.getBoundingClientRect(element)
  return width * height
}

/**
 * Part of an element that a picture of it shows, in pixels of its window. For a picture, leaves out border and padding.
 */
export function pictureBox(element: Element): DOMRect {
  const around = native.getBoundingClientRect(element)
  if (!isPicture(element)) return toWindowPixels(element, around)
  const style = viewOf(element).getComputedStyle(element)
  const pixels = (side: string): number =>
    Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) +
    Number.parseFloat(style.getPropertyValue(`padding-${side}`))
  const [left, right, top, bottom] = [
    pixels('left'),
    pixels('right'),
    pixels('top'),
    pixels('bottom'),
  ]
  // `transform` scales the border, too.
  const own = isSvg(element) ? around.width : native.offsetWidth(element)
  const scale = own > 0 ? around.width / own : 1
  const box = new DOMRect(
    around.x + left * scale,
    around.y + top * scale,
    Math.max(0, around.width - (left + right) * scale),
    Math.max(0, around.height - (top + bottom) * scale),
  )
  return toWindowPixels(element, box)
}
