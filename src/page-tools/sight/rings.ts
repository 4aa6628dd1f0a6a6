import * as native from '../native.ts'
import { coloursIn, isSeen } from './colour.ts'
import { CSS_NUMBER } from './css-number.ts'
import { moved, widened, type Sides } from './sides.ts'
import { lazyPattern } from '../../lib/once.ts'

/** What is drawn around an element's content: an area with a hole. */
interface Ring {
  readonly area: Sides
  readonly hole: Sides | null
}

/** The borders, outlines and shadows of an element with a box. */
export function ringsOf(
  element: Element,
  style: CSSStyleDeclaration,
  box: DOMRect,
): readonly Ring[] {
  const rings: Ring[] = []
  const width = native.offsetWidth(element as HTMLElement) ?? 0
  // It may be shown larger than its style says.
  const times = width > 0 ? Math.max(1, box.width / width) : 1
  const outline = px(style.outlineWidth)
  if (outline > 0 && style.outlineStyle !== 'none' && isSeen(style.outlineColor)) {
    const offset = px(style.outlineOffset)
    const area = widened(box, Math.max(0, (outline + offset) * times))
    rings.push({ area, hole: widened(box, offset * times) })
  }
  if (style.boxShadow !== 'none') rings.push(...shadowsOf(style.boxShadow, box, times))
  // It may be drawn in all of the box, and around it.
  if (style.borderImageSource !== 'none')
    rings.push({ area: widened(box, px(style.borderImageOutset) * times), hole: null })
  else rings.push(...borderOf(style, box))
  return rings
}

const SIDES = ['Left', 'Top', 'Right', 'Bottom'] as const

function borderOf(style: CSSStyleDeclaration, box: DOMRect): readonly Ring[] {
  if (!SIDES.some((side) => px(style[`border${side}Width`]) > 0)) return []
  if (!SIDES.some((side) => isSeen(style[`border${side}Color`]))) return []
  return [
    {
      area: box,
      hole: {
        left: box.left + px(style.borderLeftWidth),
        top: box.top + px(style.borderTopWidth),
        right: box.right - px(style.borderRightWidth),
        bottom: box.bottom - px(style.borderBottomWidth),
      },
    },
  ]
}

/** The shadows of a box, as far as their colours are seen. */
export function shadowsOf(shadows: string, box: Sides, times = 1): readonly Ring[] {
  return shadows.split(/,(?![^(]*\))/).flatMap((shadow) => {
    const [colour] = coloursIn(shadow) ?? []
    if (colour?.alpha === 0) return []
    const [x = 0, y = 0, blur = 0, spread = 0] = (shadow.match(LENGTHS()) ?? []).map(
      (length) => px(length) * times,
    )
    const reach = blur + spread
    return shadow.includes('inset')
      ? { area: box, hole: widened(box, -(reach + Math.max(Math.abs(x), Math.abs(y)))) }
      : { area: moved(widened(box, reach), x, y), hole: box }
  })
}

const LENGTHS = lazyPattern(() => `${CSS_NUMBER}px`, 'g')

function px(length: string): number {
  return Number.parseFloat(length) || 0
}
