import { ancestorsOf, frameOf, viewOf } from '../dom.ts'
import { isChanging } from './changing.ts'
import { readColour } from './colour.ts'
import {
  clippingLayers,
  groundOf,
  layerOf,
  layersFrom,
  refreshLayers,
  type Layer,
} from './layers.ts'
import { isOffPage } from './reach.ts'
import { isLike, isOnPlainGround } from './plain-ground.ts'
import { isEmptyClip, isEmptyClipPath, isEmptyMask } from './shapes.ts'

/** Why no eye sees a text, wherever the page is scrolled to. */
export type Unseen =
  | 'transparent'
  | 'same colour as its background'
  | 'too small to see'
  | 'clipped to nothing'
  | 'off the page'
  | 'not displayed'
  /** Hidden in the way in which pages leave text to assistive technology. */
  | 'sr-only'

const FAINT = 0.05
const SMALLEST_FONT_PX = 1
/** A line of text of one pixel; the smallest one that can be guessed at is higher. */
const SMALLEST_LINE_PX = 1.5
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

/** The same of words that a style writes into the element: what it says of them itself is known. */
export function unseenGenerated(element: Element, style: CSSStyleDeclaration): Unseen | null {
  const layer = layerOf(element)
  const found =
    surroundings(layer) ??
    (hasGround(style)
      ? null
      : colourOfText(element, style, { layer, boxes: [element.getBoundingClientRect()] })) ??
    aroundFrame(element)
  return found && [...layersFrom(layer)].some((one) => isChanging(one.element)) ? null : found
}

/** Whether words of a style stand on a ground of their own, or somewhere else than the element. */
function hasGround({ backgroundColor, backgroundImage, position }: CSSStyleDeclaration): boolean {
  return (
    backgroundImage !== 'none' ||
    /absolute|fixed/.test(position) ||
    (readColour(backgroundColor)?.alpha ?? 1) > FAINT
  )
}

/** Texts that browsers show in places of their own: lists, tooltips, alternatives of pictures. */
const SHOWN_ELSEWHERE = /^(option|optgroup|title|area)$/

function judge(holder: Element): Unseen | null {
  if (!holder.isConnected || SHOWN_ELSEWHERE.test(holder.localName)) return null
  const boxes = textBoxes(holder)
  if (!boxes) return null
  if (holder.closest(REPLACED)) return 'not displayed'
  // WebKit has no boxes for what it will lay out when it comes into view.
  if (boxes.length === 0) return mayBeLaidOut(holder) ? null : 'not displayed'
  const layer = layerOf(holder)
  const found = surroundings(layer) ?? ownLook(holder, layer, boxes) ?? aroundFrame(holder)
  const isPassing = found && [...layersFrom(layer)].some(({ element }) => isChanging(element))
  return isPassing || (found && isChanging(holder)) ? null : found
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
  const range = holder.ownerDocument.createRange()
  for (let node = holder.firstChild; node; node = node.nextSibling) {
    if (node.nodeType !== 3 || !HAS_WORDS.test(node.nodeValue ?? '')) continue
    range.selectNodeContents(node)
    hasWords = true
    const box = range.getBoundingClientRect()
    if (box.width > 0 || box.height > 0 || range.getClientRects().length > 0) boxes.push(box)
  }
  return hasWords ? boxes : null
}

/** What hides all that is in a layer. */
function surroundings(layer: Layer | null): Unseen | null {
  if (layer && layer.opacity <= FAINT) return 'transparent'
  for (const { element, style, position, clipPath, mask, isSkipped } of layersFrom(layer)) {
    if (isSkipped) return 'not displayed'
    const isPlaced = position === 'absolute' || position === 'fixed'
    if (isPlaced && style.clip !== 'auto' && isEmptyClip(style.clip)) return 'sr-only'
    if (clipPath !== 'none' && isEmptyClipPath(clipPath, element.getBoundingClientRect()))
      return isPlaced ? 'sr-only' : 'clipped to nothing'
    if (mask && mask !== 'none' && isEmptyMask(mask)) return 'transparent'
  }
  for (const around of clippingLayers(layer))
    if (isWithoutRoom(around))
      return /absolute|fixed/.test(around.position) ? 'sr-only' : 'clipped to nothing'
  return null
}

/** Whether an element that shows only what is inside of its box has no room in it. */
function isWithoutRoom({ element, overflowX, overflowY }: Layer): boolean {
  const { documentElement, body } = element.ownerDocument
  // Theirs is that of the window.
  if (element === documentElement || element === body) return false
  if (element.getClientRects().length === 0) return false
  const { width, height } = element.getBoundingClientRect()
  return (overflowX !== 'visible' && width <= 1) || (overflowY !== 'visible' && height <= 1)
}

function ownLook(holder: Element, layer: Layer | null, boxes: readonly DOMRect[]): Unseen | null {
  const style = viewOf(holder).getComputedStyle(holder)
  const zoom = (holder as Partial<Element>).currentCSSZoom ?? (Number(style.zoom) || 1)
  if (Number.parseFloat(style.fontSize) * zoom <= SMALLEST_FONT_PX) return 'too small to see'
  if (boxes.every(({ width, height }) => width < 1 || height < SMALLEST_LINE_PX))
    return 'too small to see'
  // Text in place of which a picture is shown is for assistive technology.
  if (Number.parseFloat(style.textIndent) <= FAR_INDENT_PX)
    return style.backgroundImage === 'none' ? 'off the page' : 'sr-only'
  if (boxes.every((box) => isOffPage(box, layer, holder.ownerDocument))) return 'off the page'
  return colourOfText(holder, style, { layer, boxes })
}

function colourOfText(
  holder: Element,
  style: CSSStyleDeclaration,
  { layer, boxes }: { readonly layer: Layer | null; readonly boxes: readonly DOMRect[] },
): Unseen | null {
  const colour = readColour(style.webkitTextFillColor || style.color)
  if (!colour) return null
  const isFaint = colour.alpha * (layer?.opacity ?? 1) <= FAINT
  if ((!isFaint && !isLike(colour, groundOf(layer))) || hasOtherPaint(style)) return null
  if (isFaint) return 'transparent'
  return boxes.every((box) => isOnPlainGround(holder, box)) ? 'same colour as its background' : null
}

/** Whether something else than its colour makes the text visible. */
function hasOtherPaint(style: CSSStyleDeclaration): boolean {
  const isFilled =
    style.backgroundClip.includes('text') &&
    (style.backgroundImage !== 'none' || (readColour(style.backgroundColor)?.alpha ?? 1) > FAINT)
  return (
    isFilled ||
    style.textShadow !== 'none' ||
    Number.parseFloat(style.webkitTextStrokeWidth || '0') > 0
  )
}

/** What hides the frame that the element is in. */
function aroundFrame(holder: Element): Unseen | null {
  const frame = frameOf(holder.ownerDocument)
  if (!frame) return null
  const box = frame.getBoundingClientRect()
  const layer = layerOf(frame)
  if (box.width <= 1 || box.height <= 1) return 'clipped to nothing'
  const found = surroundings(layer)
  if (found) return found
  return isOffPage(box, layer, frame.ownerDocument) ? 'off the page' : aroundFrame(frame)
}
