import * as nativeDocument from '../native-document.ts'
import { cleanText } from '../clean-text.ts'
import {
  type Box,
  childrenOf,
  contains,
  frameDocument,
  intersection,
  isElement,
  isTag,
  viewOf,
  viewport,
} from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../page.ts'
import {
  holdsText,
  isMasked,
  isSecretField,
  MASKED,
  maskSelector,
} from '../secrets/secret-fields.ts'
import {
  clipsContent,
  hasPointerCursor,
  isAriaHidden,
  isButton,
  type Visibility,
  visibilityOf,
} from './visibility.ts'
import {
  type Appearance,
  appearanceOf,
  isUnseenUntilHover,
  roleUntilHover,
  type HoverHiding,
} from './hover/on-hover.ts'
import { hasParts, isClickable } from './own-reaction.ts'
import { isActionable, isInteractive, getShownRole } from './role.ts'
import { drawsDots } from '../generated-text.ts'
import type { ElementName } from './name.ts'
import { findReadableButtons } from './region.ts'
import { stateOf } from './state.ts'

/** The visible part of an element's content; null when there is none. */
function clipInside({ element, inView, context }: OutlineNode, visibility: Visibility): Box | null {
  const { clip } = context
  if (!inView) return visibility.fixed ? clip : null
  if (!clip || isTag(element, 'body') || !clipsContent(visibility)) return clip
  return intersection(clip, native.getBoundingClientRect(element))
}

/** Whether a part of the element is in view. Always true for an element without a box: its content decides. */
function isInView(element: Element, clip: Box | null): boolean {
  if (!clip) return false
  const box = native.getBoundingClientRect(element)
  if (box.width === 0 || box.height === 0) return true
  return (
    box.bottom > clip.top && box.top < clip.bottom && box.right > clip.left && box.left < clip.right
  )
}

/** The settings of a walk, and its callbacks. */
export interface Walk {
  readonly options: PageOptions
  /** Limit of children to walk in one element. */
  readonly listLimit: number
  /** First child to walk in long lists. Null: the first child in view. */
  readonly from: Element | null
  /** How many elements were walked. */
  readonly steps: { count: number }
  /** Called for each document and shadow root that is entered. */
  onTree?(tree: Document | ShadowRoot): void
  /** Called for elements that aren't visible, but may become so. */
  onHidden?(element: Element): void
}

/** Steps between checks of the time, which have a cost, too. */
const STEPS_BETWEEN_PAUSES = 24

/** An element that is being walked, and the progress. */
interface Visit {
  readonly node: OutlineNode
  readonly visibility: Visibility
  /** The context of its children. */
  readonly context: WalkContext
  readonly children: readonly (Node | OmittedItem)[]
  next: number
}

/**
 * Walks an element and its subtree. Only reads the DOM, so there is one layout at most. Yields where it may be
 * interrupted, and leaves out elements that are removed meanwhile.
 */
export function* walk(
  task: Walk,
  element: Element,
  position: { readonly parent: OutlineNode | null; readonly context: WalkContext },
): Generator<undefined, OutlineNode | null> {
  const visit = enter(task, element, position)
  if (visit) yield* walkFrom(task, visit)
  return visit?.node ?? null
}

/** Walks only these descendants of an element. */
export function* walkParts(
  task: Walk,
  element: Element,
  { parts, context }: { readonly parts: readonly Element[]; readonly context: WalkContext },
): Generator<undefined, OutlineNode | null> {
  const visit = enter(task, element, { parent: null, context })
  if (!visit) return null
  for (const part of parts) {
    const partContext = { ...context, masked: isMasked(part, task.options) }
    const node = yield* walk(task, part, { parent: visit.node, context: partContext })
    if (node) visit.node.items.push(node)
  }
  return visit.node
}

/**
 * Walks an element's direct content again, and the subtrees that are new in it. Returns false if more may have changed.
 */
