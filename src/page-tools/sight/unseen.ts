import {
  ancestorsOf,
  type Box,
  contains,
  frameOf,
  intersection,
  toWindowPixels,
  viewOf,
  viewport,
} from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import {
  clippingLayers,
  isEmptyClip,
  isEmptyPath,
  type Layer,
  layerOf,
  layersFrom,
  marginOf,
  refreshLayers,
} from './layers.ts'

/** Why a text can't be seen, wherever the page is scrolled to. */
export type UnseenReason =
  | 'transparent'
  | 'too small to see'
  | 'clipped to nothing'
  | 'off the page'
  | 'not displayed'
  /** Hidden in the way that pages use for text that only assistive technology reads. */
  | 'sr-only'

const SMALLEST_FONT_PX = 1
/** Minimum height of a visible line of text. Lower lines are one pixel high. */
const SMALLEST_LINE_PX = 1.5
/** Maximum height of a line in the smallest font. */
const SMALLEST_FONT_LINE_PX = 3
const FAR_INDENT_PX = -999
const HAS_WORDS = /[\p{L}\p{N}]/u

let reasons = new WeakMap<Element, UnseenReason | null>()

/**
 * Why the element's own text can't be seen. Null unless that is certain. Reads styles and boxes, so it must not be
 * mixed with writes to the DOM.
 */
export function unseenReason(holder: Element): UnseenReason | null {
  if (refreshLayers()) reasons = new WeakMap()
  const cached = reasons.get(holder)
  if (cached !== undefined) return cached
  const reason = findReason(holder)
  reasons.set(holder, reason)
  return reason
}

/**
 * Why an element without words of its own, such as a field or a picture, can't be seen. Null unless that is certain.
 */
export function unseenBox(element: Element): UnseenReason | null {
  if (refreshLayers()) reasons = new WeakMap()
  const box = native.getBoundingClientRect(element)
  return combineReasons(element, (layer) => {
    if (box.width < 1 || box.height < 1) return 'too small to see'
    return isOffPage(box, layer, native.ownerDocument(element)) ? 'off the page' : null
  })
}

/** Why words that a style writes into the element can't be seen. The style of the words was checked before. */
export function unseenGenerated(element: Element, style: CSSStyleDeclaration): UnseenReason | null {
  return combineReasons(element, (layer) => findTransparency(element, style, layer))
}

/** Why the element's own style would hide its text, if the element were rendered. Null if it wouldn't. */
export function unseenByStyle(holder: Element): UnseenReason | null {
  refreshLayers()
  const style = viewOf(holder).getComputedStyle(holder)
  return isTinyFont(holder, style, []) ? 'too small to see' : findTransparency(holder, style, null)
}

/**
 * Why an element can't be seen: its surroundings, a reason of its own, or its frame. Null also while a running
 * animation is about to show it.
 */
function combineReasons(
  element: Element,
  findOwn: (layer: Layer | null) => UnseenReason | null,
): UnseenReason | null {
  const layer = layerOf(element)
  const found = findLayerReason(layer) ?? findOwn(layer) ?? findFrameReason(element)
  if (!found) return null
  const elements = [element, ...Array.from(layersFrom(layer), (around) => around.element)]
  const isTransparent = found === 'transparent'
  return elements.some((moving) => isChanging(moving, isTransparent)) ? null : found
}

/** Elements whose text browsers show elsewhere: lists, tooltips, alternatives of pictures. */
const SHOWN_ELSEWHERE = /^(option|optgroup|title|area)$/

function findReason(holder: Element): UnseenReason | null {
  if (!native.isConnected(holder) || SHOWN_ELSEWHERE.test(native.localName(holder))) return null
  const boxes = textBoxes(holder)
  if (!boxes) return null
  if (native.closest(holder, REPLACED)) return 'not displayed'
  // Content with `content-visibility: auto` has its boxes once it is in view.
  const isSkipped =
    native.checkVisibility(holder) &&
    !native.checkVisibility(holder, { contentVisibilityAuto: true })
  if (boxes.length === 0 && !isSkipped) return 'not displayed'
  return combineReasons(holder, (layer) =>
    isSkipped ? unseenByStyle(holder) : findOwnReason(holder, layer, boxes),
  )
}

/** Elements whose content is a fallback for browsers that don't support them. */
const REPLACED = 'canvas,video,audio,progress,meter'

/** Boxes of the texts directly in an element, as laid out. Null if it has no words. */
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

