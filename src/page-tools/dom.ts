/** The flat tree as it is rendered: open shadow roots, slots and same-origin frames included. */
import * as native from './native.ts'
import * as nativeDocument from './native-document.ts'

/** The image of an `area` element. The area itself has no box and no style. */
export function imageOfArea(element: Element): HTMLImageElement | null {
  const map = isTag(element, 'area') && element.closest('map')
  if (!map || !map.name) return null
  const root = native.getRootNode(element) as Document | ShadowRoot
  return native.querySelector<HTMLImageElement>(root, `img[usemap="#${CSS.escape(map.name)}"]`)
}

/** The element whose box and style apply: an area's image, otherwise the element itself. */
export function renderedElement(element: Element): Element {
  return imageOfArea(element) ?? element
}

/** The bounding rectangle of an area's shape, in the coordinates of the view. */
export function boxOfArea(area: Element, image: HTMLImageElement): DOMRect {
  const imageBox = image.getBoundingClientRect()
  const numbers = (native.getAttribute(area, 'coords') ?? '').split(/[\s,]+/).map(Number)
  const [x = 0, y = 0, radius = 0] = numbers
  if (native.getAttribute(area, 'shape') === 'default') return imageBox
  if (native.getAttribute(area, 'shape') === 'circle')
    return new DOMRect(imageBox.x + x - radius, imageBox.y + y - radius, radius * 2, radius * 2)
  const xs = numbers.filter((_, index) => index % 2 === 0)
  const ys = numbers.filter((_, index) => index % 2 === 1)
  const [left, top] = [Math.min(...xs), Math.min(...ys)]
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - top]
  return new DOMRect(imageBox.x + left, imageBox.y + top, width, height)
}

/**
 * Converts an element's box to pixels of its window, as events use them. WebKit and older Chromiums return boxes in the
 * element's own pixels, which `zoom` scales. Browsers with `currentCSSZoom` return window pixels.
 */
export function toWindowPixels(element: Element, box: DOMRect): DOMRect {
  if (native.currentCSSZoom(element) !== undefined) return box
  let zoom = 1
  for (const ancestor of [element, ...ancestorsOf(element)]) {
    if (native.ownerDocument(ancestor) !== native.ownerDocument(element)) break
    zoom *=
      Number.parseFloat(viewOf(ancestor).getComputedStyle(ancestor).getPropertyValue('zoom')) || 1
  }
  return new DOMRect(box.x * zoom, box.y * zoom, box.width * zoom, box.height * zoom)
}

/** How long the labels of a tree are cached. Milliseconds. */
const FRESH_MS = 50

/** Elements that may have labels in HTML. */
const LABELABLE = 'button, input, meter, output, progress, select, textarea'

interface LabelIndex {
  readonly at: number
  readonly byControl: ReadonlyMap<Element, readonly HTMLLabelElement[]>
  /** All elements that may have labels. An element that isn't among them was added later. */
  readonly controls: ReadonlySet<Element>
}

const indexes = new WeakMap<Node, LabelIndex>()

/**
 * The labels of a control; for a control in a component, the labels of the component. `labels` itself searches the
 * whole document each time, which is quadratic on a page of many fields.
 */
export function labelsOf(control: Element): readonly HTMLLabelElement[] {
  const isComponent = native.localName(control).includes('-')
  if (!isComponent && !('labels' in control)) return []
  const root = native.getRootNode(control) as Document | ShadowRoot
  let index = indexes.get(root)
  const isKnown = isComponent || index?.controls.has(control)
  if (!index || performance.now() - index.at > FRESH_MS || !isKnown) {
    const controls = new Set(native.querySelectorAll(root, LABELABLE))
    index = { at: performance.now(), byControl: readLabels(root), controls }
    indexes.set(root, index)
  }
  const { host } = root as Partial<ShadowRoot>
  return index.byControl.get(control) ?? (host ? labelsOf(host) : [])
}

function readLabels(root: Document | ShadowRoot): Map<Element, HTMLLabelElement[]> {
  const byControl = new Map<Element, HTMLLabelElement[]>()
  for (const label of native.querySelectorAll<HTMLLabelElement>(root, 'label')) {
    const { control } = label
    if (control) byControl.set(control, [...(byControl.get(control) ?? []), label])
  }
  return byControl
}

/** Compares tag names, not `instanceof`: elements in frames belong to other realms. */
export function isTag<Name extends keyof HTMLElementTagNameMap>(
  element: Element,
  name: Name,
): element is HTMLElementTagNameMap[Name] {
  return native.localName(element) === name
}

export function isElement(node: Node | null | undefined): node is HTMLElement {
  return (node && native.nodeType(node)) === 1
}

export function isText(node: Node | null): boolean {
  return node !== null && native.nodeType(node) === 3
}

/** The node's window. For a document without a window, the page's window. */
export function viewOf(node: Node): Window & typeof globalThis {
  const document = native.nodeType(node) === 9 ? (node as Document) : native.ownerDocument(node)
  return (document && nativeDocument.defaultView(document)) ?? window
}

