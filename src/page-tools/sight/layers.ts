import { isTag, parentOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { CSS_NUMBER } from './css-number.ts'
import { filterOpacity } from './shapes.ts'
import { lazyPattern } from '../../lib/once.ts'

/** An element whose style decides how what is in it looks, and where. Elements in between have none. */
export interface Layer {
  readonly element: Element
  readonly style: CSSStyleDeclaration
  /** The next one around it, in the same document. */
  readonly up: Layer | null
  /** The opacity of what is in it, with that of what is around it. */
  readonly opacity: number
  readonly position: string
  readonly overflowX: string
  readonly overflowY: string
  /** It cuts off all that is outside of its box, whatever its overflow. */
  readonly isCutOff: boolean
  readonly clipPath: string
  /** Its content is not rendered. */
  readonly isSkipped: boolean
  /** Positioned content is placed by it, and clipped. */
  readonly holdsAbsolute: boolean
  readonly holdsFixed: boolean
}

/** How long styles are taken for unchanged. Milliseconds. */
const FRESH_MS = 50

let layers = new WeakMap<Element, Layer | null>()
let readAt = -Infinity

/** Has all be read again: a new reading begins. */
export function forgetLayers(): void {
  readAt = -Infinity
}

/** Forgets what was read longer ago than one reading takes. True when it did. */
export function refreshLayers(): boolean {
  if (performance.now() - readAt <= FRESH_MS) return false
  layers = new WeakMap()
  readAt = performance.now()
  return true
}

/** The nearest layer that an element is in, or is; null when nothing around it is one. */
export function layerOf(element: Element): Layer | null {
  const path: Element[] = []
  let found: Layer | null = null
  for (let at: Element | null = element; at; at = parentInDocument(at)) {
    const known = layers.get(at)
    if (known !== undefined) {
      found = known
      break
    }
    path.push(at)
  }
  for (const one of path.toReversed()) {
    found = readLayer(one, found)
    layers.set(one, found)
  }
  return found
}

function parentInDocument(element: Element): Element | null {
  return element === nativeDocument.documentElement(native.ownerDocument(element)) ||
    isOnTop(element)
    ? null
    : parentOf(element)
}

/** Whether an element is in the browser's top layer: there, nothing around it changes its look. */
function isOnTop(element: Element): boolean {
  const mayBe = isTag(element, 'dialog') || native.hasAttribute(element, 'popover')
  return mayBe && native.matches(element, ':modal,:popover-open')
}

/** The layer itself and those around it, from the inside out. */
export function* layersFrom(layer: Layer | null): Generator<Layer> {
  for (let at = layer; at; at = at.up) yield at
}

/** The element as a layer; the layer around it when its own style changes nothing. */
function readLayer(element: Element, up: Layer | null): Layer | null {
  const style = viewOf(element).getComputedStyle(element)
  const { opacity, position, overflowX, overflowY, transform, filter, clipPath } = style
  const isSkipped =
    style.contentVisibility === 'hidden' && !/^(inline|contents)$/.test(style.display)
  const isCutOff =
    /paint|strict|content/.test(style.contain) && !/^(inline|contents)$/.test(style.display)
  const isPlain =
    opacity === '1' &&
    !isSkipped &&
    position === 'static' &&
    overflowX === 'visible' &&
    overflowY === 'visible' &&
    !isCutOff &&
    transform === 'none' &&
    filter === 'none' &&
    clipPath === 'none'
  if (isPlain) return up
  const holdsFixed = transform !== 'none' || filter !== 'none' || isCutOff
  return {
    element,
    style,
    up,
    opacity: (up?.opacity ?? 1) * Number(opacity) * filterOpacity(filter),
    position,
    overflowX,
    overflowY,
    isCutOff,
    clipPath,
    isSkipped,
    holdsAbsolute: holdsFixed || position !== 'static',
    holdsFixed,
  }
}

/** Whether a background is drawn in the shape of the text, and so is no ground. */
export function isInShapeOfText({ backgroundClip }: CSSStyleDeclaration): boolean {
  return backgroundClip.includes('text')
}

/**
 * The layers that clip what is in a layer, from the inside out: positioned content isn't clipped by what it
 * isn't placed by.
 */
export function* clippingLayers(layer: Layer | null): Generator<Layer> {
  let placedBy: 'any' | 'absolute' | 'fixed' = 'any'
  for (const at of layersFrom(layer)) {
    const isPlace =
      placedBy === 'any' ||
      (placedBy === 'absolute' && at.holdsAbsolute) ||
      (placedBy === 'fixed' && at.holdsFixed)
    if (!isPlace) continue
    placedBy = at.position === 'fixed' ? 'fixed' : at.position === 'absolute' ? 'absolute' : 'any'
    if (at.isCutOff || at.overflowX !== 'visible' || at.overflowY !== 'visible') yield at
  }
}

const MARGIN = lazyPattern(() => `(${CSS_NUMBER})px`)

/** How far what is in a layer is shown outside of the box that cuts it off. Pixels. */
export function marginOf({ style, overflowX, overflowY, isCutOff }: Layer): number {
  if (!isCutOff && overflowX !== 'clip' && overflowY !== 'clip') return 0
  return Number(MARGIN().exec(style.overflowClipMargin ?? '')?.[1] ?? 0)
}