function findOwnReason(
  holder: Element,
  layer: Layer | null,
  boxes: readonly DOMRect[],
): UnseenReason | null {
  const style = viewOf(holder).getComputedStyle(holder)
  if (isTinyFont(holder, style, boxes)) return 'too small to see'
  if (boxes.every(({ width, height }) => width < 1 || height < SMALLEST_LINE_PX))
    return 'too small to see'
  // A page that shows a picture in place of a text indents the text away, for assistive technology.
  const { textIndent } = style
  if (Number.parseFloat(textIndent) <= FAR_INDENT_PX || isIndentedAway(textIndent, boxes, layer))
    return style.backgroundImage === 'none' ? 'off the page' : 'sr-only'
  if (boxes.every((box) => isOffPage(box, layer, native.ownerDocument(holder))))
    return 'off the page'
  return findTransparency(holder, style, layer)
}

/** Whether a text has the smallest font, even after everything that enlarges it. */
function isTinyFont(
  holder: Element,
  style: CSSStyleDeclaration,
  boxes: readonly DOMRect[],
): boolean {
  const zoom = native.currentCSSZoom(holder) ?? (Number(style.zoom) || 1)
  const size = Number.parseFloat(style.fontSize) * zoom
  if (size > SMALLEST_FONT_PX) return false
  // A drawing has units of its own, so measure the boxes.
  if (isInDrawing(holder))
    return boxes.every(({ width, height }) => Math.min(width, height) <= SMALLEST_FONT_LINE_PX)
  return size === 0 || size * getEnlargement(holder) <= SMALLEST_FONT_PX
}

/** Whether all that draws a text is transparent: its own colour, its outline, a background in its shape. */
function findTransparency(
  holder: Element,
  style: CSSStyleDeclaration,
  layer: Layer | null,
): UnseenReason | null {
  const isShown = (alpha: number): boolean => alpha * (layer?.opacity ?? 1) > FAINT
  const fill = getFillAlpha(holder, style)
  if (fill === null || isShown(fill)) return null
  const others = getOtherAlphas(holder, style)
  return !others || others.some(isShown) ? null : 'transparent'
}

/** Why the frame around the element can't be seen. */
function findFrameReason(holder: Element): UnseenReason | null {
  const frame = frameOf(native.ownerDocument(holder))
  if (!frame) return null
  const box = native.getBoundingClientRect(frame)
  const layer = layerOf(frame)
  if (box.width <= 1 || box.height <= 1) return 'clipped to nothing'
  const found = findLayerReason(layer)
  if (found) return found
  return isOffPage(box, layer, native.ownerDocument(frame))
    ? 'off the page'
    : findFrameReason(frame)
}

/** How many times larger than its font size a text is shown. Infinite if unknown. */
function getEnlargement(holder: Element): number {
  const view = viewOf(holder)
  let factor = 1
  for (const ancestor of [holder, ...ancestorsOf(holder)]) {
    if (native.ownerDocument(ancestor) !== native.ownerDocument(holder)) break
    const { display, transform, scale, perspective } = view.getComputedStyle(ancestor)
    if (display === 'inline' || display === 'contents') continue
    if (perspective !== 'none' || native.localName(ancestor) === 'foreignObject') return Infinity
    if (transform !== 'none') factor *= getStretch(new view.DOMMatrix(transform))
    if (scale && scale !== 'none')
      factor *= Math.max(...scale.split(' ').map((part) => Math.abs(Number(part))))
  }
  return factor
}

function getStretch({ m11, m12, m13, m14, m21, m22, m23, m24, m34 }: DOMMatrix): number {
  if (m14 !== 0 || m24 !== 0 || m34 !== 0) return Infinity
  return Math.max(Math.hypot(m11, m12, m13), Math.hypot(m21, m22, m23))
}

/** Fades and slides are over within this time. Milliseconds. */
const SOON_MS = 10_000
const NOT_STYLE = new Set(['offset', 'computedOffset', 'easing', 'composite'])
/** Properties whose animation makes no text visible. */
const NO_LOOK = /^(outline|cursor|caret|accent|pointer|order$|scroll|will)/
/** Properties that decide whether a text is transparent. A variable may affect any of them. */
const OPACITY = /^(--|opacity|color|fill|stroke|filter|mask|background|webkit|textShadow)/

/**
 * Whether an element that can't be seen is about to look different, because an animation or a transition runs.
 * `transparent`: the element is unseen because it is transparent.
 */