export function* walkChildren(task: Walk, node: OutlineNode): Generator<undefined, boolean> {
  const { element, context } = node
  const { visibility } = appearanceOf(
    element,
    visibilityOf(element, context.view),
    context.hoverHiding,
  )
  if (visibility.excluded || isSingleLine(node)) return false
  const knownNodes = new Map(node.items.filter(isNode).map((item) => [item.element, item]))
  node.items.length = 0
  yield* walkFrom(task, createVisit(task, node, visibility), knownNodes)
  return true
}

function* walkFrom(
  task: Walk,
  top: Visit,
  knownNodes?: ReadonlyMap<Element, OutlineNode>,
): Generator<undefined> {
  // An explicit stack: a generator for each element would cost as much as the walk.
  const stack = [top]
  for (let visit = stack.at(-1); visit; visit = stack.at(-1)) {
    const child = visit.children[visit.next]
    visit.next += 1
    if (!child) {
      visit.node.signature = signatureOf(visit.node)
      stack.pop()
    } else if (!('nodeType' in child)) visit.node.items.push(child)
    else if (native.nodeType(child) === 3) addText(visit, child)
    else if (isElement(child)) {
      const { node: parent, context } = visit
      const before = visit === top ? knownNodes?.get(child) : undefined
      if (before && native.checkVisibility(child)) {
        parent.items.push(before)
        continue
      }
      const inner = enter(task, child, { parent, context })
      if (!inner) continue
      parent.items.push(inner.node)
      stack.push(inner)
      if (task.steps.count % STEPS_BETWEEN_PAUSES === 0) yield
    }
  }
}

function enter(
  task: Walk,
  element: Element,
  position: { readonly parent: OutlineNode | null; readonly context: WalkContext },
): Visit | null {
  const ownVisibility = visibilityOf(element, position.context.view)
  const { visibility, hoverHiding } = appearanceOf(
    element,
    ownVisibility,
    position.context.hoverHiding,
  )
  if (visibility.excluded || isDenied(element, task.options)) {
    if (visibility.mayAppear) task.onHidden?.(element)
    return null
  }
  task.steps.count += 1
  const { parent, context } = position
  const node = makeNode(element, task.options, {
    parent,
    context,
    visibility,
    hoverHiding,
  })
  if (node.inView)
    for (let ancestor = node.parent; ancestor && !ancestor.holdsView; ancestor = ancestor.parent)
      ancestor.holdsView = true
  return createVisit(task, node, visibility)
}

function createVisit(task: Walk, node: OutlineNode, visibility: Visibility): Visit {
  const { element } = node
  const shadow = native.shadowRoot(element)
  if (shadow) task.onTree?.(shadow)
  const children = isSingleLine(node) ? [] : listWindow(task, element, getChildren(task, element))
  const context =
    children.length > 0 ? createInnerContext(node, visibility, children) : node.context
  return { node, visibility, context, children, next: 0 }
}

/**
 * Whether the element is shown in one line, whatever it contains: a list, or a drawing without text or parts to click.
 */
function isSingleLine({ element, context }: OutlineNode): boolean {
  if (isTag(element, 'select')) return true
  return native.localName(element) === 'svg' && (context.inControl || !hasParts(element))
}

export function pageContext(view: Window): WalkContext {
  return {
    view,
    clip: viewport(view),
    masked: false,
    visuallyHidden: false,
    hoverHiding: null,
    pointerCursor: false,
    inControl: false,
    inLabel: false,
  }
}

function getChildren(task: Walk, element: Element): readonly Node[] {
  const inner = frameDocument(element)
  if (inner) task.onTree?.(inner)
  if (isAriaHidden(element) && !isButton(element)) return findReadableButtons(element, task.options)
  const children = childrenOf(element)
  // The content of a closed disclosure has the styles of visible content.
  if (isTag(element, 'details') && !element.open)
    return children.filter((child) => isElement(child) && isTag(child, 'summary')).slice(0, 1)
  return children
}

