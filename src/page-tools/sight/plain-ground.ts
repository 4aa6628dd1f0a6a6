import { ancestorsOf, contains, descendantsOf, isElement, viewOf } from '../dom.ts'
import { blend, contrast, readColour, type Colour } from './colour.ts'

/** Up to this contrast nobody can tell a text from what it is on: `#fafafa` on white has 1.04. */
const SAME = 1.05
/** A difference of green that anybody sees. */
const CLEARLY = 64
const PAINTED = /^(img|video|canvas|svg|iframe|frame|object|embed|input|picture)$/

/** Whether a text of a colour can't be told from its ground, as far as that is known. */
export function isLike(colour: Colour, ground: Colour | null): boolean {
  if (ground === null) return false
  const seen = blend(colour, ground)
  // Most texts, without the arithmetic of WCAG.
  if (Math.abs(seen.green - ground.green) > CLEARLY) return false
  return contrast(seen, ground) <= SAME
}

/**
 * Whether the ground of a text has the plain colour that its layers say: nothing else is drawn in between,
 * and no picture, gradient, filter or frame is involved. False where that isn't certain.
 */
export function isOnPlainGround(holder: Element, box: DOMRect): boolean {
  return isPlain(holder) && !isPaintedUnder(holder, box)
}

/** The cheap part: what the styles of the elements around say. */
function isPlain(holder: Element): boolean {
  const { documentElement, defaultView } = holder.ownerDocument
  if (!defaultView) return false
  const root = defaultView.getComputedStyle(documentElement)
  // The ground of the page itself is the browser's, or that of the page around a frame.
  if (/dark/.test(root.colorScheme) || defaultView.matchMedia('(forced-colors: active)').matches)
    return false
  let hasGround = false
  for (const element of [holder, ...ancestorsOf(holder)]) {
    if (element.ownerDocument !== holder.ownerDocument) break
    const style = defaultView.getComputedStyle(element)
    if (style.filter !== 'none' || style.mixBlendMode !== 'normal') return false
    if (hasGround) continue
    if (style.backgroundImage !== 'none' || hasDrawing(element)) return false
    hasGround = readColour(style.backgroundColor)?.alpha === 1
  }
  return hasGround || defaultView.frameElement === null
}

/** Whether the element's style draws something that may be a ground: content of its own, a shadow inside. */
function hasDrawing(element: Element): boolean {
  const view = viewOf(element)
  if (view.getComputedStyle(element).boxShadow.includes('inset')) return true
  return ['::before', '::after'].some((part) => {
    const style = view.getComputedStyle(element, part)
    const { content, backgroundImage, backgroundColor, boxShadow } = style
    if (!content || content === 'none' || content === 'normal') return false
    return (
      /url\(|gradient\(/.test(content) ||
      backgroundImage !== 'none' ||
      boxShadow !== 'none' ||
      (readColour(backgroundColor)?.alpha ?? 1) > 0
    )
  })
}

/** Whether anything that isn't the text's own surroundings is drawn where the text is. */
function isPaintedUnder(holder: Element, box: DOMRect): boolean {
  for (const element of descendantsOf(holder.ownerDocument.documentElement)) {
    if (element.ownerDocument !== holder.ownerDocument) continue
    if (!overlaps(element.getBoundingClientRect(), box)) continue
    if (isPaint(element) && !contains(holder, element)) return true
  }
  return false

  function isPaint(element: Element): boolean {
    if (PAINTED.test(element.localName)) return true
    const isAround = contains(element, holder)
    const style = viewOf(element).getComputedStyle(element)
    if (style.visibility !== 'visible' || style.display === 'none') return false
    if (style.backgroundImage !== 'none' && !isAround) return true
    if (hasDrawing(element)) return true
    // The grounds of the text's own surroundings are what it is compared with.
    if (isAround)
      return isElement(element) && element.localName.includes('-') && !element.shadowRoot
    return (readColour(style.backgroundColor)?.alpha ?? 1) > 0
  }
}

function overlaps(one: DOMRect, other: DOMRect): boolean {
  return (
    one.left < other.right &&
    one.right > other.left &&
    one.top < other.bottom &&
    one.bottom > other.top
  )
}