function isChanging(element: Element, transparent: boolean): boolean {
  return native.getAnimations(element).some((animation) => {
    const { playState, effect, currentTime } = animation
    if (playState !== 'running' || !effect) return false
    const { endTime, iterations, duration } = effect.getComputedTiming()
    if (iterations === Infinity) return Number(duration) <= SOON_MS && canShow(effect, transparent)
    return Number(endTime) - Number(currentTime ?? 0) <= SOON_MS
  })
}

/** Whether an animation has a frame in which the text may be seen. */
function canShow(effect: AnimationEffect, transparent: boolean): boolean {
  if (!('getKeyframes' in effect)) return true
  const frames = (effect as KeyframeEffect).getKeyframes()
  return frames.some((frame) =>
    Object.entries(frame).some(([property, value]) => {
      if (NOT_STYLE.has(property) || NO_LOOK.test(property)) return false
      if (transparent && !OPACITY.test(property)) return false
      return !isFaint(property, String(value))
    }),
  )
}

function isFaint(property: string, value: string): boolean {
  if (property === 'opacity') return Number(value) <= FAINT
  if (!/^(color|fill|webkitTextFillColor)$/.test(property)) return false
  return (readAlpha(value) ?? 1) <= FAINT
}

/** Why everything in a layer is hidden. */
function findLayerReason(layer: Layer | null): UnseenReason | null {
  if (layer && layer.opacity <= FAINT) return 'transparent'
  for (const { style, position, clipPath, isSkipped } of layersFrom(layer)) {
    if (isSkipped) return 'not displayed'
    const isPlaced = position === 'absolute' || position === 'fixed'
    if (isPlaced && style.clip !== 'auto' && isEmptyClip(style.clip)) return 'sr-only'
    if (isEmptyPath(clipPath)) return isPlaced ? 'sr-only' : 'clipped to nothing'
  }
  for (const clippingLayer of clippingLayers(layer))
    if (isWithoutRoom(clippingLayer))
      return /absolute|fixed/.test(clippingLayer.position) ? 'sr-only' : 'clipped to nothing'
  return null
}

/** Whether the layer clips its content and is too small to show any of it. */
function isWithoutRoom(layer: Layer): boolean {
  const { element, overflowX, overflowY, isCutOff } = layer
  // Overflow of the root or the body belongs to the window.
  if (isRoot(element)) return false
  if (native.getClientRects(element).length === 0) return false
  const { width, height } = native.getBoundingClientRect(element)
  const margin = 2 * marginOf(layer)
  return (
    ((isCutOff || overflowX !== 'visible') && width + margin <= 1) ||
    ((isCutOff || overflowY !== 'visible') && height + margin <= 1)
  )
}

