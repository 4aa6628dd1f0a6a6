import { elementById, isElement, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import * as nativeDocument from '../native-document.ts'
import { copyPaint } from './copy-paint.ts'
import type { Size } from './fit-picture.ts'

const SVG = 'http://www.w3.org/2000/svg'
/** What runs, moves, fetches, or is no drawing. Words of an HTML part are drawn by themselves. */
const LEFT_OUT =
  /^(script|style|foreignObject|animate|animateTransform|animateMotion|set|mpath|title|desc|metadata)$/
const DATA_IMAGE = /^data:image\/(png|jpe?g|gif|webp|avif)[;,]/i
const REFERENCE = /url\(\s*["']?#([^"')]+)["']?\s*\)/g

/** A drawing that stands for itself. */
export interface DrawingCopy {
  /** Without scripts, styles and addresses: as it looks now. */
  readonly markup: string
  /** Something of it comes from another file, and is left out. */
  readonly isPart: boolean
}

interface Copying {
  readonly to: Document
  isPart: boolean
}

/**
 * What a drawing shows that stands elsewhere in the page: symbols, gradients. Null: it and they come to more than `most`
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

/** Copies into a document that loads and runs nothing. `parts`: those that stand elsewhere. */
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
  // Of alternatives, browsers draw the first.
  const first = tag === 'switch' ? native.firstElementChild(element) : null
  for (const node of first ? [first] : nodes) {
    const type = native.nodeType(node)
    const inner = isElement(node) ? copyElement(node, element, copying) : null
    if (inner) copy.append(inner)
    else if (type === 3) copy.append(copying.to.createTextNode(native.nodeValue(node) ?? ''))
  }
  return copy
}
