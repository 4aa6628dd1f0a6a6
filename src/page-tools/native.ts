/**
 * The properties and methods of nodes, taken from their prototypes. Fields of a form hide the form's properties: with
 * `<input name="parentNode">` in it, `form.parentNode` is that input. Page tools use these functions for each node that
 * may be a form. The names are those of the DOM: `import * as native from './native.ts'`.
 */

export type Read<Of, Name extends keyof Of> = (node: Of) => Of[Name]
export type Method = (...inputs: never[]) => unknown
type Call<Of, Name extends keyof Of> = Of[Name] extends Method
  ? (node: Of, ...inputs: Parameters<Of[Name]>) => ReturnType<Of[Name]>
  : never

/** Returns an empty object where there is no DOM, as on a server that only loads the package. */
function getPrototype(owner: string): object {
  const owners = globalThis as unknown as Record<string, { readonly prototype: object } | undefined>
  return owners[owner]?.prototype ?? {}
}

export function findGetter(owner: string, name: string): (() => unknown) | undefined {
  return Object.getOwnPropertyDescriptor(getPrototype(owner), name)?.get
}

export function findMethod(owner: string, name: string): Method | undefined {
  return Object.getOwnPropertyDescriptor(getPrototype(owner), name)?.value as Method | undefined
}

export function createGetter<Of, Name extends keyof Of & string>(
  owner: string,
  name: Name,
): Read<Of, Name> {
  const get = findGetter(owner, name)
  // An older browser may lack the property.
  return (node) => get?.call(node) as Of[Name]
}

function createMethod<Function>(owner: string, name: string): Function {
  const method = findMethod(owner, name)
  return ((node: unknown, ...inputs: never[]) => method?.call(node, ...inputs)) as Function
}

// Properties that are read from each element of a page have a function of their own: engines call a function that never
// varies tens of times faster.

/** Stands in for all getters and methods where there is no DOM. */
export function nothing(): undefined {
  return undefined
}

function getter<Of, Value>(owner: string, name: string): (this: Of) => Value {
  return (findGetter(owner, name) ?? nothing) as (this: Of) => Value
}

function method<Of, Inputs extends unknown[], Output>(
  owner: string,
  name: string,
): (this: Of, ...inputs: Inputs) => Output {
  return (findMethod(owner, name) ?? nothing) as (this: Of, ...inputs: Inputs) => Output
}

const getChildNodes = getter<Node, NodeListOf<ChildNode>>('Node', 'childNodes')
export function childNodes(node: Node): NodeListOf<ChildNode> {
  return getChildNodes.call(node)
}

const getFirstChild = getter<Node, ChildNode | null>('Node', 'firstChild')
export function firstChild(node: Node): ChildNode | null {
  return getFirstChild.call(node)
}

const getIsConnected = getter<Node, boolean>('Node', 'isConnected')
export function isConnected(node: Node): boolean {
  return getIsConnected.call(node)
}

const getNextSibling = getter<Node, ChildNode | null>('Node', 'nextSibling')
export function nextSibling(node: Node): ChildNode | null {
  return getNextSibling.call(node)
}

const getNodeType = getter<Node, number>('Node', 'nodeType')
export function nodeType(node: Node): number {
  return getNodeType.call(node)
}

const getNodeValue = getter<Node, string | null>('Node', 'nodeValue')
export function nodeValue(node: Node): string | null {
  return getNodeValue.call(node)
}

const getParentElement = getter<Node, HTMLElement | null>('Node', 'parentElement')
export function parentElement(node: Node): HTMLElement | null {
  return getParentElement.call(node)
}

const getParentNode = getter<Node, ParentNode | null>('Node', 'parentNode')
export function parentNode(node: Node): ParentNode | null {
  return getParentNode.call(node)
}

const getAssignedSlot = getter<Element, HTMLSlotElement | null>('Element', 'assignedSlot')
export function assignedSlot(node: Element): HTMLSlotElement | null {
  return getAssignedSlot.call(node)
}

const getChildren = getter<Element, HTMLCollection>('Element', 'children')
export function children(node: Element): HTMLCollection {
  return getChildren.call(node)
}

const getFirstElementChild = getter<Element, Element | null>('Element', 'firstElementChild')
export function firstElementChild(node: Element): Element | null {
  return getFirstElementChild.call(node)
}

const getLastElementChild = getter<Element, Element | null>('Element', 'lastElementChild')
export function lastElementChild(node: Element): Element | null {
  return getLastElementChild.call(node)
}

const getLocalName = getter<Element, string>('Element', 'localName')
export function localName(node: Element): string {
  return getLocalName.call(node)
}

