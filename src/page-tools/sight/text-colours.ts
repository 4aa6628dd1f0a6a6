import { ancestorsOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import { coloursIn, FAINT, readColour, type Colour } from './colour.ts'
import { isInShapeOfText } from './layers.ts'

const NONE: Colour = { red: 0, green: 0, blue: 0, alpha: 0 }
/** Of a background: pictures, and blends in spaces of their own, can't be told. */
const UNKNOWN_IMAGE = /url\(|image|element\(|cross-fade|paint\(|\bin\b/

/** The colour that fills a text; null when it can't be told, such as that of a pattern. */
export function fillOf(holder: Element, style: CSSStyleDeclaration): Colour | null {
  return isInDrawing(holder)
    ? paintOf(style.fill, style.fillOpacity)
    : readColour(style.webkitTextFillColor || style.color)
}

/** The element is one of SVG. */
export function isInDrawing(element: Element): boolean {
  return native.namespaceURI(element) === 'http://www.w3.org/2000/svg'
}

function paintOf(paint: string, opacity: string): Colour | null {
  if (paint === 'none') return NONE
  const colour = readColour(paint)
  return colour && { ...colour, alpha: colour.alpha * Number(opacity || 1) }
}

/**
 * The colours with which a text is drawn beside its own: that of its outline, and backgrounds in the shape of
 * the text. Null when something else is, or it can't be told.
 */
export function otherColoursOf(
  holder: Element,
  style: CSSStyleDeclaration,
): readonly Colour[] | null {
  const shadows = style.textShadow === 'none' ? [] : coloursIn(style.textShadow)
  if (!shadows || shadows.some(({ alpha }) => alpha > FAINT)) return null
  const found: (Colour | null)[] = [outlineOf(holder, style)]
  const view = viewOf(holder)
  for (const around of [holder, ...ancestorsOf(holder)]) {
    if (native.ownerDocument(around) !== native.ownerDocument(holder)) break
    const own = view.getComputedStyle(around)
    // The first line has a colour of its own.
    const { color, webkitTextFillColor } = view.getComputedStyle(around, '::first-line')
    if (color !== own.color || webkitTextFillColor !== own.webkitTextFillColor) return null
    if (isInShapeOfText(own)) found.push(...(backgroundsOf(own) ?? [null]))
  }
  return found.every((one) => one !== null) ? found : null
}

function outlineOf(holder: Element, style: CSSStyleDeclaration): Colour | null {
  if (!isInDrawing(holder))
    return Number.parseFloat(style.webkitTextStrokeWidth || '0') > 0
      ? readColour(style.webkitTextStrokeColor)
      : NONE
  return Number.parseFloat(style.strokeWidth) > 0
    ? paintOf(style.stroke, style.strokeOpacity)
    : NONE
}

function backgroundsOf(style: CSSStyleDeclaration): readonly (Colour | null)[] | null {
  const { backgroundClip, backgroundImage, backgroundColor } = style
  if (!/^text(, text)*$/.test(backgroundClip)) return null
  const colour = readColour(backgroundColor)
  if (backgroundImage === 'none') return [colour]
  const gradient = UNKNOWN_IMAGE.test(backgroundImage) ? null : coloursIn(backgroundImage)
  return gradient && gradient.length > 0 ? [...gradient, colour] : null
}
