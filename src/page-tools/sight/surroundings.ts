import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { FAINT } from './colour.ts'
import { clippingLayers, layersFrom, marginOf, type Layer } from './layers.ts'
import type { Unseen } from './reasons.ts'
import { isEmptyClip, isEmptyPath } from './shapes.ts'

/** Why everything in a layer is hidden. */
export function surroundings(layer: Layer | null): Unseen | null {
  if (layer && layer.opacity <= FAINT) return 'transparent'
  for (const { style, position, clipPath, isSkipped } of layersFrom(layer)) {
    if (isSkipped) return 'not displayed'
    const isPlaced = position === 'absolute' || position === 'fixed'
    if (isPlaced && style.clip !== 'auto' && isEmptyClip(style.clip)) return 'sr-only'
    if (isEmptyPath(clipPath)) return isPlaced ? 'sr-only' : 'clipped to nothing'
  }
  for (const around of clippingLayers(layer))
    if (isWithoutRoom(around))
      return /absolute|fixed/.test(around.position) ? 'sr-only' : 'clipped to nothing'
  return null
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
