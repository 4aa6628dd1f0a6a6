import { isTag, getParent, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { lazyPattern } from '../../lib/once.ts'

/** The pattern of a number as browsers write it in computed styles: `-0.5`, `1e-06`. */
const CSS_NUMBER = '[-+]?(?:\\d*\\.)?\\d+(?:e[-+]?\\d+)?'

/** Finds styles that hide all of an element. Only what is certain counts: unknown values hide nothing. */

/** Whether a `clip` leaves nothing of the element. */
export function isEmptyClip(clip: string): boolean {
  const sides = /^rect\(([^)]*)\)$/.exec(clip)?.[1]?.split(/[\s,]+/) ?? []
  const [top = Number.NaN, right = Number.NaN, bottom = Number.NaN, left = Number.NaN] = sides.map(
    Number.parseFloat,
  )
  return right - left <= 1 || bottom - top <= 1
}

/** Shapes by which pages cut off all of an element. */
const NOTHING = /^(?:inset\((?:[5-9]\d|100)%|circle\(0|polygon\((?:0(?:px|%)? 0(?:px|%)?,? ?)+\))/

/** Whether a `clip-path` is known to leave nothing of the element. */
export function isEmptyPath(path: string): boolean {
  return NOTHING.test(path)
}

const OPACITIES = lazyPattern(() => `opacity\\((${CSS_NUMBER})(%?)\\)`, 'g')

/** The opacity that a `filter` leaves, from 0 to 1. */
export function filterOpacity(filter: string): number {
  let opacity = 1
  for (const [, value = '', unit] of filter.matchAll(OPACITIES()))
    opacity *= Math.min(1, Number(value) / (unit ? 100 : 1))
  return opacity
}

/** An element whose style decides how its content looks, and where it is. Other elements have no layer. */
export interface Layer {
  readonly element: Element
  readonly style: CSSStyleDeclaration
  /** The next layer around it, in the same document. */
  readonly up: Layer | null
  /** Opacity of its content, including that of everything around it. */
  readonly opacity: number
  readonly position: string
  readonly overflowX: string
  readonly overflowY: string
  /** Cuts off everything outside of its box, whatever its overflow. */
  readonly isCutOff: boolean
  readonly clipPath: string
  /** The browser skips its content. */
  readonly isSkipped: boolean
  /** Is the containing block of absolutely positioned content, and clips it. */
  readonly holdsAbsolute: boolean
  readonly holdsFixed: boolean
}

/** How long styles count as unchanged. Milliseconds. */
const FRESH_MS = 50

let layers = new WeakMap<Element, Layer | null>()
let readAt = -Infinity

/** Begins a new reading, in which all styles are read again. */
export function forgetLayers(): void {
  readAt = -Infinity
}

/** Forgets styles from before the current reading. Returns whether it did. */
export function refreshLayers(): boolean {
  if (performance.now() - readAt <= FRESH_MS) return false
  layers = new WeakMap()
  readAt = performance.now()
  return true
}

/** The nearest layer of an element: itself, or one around it. Null if there is none. */
export function layerOf(element: Element): Layer | null {
  const path: Element[] = []
  let found: Layer | null = null
  for (let current: Element | null = element; current; current = parentInDocument(current)) {
    const cached = layers.get(current)
    if (cached !== undefined) {
      found = cached
      break
    }
    path.push(current)
  }
  for (const ancestor of path.toReversed()) {
    found = readLayer(ancestor, found)
    layers.set(ancestor, found)
  }
  return found
}

function parentInDocument(element: Element): Element | null {
  return element === nativeDocument.documentElement(native.ownerDocument(element)) ||
    isOnTop(element)
    ? null
    : getParent(element)
}

/** Whether an element is in the browser's top layer, where nothing around it changes its look. */
function isOnTop(element: Element): boolean {
  const canBeOnTop = isTag(element, 'dialog') || native.hasAttribute(element, 'popover')
  return canBeOnTop && native.matches(element, ':modal,:popover-open')
}

/** The layer and those around it, innermost first. */
export function* layersFrom(layer: Layer | null): Generator<Layer> {
  for (let current = layer; current; current = current.up) yield current
}

/** The element as a layer. If its own style changes nothing, the layer around it. */
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

/**
 * Layers that clip the content of a layer, innermost first. Positioned content is clipped only from its containing
 * block outwards.
 */
export function* clippingLayers(layer: Layer | null): Generator<Layer> {
  let placedBy: 'any' | 'absolute' | 'fixed' = 'any'
  for (const current of layersFrom(layer)) {
    const isContainingBlock =
      placedBy === 'any' ||
      (placedBy === 'absolute' && current.holdsAbsolute) ||
      (placedBy === 'fixed' && current.holdsFixed)
    if (!isContainingBlock) continue
    placedBy =
      current.position === 'fixed' ? 'fixed' : current.position === 'absolute' ? 'absolute' : 'any'
    if (current.isCutOff || current.overflowX !== 'visible' || current.overflowY !== 'visible')
      yield current
  }
}

const MARGIN = lazyPattern(() => `(${CSS_NUMBER})px`)

/** How far content may be seen outside of the box that cuts it off (`overflow-clip-margin`). Pixels. */
export function marginOf({ style, overflowX, overflowY, isCutOff }: Layer): number {
  if (!isCutOff && overflowX !== 'clip' && overflowY !== 'clip') return 0
  return Number(MARGIN().exec(style.overflowClipMargin ?? '')?.[1] ?? 0)
}