const getNamespaceURI = getter<Element, string | null>('Element', 'namespaceURI')
export function namespaceURI(node: Element): string | null {
  return getNamespaceURI.call(node)
}

const getPreviousElementSibling = getter<Element, Element | null>(
  'Element',
  'previousElementSibling',
)
export function previousElementSibling(node: Element): Element | null {
  return getPreviousElementSibling.call(node)
}

const getNextElementSibling = getter<Element, Element | null>('Element', 'nextElementSibling')
export function nextElementSibling(node: Element): Element | null {
  return getNextElementSibling.call(node)
}

const getShadowRoot = getter<Element, ShadowRoot | null>('Element', 'shadowRoot')
export function shadowRoot(node: Element): ShadowRoot | null {
  return getShadowRoot.call(node)
}

const getOwnerDocument = getter<Node, Document>('Node', 'ownerDocument')
/** Returns null for a document, although the type says otherwise. */
export function ownerDocument(node: Node): Document {
  return getOwnerDocument.call(node)
}

const getTextContent = getter<Node, string>('Node', 'textContent')
/** Returns null for a document, although the type says otherwise. */
export function textContent(node: Node): string {
  return getTextContent.call(node)
}

const callGetAttribute = method<Element, [string], string | null>('Element', 'getAttribute')
export function getAttribute(node: Element, name: string): string | null {
  return callGetAttribute.call(node, name)
}

const callHasAttribute = method<Element, [string], boolean>('Element', 'hasAttribute')
export function hasAttribute(node: Element, name: string): boolean {
  return callHasAttribute.call(node, name)
}

const callHasAttributes = method<Element, [], boolean>('Element', 'hasAttributes')
export function hasAttributes(node: Element): boolean {
  return callHasAttributes.call(node)
}

const callGetBoundingClientRect = method<Element, [], DOMRect>('Element', 'getBoundingClientRect')
export function getBoundingClientRect(node: Element): DOMRect {
  return callGetBoundingClientRect.call(node)
}

const callMatches = method<Element, [string], boolean>('Element', 'matches')
export function matches(node: Element, selector: string): boolean {
  return callMatches.call(node, selector)
}

const callGetRootNode = method<Node, [], Node>('Node', 'getRootNode')
export function getRootNode(node: Node): Node {
  return callGetRootNode.call(node)
}

const nodeGetter = <Name extends keyof Node>(name: Name): Read<Node, Name> =>
  createGetter('Node', name)
const elementGetter = <Name extends keyof Element>(name: Name): Read<Element, Name> =>
  createGetter('Element', name)
const nodeMethod = <Name extends keyof Node>(name: Name): Call<Node, Name> =>
  createMethod('Node', name)
const elementMethod = <Found>(name: keyof Element): Found => createMethod('Element', name)

export const baseURI: Read<Node, 'baseURI'> = nodeGetter('baseURI')
export const compareDocumentPosition: Call<Node, 'compareDocumentPosition'> =
  nodeMethod('compareDocumentPosition')
export const contains: Call<Node, 'contains'> = nodeMethod('contains')
export const dispatchEvent: Call<EventTarget, 'dispatchEvent'> = createMethod(
  'EventTarget',
  'dispatchEvent',
)

export const ariaAutoComplete: Read<Element, 'ariaAutoComplete'> = elementGetter('ariaAutoComplete')
export const ariaChecked: Read<Element, 'ariaChecked'> = elementGetter('ariaChecked')
export const ariaExpanded: Read<Element, 'ariaExpanded'> = elementGetter('ariaExpanded')
/** Missing from TypeScript's types so far. */
type Labelled = { readonly ariaLabelledByElements?: readonly Element[] | null }
export const ariaLabelledByElements: Read<Labelled, 'ariaLabelledByElements'> = createGetter(
  'Element',
  'ariaLabelledByElements',
)
export const ariaValueNow: Read<Element, 'ariaValueNow'> = elementGetter('ariaValueNow')
export const ariaValueText: Read<Element, 'ariaValueText'> = elementGetter('ariaValueText')
export const clientHeight: Read<Element, 'clientHeight'> = elementGetter('clientHeight')
export const clientLeft: Read<Element, 'clientLeft'> = elementGetter('clientLeft')
export const clientTop: Read<Element, 'clientTop'> = elementGetter('clientTop')
export const clientWidth: Read<Element, 'clientWidth'> = elementGetter('clientWidth')
export const currentCSSZoom: Read<Partial<Element>, 'currentCSSZoom'> = createGetter(
  'Element',
  'currentCSSZoom',
)
export const id: Read<Element, 'id'> = elementGetter('id')
export const role: Read<Element, 'role'> = elementGetter('role')
export const scrollHeight: Read<Element, 'scrollHeight'> = elementGetter('scrollHeight')
export const scrollLeft: Read<Element, 'scrollLeft'> = elementGetter('scrollLeft')
export const scrollTop: Read<Element, 'scrollTop'> = elementGetter('scrollTop')
export const scrollWidth: Read<Element, 'scrollWidth'> = elementGetter('scrollWidth')
export const checkVisibility: Call<Element, 'checkVisibility'> = elementMethod('checkVisibility')
export const getAnimations: Call<Element, 'getAnimations'> = elementMethod('getAnimations')
export const getAttributeNames: Call<Element, 'getAttributeNames'> =
  elementMethod('getAttributeNames')
