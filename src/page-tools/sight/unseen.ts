import { ancestorsOf, frameOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { isChanging } from './changing.ts'
import { FAINT, type Colour } from './colour.ts'
import { enlargementOf } from './enlargement.ts'
import { layerOf, layersFrom, refreshLayers, type Layer } from './layers.ts'
import { isIndentedAway, isOffPage } from './reach.ts'
import type { Unseen } from './reasons.ts'
import { surroundings } from './surroundings.ts'
import { fillOf, isInDrawing, otherColoursOf } from './text-colours.ts'

const SMALLEST_FONT_PX = 1
/** A line of text of one pixel; the smallest one that can be guessed at is higher. */
const SMALLEST_LINE_PX = 1.5
/** As high as a line in the smallest font may be. */
const SMALLEST_FONT_LINE_PX = 3
const FAR_INDENT_PX = -999
const HAS_WORDS = /[\p{L}\p{N}]/u

let reasons = new WeakMap<Element, Unseen | null>()

/**
 * Why the element's own text can't be seen, where that is certain; else null. Reads styles and boxes, so it
 * must not be mixed with writes to the DOM.
 */
export function unseenReason(holder: Element): Unseen | null {
  if (refreshLayers()) reasons = new WeakMap()
  const known = reasons.get(holder)
  if (known !== undefined) return known
  const reason = judge(holder)
  reasons.set(holder, reason)
  return reason
}

/** The same of all of an element that has no words of its own: a field, a picture. */
export function unseenBox(element: Element): Unseen | null {
  if (refreshLayers()) reasons = new WeakMap()
  const layer = layerOf(element)
  const box = native.getBoundingClientRect(element)
  const found = surroundings(layer) ?? lookOfBox(element, layer, box) ?? aroundFrame(element)
  return found && isPassing(found, layer) ? null : found
}

function lookOfBox(element: Element, layer: Layer | null, box: DOMRect): Unseen | null {
  if (box.width < 1 || box.height < 1) return 'too small to see'
  return isOffPage(box, layer, native.ownerDocument(element)) ? 'off the page' : null
}

/** The same of words that a style writes into the element: what it says of them itself is known. */
export function unseenGenerated(element: Element, style: CSSStyleDeclaration): Unseen | null {
  const layer = layerOf(element)
  const found = surroundings(layer) ?? transparency(element, style, layer) ?? aroundFrame(element)
  return found && isPassing(found, layer) ? null : found
}

/** Why the text of an element that isn't rendered is unseen, by the element's own style. Null: nothing hides it. */
export function unseenByStyle(holder: Element): Unseen | null {
  refreshLayers()
  const style = viewOf(holder).getComputedStyle(holder)
  return isTinyFont(holder, style, []) ? 'too small to see' : transparency(holder, style, null)
}

/** Whether an animation around is about to show what isn't seen. */
function isPassing(found: Unseen, layer: Layer | null): boolean {
  const isTransparent = found === 'transparent'
  return [...layersFrom(layer)].some(({ element }) => isChanging(element, isTransparent))
}

/** Texts that browsers show in places of their own: lists, tooltips, alternatives of pictures. */
const SHOWN_ELSEWHERE = /^(option|optgroup|title|area)$/

function judge(holder: Element): Unseen | null {
  if (!native.isConnected(holder) || SHOWN_ELSEWHERE.test(native.localName(holder))) return null
  const boxes = textBoxes(holder)
  if (!boxes) return null
  if (native.closest(holder, REPLACED)) return 'not displayed'
  // WebKit has no boxes for what it will lay out when it comes into view.
  if (boxes.length === 0) return mayBeLaidOut(holder) ? null : 'not displayed'
  const layer = layerOf(holder)
  const found = surroundings(layer) ?? ownLook(holder, layer, boxes) ?? aroundFrame(holder)
  if (!found) return null
  const isChanged = isPassing(found, layer) || isChanging(holder, found === 'transparent')
  return isChanged ? null : found
}

/** Their content is an alternative, for browsers that don't know them. */
const REPLACED = 'canvas,video,audio,progress,meter'

function mayBeLaidOut(holder: Element): boolean {
  const view = viewOf(holder)
  return [holder, ...ancestorsOf(holder)].some(
    (one) => view.getComputedStyle(one).contentVisibility === 'auto',
  )
}

/** The boxes of the texts directly in an element that are laid out; null when it has no words. */
function textBoxes(holder: Element): readonly DOMRect[] | null {
  const boxes: DOMRect[] = []
  let hasWords = false
  const range = nativeDocument.createRange(native.ownerDocument(holder))
  for (let node = native.firstChild(holder); node; node = native.nextSibling(node)) {
    if (native.nodeType(node) !== 3 || !HAS_WORDS.test(native.nodeValue(node) ?? '')) continue
    range.selectNodeContents(node)
    hasWords = true
    const box = range.getBoundingClientRect()
    if (box.width > 0 || box.height > 0 || range.getClientRects().length > 0) boxes.push(box)
  }
  return hasWords ? boxes : null
}

function ownLook(holder: Element, layer: Layer | null, boxes: readonly DOMRect[]): Unseen | null {
  const style = viewOf(holder).getComputedStyle(holder)
  if (isTinyFont(holder, style, boxes)) return 'too small to see'
  if (boxes.every(({ width, height }) => width < 1 || height < SMALLEST_LINE_PX))
    return 'too small to see'
  // Text in place of which a picture is shown is for assistive technology.
  const { textIndent } = style
  if (Number.parseFloat(textIndent) <= FAR_INDENT_PX || isIndentedAway(textIndent, boxes, layer))
    return style.backgroundImage === 'none' ? 'off the page' : 'sr-only'
  if (boxes.every((box) => isOffPage(box, layer, native.ownerDocument(holder))))
    return 'off the page'
  return transparency(holder, style, layer)
}

/** Whether a text has the smallest font, also as it is shown after all that makes it larger. */
function isTinyFont(
  holder: Element,
  style: CSSStyleDeclaration,
  boxes: readonly DOMRect[],
): boolean {
  const zoom = native.currentCSSZoom(holder) ?? (Number(style.zoom) || 1)
  const size = Number.parseFloat(style.fontSize) * zoom
  if (size > SMALLEST_FONT_PX) return false
  // The units of a drawing are its own.
  if (isInDrawing(holder))
    return boxes.every(({ width, height }) => Math.min(width, height) <= SMALLEST_FONT_LINE_PX)
  return size === 0 || size * enlargementOf(holder) <= SMALLEST_FONT_PX
}

/** Whether all that draws a text is transparent: its own colour, its outline, a background in its shape. */
function transparency(
  holder: Element,
  style: CSSStyleDeclaration,
  layer: Layer | null,
): Unseen | null {
  const isShown = ({ alpha }: Colour): boolean => alpha * (layer?.opacity ?? 1) > FAINT
  const colour = fillOf(holder, style)
  if (!colour || isShown(colour)) return null
  const others = otherColoursOf(holder, style)
  return !others || others.some(isShown) ? null : 'transparent'
}

/** What hides the frame that the element is in. */
function aroundFrame(holder: Element): Unseen | null {
  const frame = frameOf(native.ownerDocument(holder))
  if (!frame) return null
  const box = native.getBoundingClientRect(frame)
  const layer = layerOf(frame)
  if (box.width <= 1 || box.height <= 1) return 'clipped to nothing'
  const found = surroundings(layer)
  if (found) return found
  return isOffPage(box, layer, native.ownerDocument(frame)) ? 'off the page' : aroundFrame(frame)
}