function createInnerContext(
  node: OutlineNode,
  visibility: Visibility,
  children: Visit['children'],
): WalkContext {
  const { element, context } = node
  // Most elements contain only text. Skips properties that don't matter to them.
  const holdsElements = children.some((child) => 'nodeType' in child && isElement(child))
  const inner = frameDocument(element)
  const view = inner && nativeDocument.defaultView(inner)
  if (view)
    return {
      ...pageContext(view),
      ...(!node.inView && { clip: null }),
      masked: node.masked,
      hoverHiding: node.hoverHiding,
    }
  const clip = holdsElements ? clipInside(node, visibility) : context.clip
  const isLabel = isVisibleLabel(node)
  const isSingle = isSingleControl(node.role)
  const inLabel = context.inLabel || isLabel || /^(legend|caption)$/.test(native.localName(element))
  const inControl = context.inControl || isSingle || isLabel
  const pointerCursor =
    context.pointerCursor || isSingle || (holdsElements && hasPointerCursor(visibility))
  const isUnchanged =
    clip === context.clip &&
    node.masked === context.masked &&
    node.visuallyHidden === context.visuallyHidden &&
    node.hoverHiding === context.hoverHiding &&
    pointerCursor === context.pointerCursor &&
    inControl === context.inControl &&
    inLabel === context.inLabel
  return isUnchanged
    ? context
    : {
        view: context.view,
        clip,
        masked: node.masked,
        visuallyHidden: node.visuallyHidden,
        hoverHiding: node.hoverHiding,
        pointerCursor,
        inControl,
        inLabel,
      }
}

/** Controls that are a single click target, whatever they contain. */
function isSingleControl(role: string): boolean {
  return isActionable(role) && !/^(treeitem|gridcell|listbox|combobox)$/.test(role)
}

function isVisibleLabel({ element, control }: OutlineNode): boolean {
  if (!isTag(element, 'label') || control !== element || !element.control) return false
  return getShownRole(element.control) !== '' || native.shadowRoot(element.control) !== null
}

function isDenied(element: Element, { deny = [] }: PageOptions): boolean {
  return deny.length > 0 && native.matches(element, deny.join(','))
}

function addText({ node, visibility, context }: Visit, child: Node): void {
  if (visibility.invisible || context.inLabel) return
  // The text of a textarea is its value, and shown as such.
  if (isTag(node.element, 'textarea')) return
  if (isUnseenUntilHover(node.hoverHiding) && !context.inControl && !isInteractive(node)) return
  const text = cleanText(native.nodeValue(child) ?? '')
  if (!text) return
  const last = node.items.at(-1)
  if (node.masked) {
    if (!last || !('text' in last))
      node.items.push({ text: MASKED, visuallyHidden: false, holder: node })
  } else node.items.push({ text, visuallyHidden: context.visuallyHidden, holder: node })
}

/** Children that are always shown: headers, and the first items. */
const HEAD = 3

/** Elements that aren't lists may have this many times more children, and lists this many times more in view. */
const MORE_FACTOR = 3
const LISTS = /^(ul|ol|dl|table|tbody|list|listbox|grid|treegrid|tree|feed|menu|rowgroup)$/

interface WindowOptions {
  readonly listLimit: number
  readonly from: Element | null
}

/**
 * The children to walk. In a long list, only those that are in view or follow `from`; the rest is counted. Reads
 * positions of children only, never their content.
 */
