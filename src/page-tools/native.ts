/**
 * The properties and methods of nodes, from the prototypes that have them. A form's own are hidden by its fields: with
 * `<input name="parentNode">` in it, `form.parentNode` is that input. So page tools use these for each node that may be
 * a form. They are called what the DOM calls them: `import * as native from './native.ts'`.
 */

type Read<Of, Name extends keyof Of> = (node: Of) => Of[Name]
type Method = (...inputs: never[]) => unknown
type Call<Of, Name extends keyof Of> = Of[Name] extends Method
  ? (node: Of, ...inputs: Parameters<Of[Name]>) => ReturnType<Of[Name]>
  : never

/** Empty where the package is only loaded, as on a server. */
function prototypeOf(owner: string): object {
  const owners = globalThis as unknown as Record<string, { readonly prototype: object } | undefined>
  return owners[owner]?.prototype ?? {}
}

function getterOf(owner: string, name: string): (() => unknown) | undefined {
  return Object.getOwnPropertyDescriptor(prototypeOf(owner), name)?.get
}

function methodOf(owner: string, name: string): Method | undefined {
  return Object.getOwnPropertyDescriptor(prototypeOf(owner), name)?.value as Method | undefined
}

function read<Of, Name extends keyof Of & string>(owner: string, name: Name): Read<Of, Name> {
  const get = getterOf(owner, name)
  // An older browser may not have it.
  return (node) => get?.call(node) as Of[Name]
}

function call<Function>(owner: string, name: string): Function {
  const method = methodOf(owner, name)
  return ((node: unknown, ...inputs: never[]) => method?.call(node, ...inputs)) as Function
}

const ofNode = <Name extends keyof Node>(name: Name): Read<Node, Name> => read('Node', name)
const ofElement = <Name extends keyof Element>(name: Name): Read<Element, Name> =>
  read('Element', name)
const byNode = <Name extends keyof Node>(name: Name): Call<Node, Name> => call('Node', name)
const byElement = <Found>(name: keyof Element): Found => call('Element', name)

export const baseURI: Read<Node, 'baseURI'> = ofNode('baseURI')
export const childNodes: Read<Node, 'childNodes'> = ofNode('childNodes')
export const firstChild: Read<Node, 'firstChild'> = ofNode('firstChild')
export const isConnected: Read<Node, 'isConnected'> = ofNode('isConnected')
export const nextSibling: Read<Node, 'nextSibling'> = ofNode('nextSibling')
export const nodeType: Read<Node, 'nodeType'> = ofNode('nodeType')
export const nodeValue: Read<Node, 'nodeValue'> = ofNode('nodeValue')
export const parentElement: Read<Node, 'parentElement'> = ofNode('parentElement')
export const parentNode: Read<Node, 'parentNode'> = ofNode('parentNode')
export const compareDocumentPosition: Call<Node, 'compareDocumentPosition'> =
  byNode('compareDocumentPosition')
export const contains: Call<Node, 'contains'> = byNode('contains')
export const dispatchEvent: Call<EventTarget, 'dispatchEvent'> = call(
  'EventTarget',
  'dispatchEvent',
)
export const getRootNode: Call<Node, 'getRootNode'> = byNode('getRootNode')

export const ariaAutoComplete: Read<Element, 'ariaAutoComplete'> = ofElement('ariaAutoComplete')
export const ariaChecked: Read<Element, 'ariaChecked'> = ofElement('ariaChecked')
export const ariaExpanded: Read<Element, 'ariaExpanded'> = ofElement('ariaExpanded')
/** Newer than the types. */
type Labelled = { readonly ariaLabelledByElements?: readonly Element[] | null }
export const ariaLabelledByElements: Read<Labelled, 'ariaLabelledByElements'> = read(
  'Element',
  'ariaLabelledByElements',
)
export const ariaValueNow: Read<Element, 'ariaValueNow'> = ofElement('ariaValueNow')
export const ariaValueText: Read<Element, 'ariaValueText'> = ofElement('ariaValueText')
export const assignedSlot: Read<Element, 'assignedSlot'> = ofElement('assignedSlot')
export const childElementCount: Read<Element, 'childElementCount'> = ofElement('childElementCount')
export const children: Read<Element, 'children'> = ofElement('children')
export const clientHeight: Read<Element, 'clientHeight'> = ofElement('clientHeight')
export const clientLeft: Read<Element, 'clientLeft'> = ofElement('clientLeft')
export const clientTop: Read<Element, 'clientTop'> = ofElement('clientTop')
export const clientWidth: Read<Element, 'clientWidth'> = ofElement('clientWidth')
export const currentCSSZoom: Read<Partial<Element>, 'currentCSSZoom'> = read(
  'Element',
  'currentCSSZoom',
)
export const firstElementChild: Read<Element, 'firstElementChild'> = ofElement('firstElementChild')
export const id: Read<Element, 'id'> = ofElement('id')
export const lastElementChild: Read<Element, 'lastElementChild'> = ofElement('lastElementChild')
export const localName: Read<Element, 'localName'> = ofElement('localName')
export const namespaceURI: Read<Element, 'namespaceURI'> = ofElement('namespaceURI')
export const previousElementSibling: Read<Element, 'previousElementSibling'> =
  ofElement('previousElementSibling')