export const getClientRects: Call<Element, 'getClientRects'> = elementMethod('getClientRects')
export const removeAttribute: Call<Element, 'removeAttribute'> = elementMethod('removeAttribute')
export const scrollIntoView: Call<Element, 'scrollIntoView'> = elementMethod('scrollIntoView')
export const scrollBy: (node: Element, options: ScrollToOptions) => void = elementMethod('scrollBy')
const scrollElementTo: typeof scrollBy = elementMethod('scrollTo')
/** Scrolls instantly, whatever the element's style says. */
export const scrollTo = (node: Element, top: number): void =>
  scrollElementTo(node, { top, behavior: 'instant' })
export const closest: <Found extends Element = Element>(
  node: Element,
  selector: string,
) => Found | null = elementMethod('closest')

/** Queries a root by its kind: documents, fragments and elements have methods of their own. */
function rootMethod<Output>(
  name: 'querySelector' | 'querySelectorAll',
): (root: ParentNode, selector: string) => Output {
  const methods = ['Document', 'DocumentFragment', 'Element'].map((owner) =>
    findMethod(owner, name),
  )
  return (root, selector) => {
    const type = nodeType(root)
    const method = methods[type === 9 ? 0 : type === 11 ? 1 : 2]
    return (method as ((selector: string) => Output) | undefined)?.call(root, selector) as Output
  }
}

export const querySelector: <Found extends Element = Element>(
  root: ParentNode,
  selector: string,
) => Found | null = rootMethod('querySelector')
export const querySelectorAll: <Found extends Element = Element>(
  root: ParentNode,
  selector: string,
) => NodeListOf<Found> = rootMethod('querySelectorAll')

/**
 * Whether the element is an HTML form. Only a form's fields may hide its properties, so other elements are read
 * directly.
 */
function isForm(element: Element): boolean {
  return localName(element) === 'form' && namespaceURI(element) === 'http://www.w3.org/1999/xhtml'
}

function htmlGetter<Of extends Element, Name extends keyof Of & string>(
  name: Name,
): Read<Of, Name> {
  const get = findGetter('HTMLElement', name)
  return (node) => (isForm(node) ? (get?.call(node) as Of[Name]) : node[name])
}

function htmlMethod<Name extends keyof HTMLElement>(name: Name): Call<HTMLElement, Name> {
  const method = findMethod('HTMLElement', name)
  const callMethod = (node: HTMLElement, ...inputs: never[]): unknown =>
    (method && isForm(node) ? method : (node[name] as unknown as Method)).call(node, ...inputs)
  return callMethod as unknown as Call<HTMLElement, Name>
}

export const offsetWidth: Read<HTMLElement, 'offsetWidth'> = htmlGetter('offsetWidth')
export const draggable: Read<HTMLElement, 'draggable'> = htmlGetter('draggable')
/** Missing from TypeScript's types so far. */
type Edited = Element & { readonly editContext?: unknown }
export const editContext: Read<Edited, 'editContext'> = htmlGetter('editContext')
export const innerText: Read<HTMLElement, 'innerText'> = htmlGetter('innerText')
export const isContentEditable: Read<HTMLElement, 'isContentEditable'> =
  htmlGetter('isContentEditable')
export const tabIndex: Read<HTMLElement, 'tabIndex'> = htmlGetter('tabIndex')
export const blur: Call<HTMLElement, 'blur'> = htmlMethod('blur')
export const click: Call<HTMLElement, 'click'> = htmlMethod('click')
export const focus: Call<HTMLElement, 'focus'> = htmlMethod('focus')
export const hidePopover: Call<HTMLElement, 'hidePopover'> = htmlMethod('hidePopover')

const readHref = createGetter<SVGAElement, 'href'>('SVGAElement', 'href')

/** Address of an SVG link while an animation changes it. Empty for all other elements. */
export function animatedHref(link: Element): string {
  if (namespaceURI(link) !== 'http://www.w3.org/2000/svg' || localName(link) !== 'a') return ''
  return (readHref(link as SVGAElement) as SVGAnimatedString | undefined)?.animVal ?? ''
}