/** Background images of unknown colour: pictures, and gradients with a colour space of their own. */
const UNKNOWN_IMAGE = /url\(|image|element\(|cross-fade|paint\(|\bin\b/

/** Opacity of the colour that fills a text. Null if unknown, such as that of a pattern. */
function getFillAlpha(holder: Element, style: CSSStyleDeclaration): number | null {
  return isInDrawing(holder)
    ? getPaintAlpha(style.fill, style.fillOpacity)
    : readAlpha(style.webkitTextFillColor || style.color)
}

/** Whether the element belongs to an SVG. */
function isInDrawing(element: Element): boolean {
  return native.namespaceURI(element) === 'http://www.w3.org/2000/svg'
}

function getPaintAlpha(paint: string, opacity: string): number | null {
  const alpha = paint === 'none' ? 0 : readAlpha(paint)
  return alpha === null ? null : alpha * Number(opacity || 1)
}

/**
 * Opacities of the colours that draw a text beside its fill: its outline, and backgrounds in the shape of the text.
 * Null if something else draws the text, or if an opacity is unknown.
 */
function getOtherAlphas(holder: Element, style: CSSStyleDeclaration): readonly number[] | null {
  const shadows = style.textShadow === 'none' ? [] : readAlphas(style.textShadow)
  if (!shadows || shadows.some((alpha) => alpha > FAINT)) return null
  const alphas = [getOutlineAlpha(holder, style)]
  const view = viewOf(holder)
  for (const ancestor of [holder, ...ancestorsOf(holder)]) {
    if (native.ownerDocument(ancestor) !== native.ownerDocument(holder)) break
    const ancestorStyle = view.getComputedStyle(ancestor)
    // The first line may have a colour of its own.
    const { color, webkitTextFillColor } = view.getComputedStyle(ancestor, '::first-line')
    if (color !== ancestorStyle.color || webkitTextFillColor !== ancestorStyle.webkitTextFillColor)
      return null
    // A background with this clip is drawn in the shape of the text.
    if (ancestorStyle.backgroundClip.includes('text'))
      alphas.push(...(getBackgroundAlphas(ancestorStyle) ?? [null]))
  }
  return alphas.every((candidate) => candidate !== null) ? alphas : null
}

function getOutlineAlpha(holder: Element, style: CSSStyleDeclaration): number | null {
  if (!isInDrawing(holder))
    return Number.parseFloat(style.webkitTextStrokeWidth || '0') > 0
      ? readAlpha(style.webkitTextStrokeColor)
      : 0
  return Number.parseFloat(style.strokeWidth) > 0
    ? getPaintAlpha(style.stroke, style.strokeOpacity)
    : 0
}

function getBackgroundAlphas(style: CSSStyleDeclaration): readonly (number | null)[] | null {
  const { backgroundClip, backgroundImage, backgroundColor } = style
  if (!/^text(, text)*$/.test(backgroundClip)) return null
  const alpha = readAlpha(backgroundColor)
  if (backgroundImage === 'none') return [alpha]
  const gradient = UNKNOWN_IMAGE.test(backgroundImage) ? null : readAlphas(backgroundImage)
  return gradient && gradient.length > 0 ? [...gradient, alpha] : null
}

/** Maximum distance outside of the page at which menus and panels wait to slide in. Pixels. */
const FAR = 999
/** Maximum distance outside of a carousel's visible part at which its slides wait. Pixels. */
const FAR_OUTSIDE_CLIP = 9000

/**
 * Whether a box lies where nobody can scroll to: far before the beginning of the page, or of a scrolling part. A box
 * after the end isn't regarded as off the page: pages add content there, and move it in.
 */
function isOffPage(box: Box, layer: Layer | null, document: Document): boolean {
  // Most texts have no scrolling part around them, and aren't before the page's beginning.
  const isCut = [...layersFrom(layer)].some(isCutting)
  if (!isCut && box.right >= -FAR && box.bottom >= -FAR) return false
  const isFixed = [...layersFrom(layer)].some(({ position }) => position === 'fixed')
  let inner = box
  for (const clippingLayer of clippingLayers(layer)) {
    if (isRoot(clippingLayer.element)) break
    const outer = native.getBoundingClientRect(clippingLayer.element)
    if (outer.width <= 1 || outer.height <= 1) break
    const isScrollable = /auto|scroll/.test(`${clippingLayer.overflowX} ${clippingLayer.overflowY}`)
    const contentStart = isScrollable
      ? getContentStart(clippingLayer.element, clippingLayer.style, outer)
      : outer
    if (isFarBefore(inner, contentStart, isScrollable ? FAR : FAR_OUTSIDE_CLIP))
      return !hasVisibleContent(
        layer,
        clippingLayer,
        intersection(viewport(viewOf(document)), outer),
      )
    if (!isScrollable && !overlap(inner, outer)) return false
    if (isScrollable) inner = outer
  }
  const view = viewOf(document)
  const windowBox = viewport(view)
  const root = nativeDocument.documentElement(document)
  const contentStart = isFixed
    ? windowBox
    : getContentStart(root, view.getComputedStyle(root), null)
  const limit = { x: Math.max(FAR, view.innerWidth), y: Math.max(FAR, view.innerHeight) }
  const isFar =
    inner.right < contentStart.left - limit.x || inner.bottom < contentStart.top - limit.y
  return isFar && !hasVisibleContent(layer, null, windowBox)
}

/** The part of the window in which scrollers and other clips around an element let it be seen. */
export function shownArea(element: Element): Box {
  if (refreshLayers()) reasons = new WeakMap()
  let area = viewport(viewOf(element))
  for (const layer of clippingLayers(layerOf(element))) {
    const { element: clipping, overflowX, overflowY, isCutOff } = layer
    if (clipping === element || isRoot(clipping) || native.getClientRects(clipping).length === 0)
      continue
    const box = toWindowPixels(clipping, native.getBoundingClientRect(clipping))
    const marginX = isCutOff || overflowX !== 'visible' ? marginOf(layer) : Infinity
    const marginY = isCutOff || overflowY !== 'visible' ? marginOf(layer) : Infinity
    area = intersection(area, {
      left: box.left - marginX,
      top: box.top - marginY,
      right: box.right + marginX,
      bottom: box.bottom + marginY,
    })
  }
  return area
}

function isCutting({ element, overflowX, overflowY }: Layer): boolean {
  return (overflowX !== 'visible' || overflowY !== 'visible') && !isRoot(element)
}

function isRoot(element: Element): boolean {
  const document = native.ownerDocument(element)
  return (
    element === nativeDocument.documentElement(document) ||
    element === nativeDocument.body(document)
  )
}

function isFarBefore(inner: Box, start: { left: number; top: number }, distance: number): boolean {
  return inner.right < start.left - distance || inner.bottom < start.top - distance
}

/** Whether an indent has moved a text out of the visible part, which can't be scrolled. */
function isIndentedAway(indent: string, boxes: readonly Box[], layer: Layer | null): boolean {
  if (!(Number.parseFloat(indent) > 0)) return false
  for (const clippingLayer of clippingLayers(layer)) {
    if (isRoot(clippingLayer.element) || !/^(hidden|clip)$/.test(clippingLayer.overflowX))
      return false
    const { right } = native.getBoundingClientRect(clippingLayer.element)
    if (marginOf(clippingLayer) === 0 && boxes.every(({ left }) => left >= right)) return true
  }
  return false
}

/** Start of an element's scrolled content, in coordinates of the view. `box`: null for the page itself. */
function getContentStart(
  element: Element,
  { direction, writingMode }: CSSStyleDeclaration,
  box: DOMRect | null,
): { readonly left: number; readonly top: number } {
  const view = viewOf(element)
  const [x, y] = box
    ? [native.scrollLeft(element), native.scrollTop(element)]
    : [view.scrollX, view.scrollY]
  const end = (box?.right ?? native.clientWidth(element)) - x
  const isReverse = direction === 'rtl' || writingMode === 'vertical-rl' || x < 0
  return {
    left: isReverse ? end - native.scrollWidth(element) : (box?.left ?? 0) - x,
    top: (box?.top ?? 0) - y,
  }
}

/**
 * Whether some of the moved content is in the visible part, as in a carousel, or in a page that scrolls by moving its
 * content.
 */
function hasVisibleContent(layer: Layer | null, end: Layer | null, visibleBox: Box): boolean {
  const movedElements: Element[] = []
  for (const current of layersFrom(layer)) {
    if (current === end) break
    if (current.holdsAbsolute && !isRoot(current.element)) movedElements.push(current.element)
  }
  const [width, height] = [visibleBox.right - visibleBox.left, visibleBox.bottom - visibleBox.top]
  if (movedElements.length === 0) return false
  // A hit test says nothing about a part that is out of view.
  if (width <= 0 || height <= 0) return end !== null
  const ownerDocument = native.ownerDocument(movedElements[0] as Element)
  return POINTS.some(([x, y]) => {
    const [left, top] = [visibleBox.left + width * x, visibleBox.top + height * y]
    const hit = nativeDocument.elementFromPoint(ownerDocument, left, top)
    return hit !== null && movedElements.some((candidate) => contains(candidate, hit))
  })
}

const POINTS = [
  [0.5, 0.5],
  [0.25, 0.25],
  [0.75, 0.25],
  [0.25, 0.75],
  [0.75, 0.75],
] as const

function overlap(first: Box, second: Box): boolean {
  return (
    Math.min(first.right, second.right) - Math.max(first.left, second.left) > 0 &&
    Math.min(first.bottom, second.bottom) - Math.max(first.top, second.top) > 0
  )
}

/** Colours with this opacity or less are invisible. */
const FAINT = 0.05

const COLOUR = /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(([^()]*)\)$/

/** Opacity of a colour of a computed style, from 0 to 1. Null if unknown. */
export function readAlpha(colour: string): number | null {
  if (colour === 'transparent') return 0
  const values = COLOUR.exec(colour)?.[1]
  if (values === undefined) return null
  const text = (values.split('/')[1] ?? values.split(',')[3] ?? '1').trim()
  const alpha = text === 'none' ? 0 : Number.parseFloat(text) / (text.endsWith('%') ? 100 : 1)
  return Number.isNaN(alpha) ? null : alpha
}

const NOTATION = /(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)/g

/** Opacities of the colours in a computed value, such as a gradient. Null if any is unknown. */
function readAlphas(text: string): readonly number[] | null {
  const alphas = (text.match(NOTATION) ?? []).map(readAlpha)
  return alphas.every((candidate) => candidate !== null) ? alphas : null
}