export const role: Read<Element, 'role'> = ofElement('role')
export const scrollHeight: Read<Element, 'scrollHeight'> = ofElement('scrollHeight')
export const scrollLeft: Read<Element, 'scrollLeft'> = ofElement('scrollLeft')
export const scrollTop: Read<Element, 'scrollTop'> = ofElement('scrollTop')
export const scrollWidth: Read<Element, 'scrollWidth'> = ofElement('scrollWidth')
export const shadowRoot: Read<Element, 'shadowRoot'> = ofElement('shadowRoot')
export const checkVisibility: Call<Element, 'checkVisibility'> = byElement('checkVisibility')
export const getAnimations: Call<Element, 'getAnimations'> = byElement('getAnimations')
export const getAttribute: Call<Element, 'getAttribute'> = byElement('getAttribute')
export const getAttributeNames: Call<Element, 'getAttributeNames'> = byElement('getAttributeNames')
export const getBoundingClientRect: Call<Element, 'getBoundingClientRect'> =
  byElement('getBoundingClientRect')
export const getClientRects: Call<Element, 'getClientRects'> = byElement('getClientRects')
export const hasAttribute: Call<Element, 'hasAttribute'> = byElement('hasAttribute')
export const hasAttributes: Call<Element, 'hasAttributes'> = byElement('hasAttributes')
export const removeAttribute: Call<Element, 'removeAttribute'> = byElement('removeAttribute')
export const scrollIntoView: Call<Element, 'scrollIntoView'> = byElement('scrollIntoView')
export const scrollBy: (node: Element, how: ScrollToOptions) => void = byElement('scrollBy')
export const scrollTo: (node: Element, how: ScrollToOptions) => void = byElement('scrollTo')
export const closest: <Found extends Element = Element>(
  node: Element,
  selector: string,
) => Found | null = byElement('closest')
export const matches: (node: Element, selector: string) => boolean = byElement('matches')

/** Of what may hold elements: documents and shadow roots have methods of their own. */
function byRoot<Output>(
  name: 'querySelector' | 'querySelectorAll',
): (root: ParentNode, selector: string) => Output {
  const find = ['Document', 'DocumentFragment', 'Element'].map((owner) => methodOf(owner, name))
  return (root, selector) => {
    const type = nodeType(root)
    const method = find[type === 9 ? 0 : type === 11 ? 1 : 2]
    return (method as ((selector: string) => Output) | undefined)?.call(root, selector) as Output
  }
}

export const querySelector: <Found extends Element = Element>(
  root: ParentNode,
  selector: string,
) => Found | null = byRoot('querySelector')
export const querySelectorAll: <Found extends Element = Element>(
  root: ParentNode,
  selector: string,
) => NodeListOf<Found> = byRoot('querySelectorAll')

/** What elements of HTML have, and some others have of their own: only a form's may be hidden. */
function isForm(element: Element): boolean {
  return localName(element) === 'form' && namespaceURI(element) === 'http://www.w3.org/1999/xhtml'
}

function ofHtml<Name extends keyof HTMLElement>(name: Name): Read<HTMLElement, Name> {
  const get = getterOf('HTMLElement', name)
  return (node) => (get && isForm(node) ? (get.call(node) as HTMLElement[Name]) : node[name])
}

function byHtml<Name extends keyof HTMLElement>(name: Name): Call<HTMLElement, Name> {
  const method = methodOf('HTMLElement', name)
  const calls = (node: HTMLElement, ...inputs: never[]): unknown =>
    (method && isForm(node) ? method : (node[name] as unknown as Method)).call(node, ...inputs)
  return calls as unknown as Call<HTMLElement, Name>
}

export const offsetHeight: Read<HTMLElement, 'offsetHeight'> = ofHtml('offsetHeight')
export const offsetWidth: Read<HTMLElement, 'offsetWidth'> = ofHtml('offsetWidth')
export const draggable: Read<HTMLElement, 'draggable'> = ofHtml('draggable')
export const innerText: Read<HTMLElement, 'innerText'> = ofHtml('innerText')
export const isContentEditable: Read<HTMLElement, 'isContentEditable'> = ofHtml('isContentEditable')
export const tabIndex: Read<HTMLElement, 'tabIndex'> = ofHtml('tabIndex')
export const blur: Call<HTMLElement, 'blur'> = byHtml('blur')
export const click: Call<HTMLElement, 'click'> = byHtml('click')
export const focus: Call<HTMLElement, 'focus'> = byHtml('focus')
export const hidePopover: Call<HTMLElement, 'hidePopover'> = byHtml('hidePopover')

/** Of an element its document, too, where the types say so. */
export const ownerDocument: (node: Node) => Document = read('Node', 'ownerDocument') as (
  node: Node,
) => Document
const readHref = read<SVGAElement, 'href'>('SVGAElement', 'href')

/** Where a link of SVG leads while an animation changes it; empty for all others. */
export function animatedHref(link: Element): string {
  if (namespaceURI(link) !== 'http://www.w3.org/2000/svg' || localName(link) !== 'a') return ''
  return (readHref(link as SVGAElement) as SVGAnimatedString | undefined)?.animVal ?? ''
}

export const textContent: (node: Node) => string = read('Node', 'textContent') as (
  node: Node,
) => string
