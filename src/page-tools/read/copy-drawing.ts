import { elementById, isElement, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import type { Size } from './fit-picture.ts'

const SVG = 'http://www.w3.org/2000/svg'
/** Elements that run, move, fetch, or draw nothing. Words of HTML parts are drawn separately. */
const LEFT_OUT =
  /^(script|style|foreignObject|animate|animateTransform|animateMotion|set|mpath|title|desc|metadata)$/
const DATA_IMAGE = /^data:image\/(png|jpe?g|gif|webp|avif)[;,]/i
const REFERENCE = /url\(\s*["']?#([^"')]+)["']?\s*\)/g

/** A self-contained copy of a drawing. */
export interface DrawingCopy {
  /** Markup of the drawing as it looks now, without scripts, styles and addresses. */
  readonly markup: string
  /** Some parts come from other files, and are left out. */
  readonly isPart: boolean
}

interface Copying {
  readonly to: Document
  isPart: boolean
}

/**
 * Parts of a drawing that are elsewhere in the page: symbols, gradients. Null: with them, it has more than `most`
 * elements, each counted as often as it is copied.
 */
export function partsElsewhere(drawing: SVGSVGElement, most: number): readonly Element[] | null {
  const root = native.getRootNode(drawing)
  const found = new Set<Element>()
  const pending: Element[] = [drawing]
  let room = most
  for (let at = pending.pop(); at; at = pending.pop()) {
    const all = [at, ...native.querySelectorAll(at, '*')]
    room -= all.length
    if (room < 0) return null
    for (const id of all.flatMap(referencesOf)) {
      const part = elementById(root, id)
      if (!part || native.contains(drawing, part) || found.has(part)) continue
      found.add(part)
      pending.push(part)
    }
  }
  return [...found]
}

function referencesOf(element: Element): readonly string[] {
  const style = viewOf(element).getComputedStyle(element)
  const painted = [
    'fill',
    'stroke',
    'clip-path',
    'mask',
    'filter',
    'marker-start',
    'marker-mid',
    'marker-end',
  ]
    .map((name) => style.getPropertyValue(name))
    .join(' ')
  const ids = [...painted.matchAll(REFERENCE)].map(([, id]) => id ?? '')
  const href = addressOf(element)
  return href.startsWith('#') ? [...ids, href.slice(1)] : ids
}

function addressOf(element: Element): string {
  return native.getAttribute(element, 'href') ?? native.getAttribute(element, 'xlink:href') ?? ''
}

/** Copies a drawing into a document that loads and runs nothing. `parts`: those elsewhere in the page. */
export function copyDrawing(
  drawing: SVGSVGElement,
  parts: readonly Element[],
  { box, size }: { readonly box: Size; readonly size: Size },
): DrawingCopy {
  const to = nativeDocument
    .implementation(native.ownerDocument(drawing))
    .createDocument(SVG, 'svg', null)
  const copying: Copying = { to, isPart: false }
  const copy = copyElement(drawing, null, copying) ?? to.documentElement
  if (!copy.hasAttribute('viewBox')) copy.setAttribute('viewBox', `0 0 ${box.width} ${box.height}`)
  for (const name of ['x', 'y', 'transform', 'opacity', 'display', 'visibility'])
    copy.removeAttribute(name)
  copy.setAttribute('width', String(size.width))
  copy.setAttribute('height', String(size.height))
  const defs = to.createElementNS(SVG, 'defs')
  for (const part of parts) {
    const inner = copyElement(part, null, copying)
    if (inner) defs.append(inner)
  }
  copy.prepend(defs)
  return { markup: new XMLSerializer().serializeToString(copy), isPart: copying.isPart }
}

function copyElement(element: Element, parent: Element | null, copying: Copying): Element | null {
  const tag = native.localName(element)
  if (native.namespaceURI(element) !== SVG || LEFT_OUT.test(tag)) return null
  const copy = copying.to.importNode(element, false)
  for (const name of copy.getAttributeNames())
    if (/^(on|style$|class$)/i.test(name)) copy.removeAttribute(name)
  const href = addressOf(element)
  if (href && !href.startsWith('#') && !DATA_IMAGE.test(href)) {
    copy.removeAttribute('href')
    copy.removeAttributeNS('http://www.w3.org/1999/xlink', 'href')
    if (tag !== 'a') copying.isPart = true
  }
  if (!copyPaint(element, parent, copy)) return null
  const nodes = native.childNodes(element)
  // Browsers draw the first of the alternatives.
  const first = tag === 'switch' ? native.firstElementChild(element) : null
  for (const node of first ? [first] : nodes) {
    const type = native.nodeType(node)
    const inner = isElement(node) ? copyElement(node, element, copying) : null
    if (inner) copy.append(inner)
    else if (type === 3) copy.append(copying.to.createTextNode(native.nodeValue(node) ?? ''))
  }
  return copy
}

// The copy lacks the page's style sheets, which may have painted the drawing: write computed styles into attributes.

/** Properties that children inherit. */
const INHERITED = (
  'fill,fill-opacity,fill-rule,stroke,stroke-width,stroke-dasharray,stroke-dashoffset,stroke-linecap,stroke-linejoin,' +
  'stroke-miterlimit,stroke-opacity,color,visibility,font-family,font-size,font-style,font-weight,letter-spacing,' +
  'text-anchor,clip-rule,marker-start,marker-mid,marker-end,paint-order'
).split(',')
/** Other properties, with their initial values. */
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

/** Writes how an element is painted into its copy. Returns false if it isn't displayed. */
function copyPaint(element: Element, parent: Element | null, copy: Element): boolean {
  const style = viewOf(element).getComputedStyle(element)
  if (style.display === 'none') return false
  const around = parent && viewOf(parent).getComputedStyle(parent)
  for (const name of INHERITED) {
    const value = style.getPropertyValue(name)
    const given = copy.getAttribute(name)
    // The colour in a symbol is that of the place where it is used.
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

/** Matrix from an element's coordinates to its parent's, whether a style or an attribute sets it. */
function matrixOf(element: Element, parent: Element): string | null {
  const own = (element as Partial<SVGGraphicsElement>).getScreenCTM?.()
  const around = (parent as Partial<SVGGraphicsElement>).getScreenCTM?.()
  if (!own || !around) return null
  const { a, b, c, d, e, f } = around.inverse().multiply(own)
  return `matrix(${[a, b, c, d, e, f].join(' ')})`
}