/** A box in coordinates of the view. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** The part of a document that its window shows. */
export function viewport({ innerWidth, innerHeight }: Window): Box {
  return { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
}

/** The area that two boxes share. If they share none, its end lies before its start. */
export function intersection(first: Box, second: Box): Box {
  return {
    left: Math.max(first.left, second.left),
    top: Math.max(first.top, second.top),
    right: Math.min(first.right, second.right),
    bottom: Math.min(first.bottom, second.bottom),
  }
}

/** The document inside a frame; null when it is of another origin or the frame is detached. */
export function frameDocument(element: Element): Document | null {
  const tag = native.localName(element)
  if (tag !== 'iframe' && tag !== 'frame') return null
  try {
    return (element as HTMLIFrameElement).contentDocument
  } catch {
    return null
  }
}

export function getParent(node: Node): Element | null {
  const slot = isElement(node) ? native.assignedSlot(node) : (node as Text).assignedSlot
  if (slot) return slot
  const parent = native.parentNode(node)
  if (isElement(parent)) return parent
  if (parent && native.nodeType(parent) === 9) return frameOf(parent as Document)
  if (parent && 'host' in parent) return (parent as ShadowRoot).host
  return null
}

/** The element of the frame that shows a document. */
export function frameOf(document: Document): Element | null {
  try {
    return nativeDocument.defaultView(document)?.frameElement ?? null
  } catch {
    return null
  }
}

export function childrenOf(element: Element): readonly Node[] {
  const shadow = native.shadowRoot(element)
  if (shadow) return [...shadow.childNodes]
  if (isTag(element, 'slot')) {
    const assigned = element.assignedNodes({ flatten: true })
    if (assigned.length > 0) return assigned
  }
  const inner = frameDocument(element)
  if (inner) return [nativeDocument.body(inner)].filter(Boolean)
  const children: Node[] = []
  for (let child = native.firstChild(element); child; child = native.nextSibling(child))
    children.push(child)
  return children
}

export function* ancestorsOf(node: Node): Generator<Element> {
  for (let ancestor = getParent(node); ancestor; ancestor = getParent(ancestor)) yield ancestor
}

/** The element itself or its nearest ancestor that matches, across slots, shadow roots and frames. */
export function closest(element: Element, selector: string): Element | null {
  if (!selector) return null
  for (let current: Element | null = element; current; current = getParent(current))
    if (native.matches(current, selector)) return current
  return null
}

/** The element and its ancestors that match, nearest first. Stays within the element's document, as events do. */
export function pathOf(element: Element, selector: string): Element[] {
  const document = native.ownerDocument(element)
  return [element, ...ancestorsOf(element)].filter(
    (candidate) =>
      native.ownerDocument(candidate) === document && native.matches(candidate, selector),
  )
}

/** Whether the element is one of the agent's own `offstage-…` elements, such as the chat, or inside one. */
export function isAgentElement(element: Element): boolean {
  if (native.localName(element).startsWith('offstage-')) return true
  for (const ancestor of ancestorsOf(element))
    if (native.localName(ancestor).startsWith('offstage-')) return true
  return false
}

/** Whether `inner` is `outer` or lies inside it, across shadow roots and frames. */
export function contains(outer: Element, inner: Node): boolean {
  if (native.contains(outer, inner)) return true
  for (const ancestor of ancestorsOf(inner)) if (ancestor === outer) return true
  return false
}

/** Whether the element is on the page. False in a frame that was removed or shows another document now. */
export function isAttached(element: Element): boolean {
  try {
    const document = native.ownerDocument(element)
    // Firefox keeps the window of a document in its back-forward cache, so check that it still shows the document.
    return (
      native.isConnected(element) && nativeDocument.defaultView(document)?.document === document
    )
  } catch {
    // The frame shows a document of another origin.
    return false
  }
}

/**
 * Whether the element is rendered, in view or not. An element with `display: contents` has no box, so its parent
 * decides.
 */
export function isDisplayed(element: Element, options?: CheckVisibilityOptions): boolean {
  if (native.checkVisibility(element, options)) return true
  const parent = getParent(element)
  const isBare = viewOf(element).getComputedStyle(element).display === 'contents'
  return isBare && (parent === null || isDisplayed(parent, options))
}

/** The focused element, inside shadow roots and same-origin frames too. */
export function focusedElement(document: Document): Element | null {
  let focused = nativeDocument.activeElement(document)
  for (;;) {
    const inner =
      (focused && native.shadowRoot(focused))?.activeElement ?? (focused && focusInFrame(focused))
    if (!inner) return focused
    focused = inner
  }
}

function focusInFrame(frame: Element): Element | null {
  const inner = frameDocument(frame)
  return inner && nativeDocument.activeElement(inner)
}

/** The element that keys act on: the focused one, or its `aria-activedescendant`. */
export function activeElement(document: Document): Element | null {
  const focused = focusedElement(document)
  const active = focused && referenced(focused, 'aria-activedescendant')[0]
  return active && native.checkVisibility(active) ? active : focused
}

/** All descendants in reading order. */
export function* descendantsOf(element: Element): Generator<Element> {
  const stack: Element[] = []
  const push = (parent: Element): void => {
    if (!native.shadowRoot(parent) && !/^(slot|iframe|frame)$/.test(native.localName(parent))) {
      for (
        let child = native.lastElementChild(parent);
        child;
        child = native.previousElementSibling(child)
      )
        stack.push(child)
    } else
      for (const child of childrenOf(parent).toReversed()) if (isElement(child)) stack.push(child)
  }
  push(element)
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next
    push(next)
  }
}

/** The elements whose ids are listed in an attribute of the element. */
export function referenced(element: Element, attribute: string): Element[] {
  const root = native.getRootNode(element)
  const ids = native.getAttribute(element, attribute)?.split(/\s+/) ?? []
  return ids.flatMap((id) => (id && elementById(root, id)) || [])
}

/** The element with this id. Also null when the root is an element that isn't on any page. */
export function elementById(root: Node, id: string): Element | null {
  const hasIds = native.nodeType(root) === 9 || native.nodeType(root) === 11
  return hasIds ? nativeDocument.getElementById(root as Document | ShadowRoot, id) : null
}
