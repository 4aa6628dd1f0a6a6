import { descendantsOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { FAINT, isSeen } from './colour.ts'
import { currentReading, isInShapeOfText, layerOf } from './layers.ts'
import { drawnBeside } from './drawn-beside.ts'
import { ringsOf } from './rings.ts'
import { isWithin, overlap, widened, type Sides } from './sides.ts'
import { isInDrawing } from './text-colours.ts'

/** Something that an element draws, beside its text. */
export interface Paint {
  readonly element: Element
  /**
   * `ground`: what its own content is compared with. `picture`: of the element. `beside`: around its content or by
   * what its style adds. `unknown`: it may draw what can't be read.
   */
  readonly kind: 'ground' | 'picture' | 'beside' | 'unknown'
  readonly area: Sides
  /** Nothing is drawn inside of it. */
  readonly hole: Sides | null
}

/** On a strip of up to that many pixels no letter can be told. */
const THIN_PX = 2
const PICTURE = /^(img|video|canvas|svg|iframe|frame|object|embed|input|picture)$/
const SHAPE = /^(rect|path|circle|ellipse|line|polygon|polyline|image|use)$/
/** How long what is drawn is taken for unchanged. Milliseconds. */
const FRESH_MS = 500

interface Collected {
  readonly reading: number
  readonly at: number
  readonly paints: readonly Paint[]
}
const collected = new WeakMap<Document, Collected>()

/** Whether a paint may be seen behind a text in a box. */
export function liesUnder({ area, hole }: Paint, box: Sides): boolean {
  // Boxes of text are rounded.
  return overlap(area, box, THIN_PX) && !(hole && isWithin(box, widened(hole, 1)))
}

/** All that the elements of a document draw, beside their texts. */
export function paintsOf(document: Document): readonly Paint[] {
  const known = collected.get(document)
  const now = performance.now()
  if (known && known.reading === currentReading() && now - known.at < FRESH_MS) return known.paints
  const paints: Paint[] = []
  for (const element of descendantsOf(nativeDocument.documentElement(document)))
    if (native.ownerDocument(element) === document) addPaints(element, paints)
  collected.set(document, { reading: currentReading(), at: performance.now(), paints })
  return paints
}

function addPaints(element: Element, paints: Paint[]): void {
  const style = viewOf(element).getComputedStyle(element)
  if (style.display === 'none') return
  if ((layerOf(element)?.opacity ?? 1) <= FAINT) return
  const box = native.getBoundingClientRect(element)
  const add = (kind: Paint['kind'], area: Sides, hole: Sides | null = null): void => {
    if (overlap(area, area, THIN_PX)) paints.push({ element, kind, area, hole })
  }
  for (const area of drawnBeside(element, box)) add('beside', area)
  if (style.visibility !== 'visible') return
  if (isInDrawing(element) && native.localName(element) !== 'svg') {
    if (SHAPE.test(native.localName(element)) && isShapeSeen(element, style)) add('picture', box)
    return
  }
  if (PICTURE.test(native.localName(element)) && !isBroken(element)) add('picture', box)
  if (native.localName(element).includes('-') && !native.shadowRoot(element)) add('unknown', box)
  if (isBehind(style)) add('ground', box)
  for (const { area, hole } of ringsOf(element, style, box)) add('beside', area, hole)
}

/** Whether a style draws a ground, or changes the one behind. */
function isBehind(style: CSSStyleDeclaration): boolean {
  const { backdropFilter, backgroundImage, backgroundColor } = style
  if (backdropFilter && backdropFilter !== 'none') return true
  if (isInShapeOfText(style)) return false
  return backgroundImage !== 'none' || isSeen(backgroundColor)
}

function isShapeSeen(element: Element, { fill, stroke }: CSSStyleDeclaration): boolean {
  if (/^(image|use)$/.test(native.localName(element))) return true
  return [fill, stroke].some((paint) => paint !== 'none' && isSeen(paint))
}

/** A picture that isn't there and has no words in its place. */
function isBroken(element: Element): boolean {
  if (native.localName(element) !== 'img') return false
  const { complete, naturalWidth, alt } = element as HTMLImageElement
  return complete && naturalWidth === 0 && !alt
}
