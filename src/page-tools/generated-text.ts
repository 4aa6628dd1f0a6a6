import { cleanText } from './clean-text.ts'
import { childrenOf, isElement, viewOf } from './dom.ts'
import * as native from './native.ts'
import * as nativeDocument from './native-document.ts'

/** Whether a style draws text as dots, as in password fields: `-webkit-text-security`. */
export function drawsDots(style: CSSStyleDeclaration): boolean {
  const textSecurity = style.getPropertyValue('-webkit-text-security')
  return textSecurity !== '' && textSecurity !== 'none'
}

/** Values of `content` without words: none, or quotes, pictures, and strings of icons and blanks. */
const WITHOUT_WORDS =
  /^(?:(?:none|normal|initial|unset|(?:no-)?(?:open|close)-quote|url\((?:"[^"]*"|[^()"]*)\)|"[^"\\\p{L}\p{N}]*")\s*)*$/u

/**
 * Whether a style of the document may write words before or after the content of elements. False only if all rules can
 * be read, and none of them writes words. Only valid for elements of the document itself, not for shadow roots or
 * slotted elements.
 */
export function mayWriteWords(document: Document): boolean {
  try {
    const sheets = [
      ...nativeDocument.styleSheets(document),
      ...nativeDocument.adoptedStyleSheets(document),
    ]
    return sheets.some(({ cssRules }) => hasWords(cssRules)) || animatesPseudoElement(document)
  } catch {
    // A sheet of another origin, or one that isn't loaded yet, can't be read.
    return true
  }
}

interface AnyRule {
  readonly style?: CSSStyleDeclaration
  readonly cssRules?: CSSRuleList
  /** Sheet of an `@import`. Null: not loaded. */
  readonly styleSheet?: CSSStyleSheet | null
}

function hasWords(rules: CSSRuleList): boolean {
  for (const rule of rules as Iterable<AnyRule>) {
    const { style, cssRules, styleSheet } = rule
    if (style && (!WITHOUT_WORDS.test(style.content ?? '') || style.getPropertyValue('all')))
      return true
    if (styleSheet === null) return true
    if (cssRules && hasWords(cssRules)) return true
    if (styleSheet && hasWords(styleSheet.cssRules)) return true
  }
  return false
}

/** Whether a script animates a pseudo-element, and so may change its content. */
function animatesPseudoElement(document: Document): boolean {
  return nativeDocument
    .getAnimations(document)
    .some(({ effect }) => effect && 'pseudoElement' in effect && effect.pseudoElement !== null)
}

/** Side of an element where a style may write words: `content: "Pay now"`. */
export type Side = '::before' | '::after'
export const SIDES: readonly Side[] = ['::before', '::after']

interface Generated {
  readonly text: string
  /** Nothing separates the text from the element's content. */
  readonly isJoined: boolean
  readonly style: CSSStyleDeclaration
}

const HAS_WORDS = /[\p{L}\p{N}]/u
const FAINT = 0.05
const SMALLEST_FONT_PX = 1
const FAR_PX = -999

/** The words that a style writes at a side of an element. Null if there are none, or only icons and ornaments. */
function readGenerated(element: Element, side: Side): Generated | null {
  const style = viewOf(element).getComputedStyle(element, side)
  const { content } = style
  if (!content || content === 'none' || content === 'normal' || style.display === 'none')
    return null
  if (drawsDots(style)) return null
  const rawText = readContent(content, element)
  const text = cleanText(rawText)
  if (!HAS_WORDS.test(text) || isGlyph(text, style, element)) return null
  return { text, isJoined: isJoined(element, { written: rawText, style, side }), style }
}

/**
 * The words at a side of an element, if their own style shows them. Doesn't compare their colour with the background.
 */
export function visibleGeneratedText(element: Element, side: Side): Generated | null {
  const generated = readGenerated(element, side)
  return generated && isShown(generated.style) ? generated : null
}

/** Whether words of a style can be seen before or after the content of an element. */
export function hasGenerated(element: Element): boolean {
  return SIDES.some((side) => visibleGeneratedText(element, side) !== null)
}

/** The text of an element with the words that its style writes around it. */
export function addGeneratedText(element: Element, text: string): string {
  return getGeneratedText(element, '::before') + text + getGeneratedText(element, '::after')
}

/** The words at a side, with the gap to the content. Empty if there are none. */
function getGeneratedText(element: Element, side: Side): string {
  const generated = visibleGeneratedText(element, side)
  if (!generated) return ''
  const gap = generated.isJoined ? '' : ' '
  return side === '::before' ? generated.text + gap : gap + generated.text
}

const MAX_NODES = 400
const NOT_DRAWN = /^(script|style|template|noscript|textarea|select)$/

/**
 * The text of an element in reading order, with the words of styles. Inline parts are joined without a gap.
 * `isExcluded`: elements to skip. If given, the element itself is read even if it is hidden, as a label may be.
 */
