import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { clipArea, isEmptyArea, isEmptyReference } from './clip-path.ts'
import { FAINT } from './colour.ts'
import { clippingLayers, layersFrom, marginOf, type Layer } from './layers.ts'
import type { Unseen } from './reasons.ts'
import { isEmptyClip, isEmptyMask } from './shapes.ts'
import { moved, overlap, type Sides } from './sides.ts'

/** What hides all that is in a layer, or the texts in its boxes. */
export function surroundings(layer: Layer | null, boxes: readonly Sides[] = []): Unseen | null {
  if (layer && layer.opacity <= FAINT) return 'transparent'
  for (const { element, style, position, clipPath, mask, isSkipped } of layersFrom(layer)) {
    if (isSkipped) return 'not displayed'
    const isPlaced = position === 'absolute' || position === 'fixed'
    if (isPlaced && style.clip !== 'auto' && isEmptyClip(style.clip)) return 'sr-only'
    if (clipPath !== 'none' && isClippedAway(element, clipPath, boxes))
      return isPlaced ? 'sr-only' : 'clipped to nothing'
    if (mask && mask !== 'none' && isEmptyMask(style)) return 'transparent'
  }
  for (const around of clippingLayers(layer))
    if (isWithoutRoom(around))
      return /absolute|fixed/.test(around.position) ? 'sr-only' : 'clipped to nothing'
  return null
}

/** Whether a `clip-path` leaves nothing of an element, or nothing of the boxes in it. */
function isClippedAway(element: Element, path: string, boxes: readonly Sides[]): boolean {
  const box = native.getBoundingClientRect(element)
  const offsetWidth = native.offsetWidth(element as HTMLElement)
  const offsetHeight = native.offsetHeight(element as HTMLElement)
  // A transformation changes the box, and what is in it, but not the lengths of a style.
  const isAsStyled = Math.abs(box.width - (offsetWidth ?? Infinity)) < 1
  const size =
    isAsStyled || !offsetWidth || !offsetHeight ? box : { width: offsetWidth, height: offsetHeight }
  const area = clipArea(path, size)
  if (!area) return isEmptyReference(path, element)
  if (isEmptyArea(area)) return true
  if (!isAsStyled || boxes.length === 0) return false
  const shown = moved(area, box.left, box.top)
  // What moves by behind a hole in its own box, as in a carousel, may come into it.
  return !overlap(box, shown) && !boxes.some((one) => overlap(one, shown))
}

/** Whether an element that shows only what is inside of its box has no room in it. */
function isWithoutRoom(layer: Layer): boolean {
  const { element, overflowX, overflowY, isCutOff } = layer
  const document = native.ownerDocument(element)
  // Theirs is that of the window.
  if (
    element === nativeDocument.documentElement(document) ||
    element === nativeDocument.body(document)
  )
    return false
  if (native.getClientRects(element).length === 0) return false
  const { width, height } = native.getBoundingClientRect(element)
  const outside = 2 * marginOf(layer)
  return (
    ((isCutOff || overflowX !== 'visible') && width + outside <= 1) ||
    ((isCutOff || overflowY !== 'visible') && height + outside <= 1)
  )
}