function listWindow(
  options: WindowOptions,
  element: Element,
  children: readonly Node[],
): readonly (Node | OmittedItem)[] {
  const { from } = options
  if (children.length <= options.listLimit) return children
  const listLimit =
    LISTS.test(native.role(element) ?? '') || LISTS.test(native.localName(element))
      ? options.listLimit
      : options.listLimit * MORE_FACTOR
  if (children.length <= listLimit) return children
  const elements = children.filter(isElement)
  if (elements.length <= listLimit) return children
  const start = from ? elements.findIndex((child) => contains(child, from)) : -1
  const first = start >= 0 ? start : firstInView(elements, element)
  const count = Math.min(
    options.listLimit * MORE_FACTOR,
    Math.max(listLimit - HEAD, endOfView(elements, element) - first),
  )
  const shown = [
    ...indexes(0, first <= HEAD || start < 0 ? Math.min(HEAD, first) : 0),
    ...indexes(first, Math.min(first + count, elements.length)),
  ]
  const result: (Node | OmittedItem)[] = []
  let next = 0
  for (const index of [...shown, elements.length]) {
    const skipped = elements[next]
    if (index > next && skipped) result.push({ count: index - next, first: skipped })
    const child = elements[index]
    if (child) result.push(child)
    next = index + 1
  }
  return result
}

function firstInView(elements: readonly HTMLElement[], list: Element): number {
  const top = Math.max(0, native.getBoundingClientRect(list).top)
  const found = findFirst(elements, (box) => box.bottom > top)
  return found >= elements.length ? 0 : found
}

/** Index of the first child below the visible part. */
function endOfView(elements: readonly HTMLElement[], list: Element): number {
  const end = Math.min(viewOf(list).innerHeight, native.getBoundingClientRect(list).bottom)
  return findFirst(elements, (box) => box.top >= end)
}

/** A binary search, as children of a list are mostly in vertical order. */
function findFirst(elements: readonly HTMLElement[], predicate: (box: DOMRect) => boolean): number {
  let low = 0
  let high = elements.length
  while (low < high) {
    const middle = (low + high) >> 1
    const element = elements[middle]
    if (element && predicate(native.getBoundingClientRect(element))) high = middle
    else low = middle + 1
  }
  return low
}

function indexes(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, offset) => from + offset)
}

/** The node of one element, without its content. */
function makeNode(
  element: Element,
  options: PageOptions,
  {
    parent,
    context,
    visibility,
    hoverHiding,
  }: Appearance & {
    readonly parent: OutlineNode | null
    readonly context: WalkContext
  },
): OutlineNode {
  const { hasNoAttributes } = visibility
  const labelControl = hiddenControl(element)
  const control = labelControl ?? element
  const role = visibility.invisible ? '' : roleUntilHover(getShownRole(control), hoverHiding)
  const masked =
    context.masked ||
    isSecretField(element) ||
    isMaskedItself(element, options, hasNoAttributes) ||
    (!visibility.invisible &&
      visibility.style !== null &&
      holdsText(element) &&
      drawsDots(visibility.style))
  const clickable = isClickable(element, { role, parent, context, visibility })
  const visuallyHidden = context.visuallyHidden || visibility.visuallyHidden
  const inView =
    hoverHiding !== 'unrendered' &&
    isInView(element, visibility.fixed ? viewport(context.view) : context.clip)
  return {
    element,
    role,
    control,
    parent,
    clickable,
    masked,
    visuallyHidden,
    hoverHiding,
    inView,
    holdsView: inView,
    context,
    items: [],
    signature: '',
    addedAt: 0,
    changedAt: 0,
    name: null,
  }
}

/** Only the host's own selectors can match an element without attributes. */
function isMaskedItself(element: Element, options: PageOptions, hasNoAttributes: boolean): boolean {
  return (
    (!hasNoAttributes || (options.mask?.length ?? 0) > 0) &&
    native.matches(element, maskSelector(options))
  )
}

const TYPED = /^(?:textbox|searchbox|spinbutton)$/

/**
 * The hidden control that a label stands in for. Null for text fields: a hidden text field only carries the value of
 * something else.
 */
function hiddenControl(element: Element): Element | null {
  if (!isTag(element, 'label')) return null
  const { control } = element
  if (!control || TYPED.test(getShownRole(control))) return null
  return native.checkVisibility(control, { visibilityProperty: true }) ? null : control
}