export function drawnText(element: Element, isExcluded?: (item: Element) => boolean): string {
  const parts: string[] = []
  let remaining = MAX_NODES
  const add = (node: Node): void => {
    remaining -= 1
    if (remaining < 0) return
    if (native.nodeType(node) === 3) return void parts.push(native.nodeValue(node) ?? '')
    if (!isElement(node) || NOT_DRAWN.test(native.localName(node)) || isExcluded?.(node)) return
    const { display } = viewOf(node).getComputedStyle(node)
    // Only WebKit gives the `title` of an SVG shape `display: none`: read it in all browsers.
    const isIncluded = native.localName(node) === 'title' || (isExcluded && node === element)
    if (display === 'none' && !isIncluded) return
    const edge = /^(inline|contents)/.test(display) ? '' : ' '
    parts.push(edge, getGeneratedText(node, '::before'))
    for (const child of childrenOf(node)) add(child)
    parts.push(getGeneratedText(node, '::after'), edge)
  }
  add(element)
  return cleanText(parts.join(''))
}

/** Words of an element's style that are hidden now, such as those of a tooltip. */
export function hiddenWords(element: Element): readonly string[] {
  return SIDES.flatMap((side) => {
    const generated = readGenerated(element, side)
    return generated && !isShown(generated.style) ? [generated.text] : []
  })
}

/** Strings and attributes in `content`. Counters, quotes and pictures have no words. */
const PART =
  /"(?<text>(?:[^"\\]|\\.)*)"|attr\(\s*(?<name>[\w-]+)[^)]*\)|[\w-]+\((?:[^()"]|"(?:[^"\\]|\\.)*"|\([^()]*\))*\)|(?<alternative>\/)/gsu
const ESCAPE = /\\(?:([\da-f]{1,6})\s?|(.))/gisu

function readContent(content: string, element: Element): string {
  let text = ''
  for (const { groups } of content.matchAll(PART)) {
    // Text after a slash is the alternative: it is read in place of everything before it.
    if (groups?.['alternative']) text = ''
    else if (groups?.['name']) text += native.getAttribute(element, groups['name']) ?? ''
    else text += unescapeCss(groups?.['text'] ?? '')
  }
  return text
}

function unescapeCss(text: string): string {
  return text.replace(ESCAPE, (_, code: string | undefined, character: string | undefined) => {
    if (code === undefined) return character ?? ''
    const point = Number.parseInt(code, 16)
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : ''
  })
}

/** Whether the text is a letter that another font draws as a picture. */
function isGlyph(text: string, style: CSSStyleDeclaration, element: Element): boolean {
  if (!/^[!-~]$/.test(text) || /\d/.test(text)) return false
  return style.fontFamily !== viewOf(element).getComputedStyle(element).fontFamily
}

function isJoined(
  element: Element,
  options: { readonly written: string; readonly style: CSSStyleDeclaration; readonly side: Side },
): boolean {
  const { written: words, style, side } = options
  const isBefore = side === '::before'
  const textContent = native.textContent(element)
  const [left, right] = isBefore ? [words, textContent] : [textContent, words]
  if (/\s$/.test(left) || /^\s/.test(right)) return false
  if (!style.display.startsWith('inline') || style.position !== 'static') return false
  const { marginRight, paddingRight, marginLeft, paddingLeft } = style
  const gaps = isBefore ? [marginRight, paddingRight] : [marginLeft, paddingLeft]
  return gaps.every((size) => (Number.parseFloat(size) || 0) <= 0)
}

const IS_CLIPPED = /^(rect\((0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?,? (0|1)(px)?\)|inset\((50|100)%)/
const IS_CLEAR = /^(transparent|rgba\(.*, 0\)|.*\/ 0%?\))$/

function isShown(style: CSSStyleDeclaration): boolean {
  return (
    style.visibility === 'visible' &&
    Number(style.opacity) > FAINT &&
    Number.parseFloat(style.fontSize) > SMALLEST_FONT_PX &&
    !IS_CLEAR.test(style.webkitTextFillColor || style.color) &&
    !IS_CLIPPED.test(style.clip) &&
    !IS_CLIPPED.test(style.clipPath) &&
    !isWithoutRoom(style) &&
    !isFlat(style) &&
    ![style.left, style.top, style.textIndent].some((size) => Number.parseFloat(size) < FAR_PX)
  )
}

function isWithoutRoom({ overflowX, overflowY, width, height }: CSSStyleDeclaration): boolean {
  return (
    (overflowX !== 'visible' && Number.parseFloat(width) <= 1) ||
    (overflowY !== 'visible' && Number.parseFloat(height) <= 1)
  )
}

/** Whether a transformation leaves an element no width or height. */
function isFlat({ transform, scale }: CSSStyleDeclaration): boolean {
  if (/^0(\.0\d*)?( |$)/.test(scale ?? '')) return true
  const [a = 1, b = 0, c = 0, d = 1] =
    /^matrix\(([^)]*)\)$/.exec(transform)?.[1]?.split(',').map(Number) ?? []
  return Math.abs(a * d - b * c) < 0.001
}
