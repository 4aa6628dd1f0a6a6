import { ancestorsOf, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { FAINT, isSeen } from './colour.ts'
import { shadowsOf } from './rings.ts'
import { widened, type Sides } from './sides.ts'

const PARTS = ['::before', '::after'] as const

/** Where an element's style draws by `::before` and `::after`, which have boxes that nobody can ask for. */
export function drawnBeside(element: Element, box: DOMRect): readonly Sides[] {
  const view = viewOf(element)
  const areas: Sides[] = []
  for (const part of PARTS) {
    const style = view.getComputedStyle(element, part)
    const { content } = style
    if (!content || content === 'none' || content === 'normal' || !isDrawn(style)) continue
    // Most of them are strips; where one would be needs the styles of all around.
    if (isThin(style)) continue
    const own = boxOf(style, placeOf(element, style, box))
    areas.push(own, ...shadowsOf(style.boxShadow, own).map(({ area }) => area))
  }
  return areas
}

function isDrawn(style: CSSStyleDeclaration): boolean {
  if (style.display === 'none' || style.visibility !== 'visible') return false
  if (Number(style.opacity) <= FAINT) return false
  const { content, backgroundImage, backgroundColor, boxShadow, backdropFilter } = style
  return (
    /url\(|gradient\(/.test(content) ||
    backgroundImage !== 'none' ||
    boxShadow !== 'none' ||
    isSeen(backgroundColor) ||
    (backdropFilter !== undefined && backdropFilter !== 'none') ||
    (px(style.borderTopWidth) > 0 && isSeen(style.borderTopColor)) ||
    (px(style.borderLeftWidth) > 0 && isSeen(style.borderLeftColor))
  )
}

/** The box from which the lengths of such a part are measured. */
function placeOf(element: Element, { position }: CSSStyleDeclaration, box: DOMRect): Sides {
  if (position !== 'absolute' && position !== 'fixed') return box
  const view = viewOf(element)
  const whole = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight }
  for (const around of [element, ...ancestorsOf(element)]) {
    const style = view.getComputedStyle(around)
    if (style.transform !== 'none' || style.filter !== 'none')
      return native.getBoundingClientRect(around)
    if (position === 'absolute' && style.position !== 'static')
      return native.getBoundingClientRect(around)
  }
  if (position === 'fixed') return whole
  const { left, top } = native.getBoundingClientRect(
    nativeDocument.documentElement(native.ownerDocument(element)),
  )
  return { ...whole, left, top }
}

/** All that a part may cover: in the line it is near its element, else where its lengths say. */
function boxOf(style: CSSStyleDeclaration, place: Sides): Sides {
  const [width, height] = [Number.parseFloat(style.width), Number.parseFloat(style.height)]
  const isFree = /absolute|fixed/.test(style.position)
  if (Number.isNaN(width) || Number.isNaN(height)) return isBlank(style) ? EMPTY : place
  const [across, down] = [
    width + px(style.paddingLeft) + px(style.paddingRight) + px(style.borderLeftWidth) * 2,
    height + px(style.paddingTop) + px(style.paddingBottom) + px(style.borderTopWidth) * 2,
  ]
  // In its place in the flow it may be anywhere in its element, and go over its ends.
  const left = place.left + px(style.left) + px(style.marginLeft)
  const top = place.top + px(style.top) + px(style.marginTop)
  const own = {
    left,
    top,
    right: isFree ? left + across : Math.max(place.right, left + across),
    bottom: isFree ? top + down : Math.max(place.bottom, top + down),
  }
  if (style.transform === 'none') return own
  const { m41, m42 } = new DOMMatrix(style.transform)
  return widened(own, Math.max(across, down) * growthOf(style) + Math.abs(m41) + Math.abs(m42))
}

/** Free of the flow, and too thin for a letter in front of it. */
function isThin(style: CSSStyleDeclaration): boolean {
  const { width, height, boxShadow, position } = style
  if (boxShadow !== 'none' || !/absolute|fixed/.test(position)) return false
  const across = Number.parseFloat(width) + px(style.paddingLeft) + px(style.paddingRight)
  const down = Number.parseFloat(height) + px(style.paddingTop) + px(style.paddingBottom)
  const borders = 2 * Math.max(px(style.borderLeftWidth), px(style.borderTopWidth))
  return (Math.min(across, down) + borders) * growthOf(style) <= 2
}

function growthOf({ transform }: CSSStyleDeclaration): number {
  if (transform === 'none') return 1
  const { m11, m12, m21, m22 } = new DOMMatrix(transform)
  return Math.max(Math.abs(m11), Math.abs(m12), Math.abs(m21), Math.abs(m22))
}

const EMPTY: Sides = { left: 0, top: 0, right: 0, bottom: 0 }

/** In the line, without anything in it. */
function isBlank(style: CSSStyleDeclaration): boolean {
  const around = [
    style.paddingLeft,
    style.paddingRight,
    style.borderLeftWidth,
    style.borderRightWidth,
  ]
  return (
    style.content === '""' && style.display === 'inline' && around.every((size) => px(size) === 0)
  )
}

function px(length: string): number {
  return Number.parseFloat(length) || 0
}
