import { ancestorsOf, contains, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { blend, contrast, readColour, type Colour } from './colour.ts'
import { isInShapeOfText, isOnTop } from './layers.ts'
import { liesUnder, paintsOf, type Paint } from './paints.ts'

/** Up to this contrast nobody can tell a text from what it is on: `#fafafa` on white has 1.04. */
const SAME = 1.05
/** A difference of green that anybody sees. */
const CLEARLY = 64

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
  if (!isPlain(holder)) return false
  return !paintsOf(native.ownerDocument(holder)).some(
    (paint) => liesUnder(paint, box) && !isOwn(paint, holder),
  )
}

/** The cheap part: what the styles of the elements around say. */
function isPlain(holder: Element): boolean {
  const document = native.ownerDocument(holder)
  const defaultView = nativeDocument.defaultView(document)
  if (!defaultView) return false
  const root = defaultView.getComputedStyle(nativeDocument.documentElement(document))
  // The ground of the page itself is the browser's, or that of the page around a frame.
  if (/dark/.test(root.colorScheme) || defaultView.matchMedia('(forced-colors: active)').matches)
    return false
  let hasGround = false
  for (const element of [holder, ...ancestorsOf(holder)]) {
    if (native.ownerDocument(element) !== native.ownerDocument(holder)) break
    const style = defaultView.getComputedStyle(element)
    if (style.filter !== 'none' || style.mixBlendMode !== 'normal') return false
    if (hasGround) continue
    if (style.backdropFilter && style.backdropFilter !== 'none') return false
    if (!isInShapeOfText(style)) {
      if (style.backgroundImage !== 'none') return false
      hasGround = readColour(style.backgroundColor)?.alpha === 1
    }
    // Behind it is what its `::backdrop` draws.
    if (
      !hasGround &&
      (isOnTop(element) ||
        element === nativeDocument.fullscreenElement(native.ownerDocument(element)))
    )
      return false
  }
  return hasGround || defaultView.frameElement === null
}

/** Whether a paint is part of the surroundings that a text is compared with, or stands in line with it. */
function isOwn({ kind, element }: Paint, holder: Element): boolean {
  if (contains(element, holder))
    return kind === 'ground' || (kind === 'picture' && native.localName(element) === 'svg')
  if (kind === 'unknown') return true
  if (!contains(holder, element)) return false
  return !/absolute|fixed/.test(viewOf(element).getComputedStyle(element).position)
}
