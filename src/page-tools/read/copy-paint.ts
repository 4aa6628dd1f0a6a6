import { viewOf } from '../dom.ts'
import * as native from '../native.ts'

// A style sheet of the page, which doesn't come along, may have painted a drawing: so what it comes to is written into
// attributes.

/** Properties that children have from their parent. */
const INHERITED = (
  'fill,fill-opacity,fill-rule,stroke,stroke-width,stroke-dasharray,stroke-dashoffset,stroke-linecap,stroke-linejoin,' +
  'stroke-miterlimit,stroke-opacity,color,visibility,font-family,font-size,font-style,font-weight,letter-spacing,' +
  'text-anchor,clip-rule,marker-start,marker-mid,marker-end,paint-order'
).split(',')
/** Others, and what they are where nobody says anything. */
const OWN: Readonly<Record<string, string>> = {
  opacity: '1',
  'clip-path': 'none',
  mask: 'none',
  filter: 'none',
  'stop-color': 'rgb(0, 0, 0)',
  'stop-opacity': '1',
  'dominant-baseline': 'auto',
  'vector-effect': 'none',
}
const SHAPES = /^(rect|circle|ellipse|image)$/
const GEOMETRY = ['x', 'y', 'width', 'height', 'cx', 'cy', 'r', 'rx', 'ry']

/** Writes how an element is painted into its copy. False: it isn't displayed. */
export function copyPaint(element: Element, parent: Element | null, copy: Element): boolean {
  const style = viewOf(element).getComputedStyle(element)
  if (style.display === 'none') return false
  const around = parent && viewOf(parent).getComputedStyle(parent)
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name)
    const given = copy.getAttribute(name)
    // In a symbol, its colour is that of the place where it is used.
    if (given !== null && /currentcolor|inherit|context-/i.test(given)) continue
    const isOwn = around
      ? value !== around.getPropertyValue(name)
      : native.localName(element) === 'svg'
    if (value && (isOwn || given !== null)) copy.setAttribute(name, value)
  }
  for (const [name, initial] of Object.entries(OWN)) {
    const value = style.getPropertyValue(name)
    if (value && value !== initial) copy.setAttribute(name, value)
  }
  if (SHAPES.test(native.localName(element)))
    for (const name of GEOMETRY) {
      const value = style.getPropertyValue(name)
      if (!copy.hasAttribute(name) && /^-?[\d.]+(px|%)$/.test(value)) copy.setAttribute(name, value)
    }
  const transform = parent && style.transform !== 'none' ? matrixOf(element, parent) : null
  if (transform) copy.setAttribute('transform', transform)
  return true
}

/** From one element's coordinates to those of what it is in, whatever style or attribute says it. */
function matrixOf(element: Element, parent: Element): string | null {
  const own = (element as Partial<SVGGraphicsElement>).getScreenCTM?.()
  const around = (parent as Partial<SVGGraphicsElement>).getScreenCTM?.()
  if (!own || !around) return null
  const { a, b, c, d, e, f } = around.inverse().multiply(own)
  return `matrix(${[a, b, c, d, e, f].join(' ')})`
}