/** Whether the elements that both lists contain are in a different order now. */
export function isReordered(
  before: readonly OutlineItem[],
  after: readonly OutlineItem[],
): boolean {
  const elementsBefore = getElements(before)
  const indexByElement = new Map(elementsBefore.map((element, index) => [element, index]))
  let last = -1
  for (const element of getElements(after)) {
    const index = indexByElement.get(element)
    if (index === undefined) continue
    if (index < last) return true
    last = index
  }
  return false
}

export function getElements(items: readonly OutlineItem[]): Element[] {
  return items.filter(isNode).map(({ element }) => element)
}

const NAMING_ATTRIBUTES = ['aria-label', 'title', 'alt', 'placeholder', 'src']

/**
 * A text that changes with the node's own state. Contains the attributes that names are made of, because computing
 * names is expensive.
 */
export function signatureOf(node: OutlineNode): string {
  const { element, role, control, items, masked } = node
  let signature = node.hoverHiding ? `${role}\u0005` : role
  for (const item of items) if ('text' in item) signature += `\u0001${item.text}`
  if (!role || (!isActionable(role) && !native.hasAttributes(element))) return signature
  const { flags, value } = stateOf(control, role)
  if (flags.length > 0) signature += `\u0002${flags.join(' ')}`
  if (value) signature += `\u0003${masked ? MASKED : value}`
  for (const name of NAMING_ATTRIBUTES) {
    const hint = native.getAttribute(element, name)
    if (hint) signature += `\u0004${name}=${hint}`
  }
  return signature
}

/** Text that is a direct child of an element. */
export interface TextItem {
  readonly text: string
  readonly visuallyHidden: boolean
  /** The node of the element that contains the text. */
  readonly holder: OutlineNode
}

/** Elements that were counted but not walked: the rest of a long list. */
export interface OmittedItem {
  readonly count: number
  /** The first omitted element, from which reading can continue. */
  readonly first: Element
}

export type OutlineItem = OutlineNode | TextItem | OmittedItem

/** A visible element with its content. */
export interface OutlineNode {
  readonly element: Element
  /** Empty for wrappers, which only have content. */
  readonly role: string
  /** The element that has the state: for a label, the control that isn't displayed. */
  readonly control: Element
  readonly parent: OutlineNode | null
  readonly items: OutlineItem[]
  readonly inView: boolean
  /** Whether something in the element is in view, or was. */
  holdsView: boolean
  /** Clickable by its mouse pointer or a handler in the markup, with any role. */
  readonly clickable: boolean
  readonly masked: boolean
  readonly visuallyHidden: boolean
  /** How the element is hidden until the pointer is over its surroundings. Null if it isn't. */
  readonly hoverHiding: HoverHiding | null
  /** The context of the element, to walk it again. */
  readonly context: WalkContext
  /** Stays equal while the element's own state and text don't change. */
  signature: string
  /** Versions of the outline in which the element first appeared, and last changed. */
  addedAt: number
  changedAt: number
  /** Computed when first shown. */
  name: ElementName | null
}

/** Properties that an element inherits from its ancestors. */
export interface WalkContext {
  readonly view: Window
  /** The visible part of the element's ancestors, in coordinates of its frame. Null if nothing is visible. */
  readonly clip: Box | null
  readonly masked: boolean
  readonly visuallyHidden: boolean
  readonly hoverHiding: HoverHiding | null
  /** An ancestor has the pointer cursor already. */
  readonly pointerCursor: boolean
  /** Inside a control that is a single click target, whatever it contains. */
  readonly inControl: boolean
  /** Inside a label whose control has this text as its name. */
  readonly inLabel: boolean
}

export function isNode(item: OutlineItem): item is OutlineNode {
  return 'element' in item
}

export function isText(item: OutlineItem): item is TextItem {
  return 'text' in item
}

/** All nodes of a tree in reading order, wrappers included. */
export function* nodesOf(node: OutlineNode): Generator<OutlineNode> {
  const stack = [node]
  for (let next = stack.pop(); next; next = stack.pop()) {
    yield next
    const { items } = next
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const item = items[index]
      if (item && isNode(item)) stack.push(item)
    }
  }
}
