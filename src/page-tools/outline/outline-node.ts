import type { OnHover } from './hover/on-hover.ts'
import type { ElementName } from './name.ts'
import * as native from '../native.ts'
import { MASKED } from '../privacy.ts'
import { isActionable } from './role.ts'
import { stateOf } from './state.ts'

/** Whether the elements that both lists contain have another order now. */
export function isReordered(was: readonly OutlineItem[], now: readonly OutlineItem[]): boolean {
  const before = elementsIn(was)
  const places = new Map(before.map((element, place) => [element, place]))
  let last = -1
  for (const element of elementsIn(now)) {
    const place = places.get(element)
    if (place === undefined) continue
    if (place < last) return true
    last = place
  }
  return false
}

export function elementsIn(items: readonly OutlineItem[]): Element[] {
  return items.filter(isNode).map(({ element }) => element)
}

const NAMING_ATTRIBUTES = ['aria-label', 'title', 'alt', 'placeholder', 'src']

/**
 * A text that changes with the node's own state. Computing names is expensive, so it contains the attributes that names
 * are made of.
 */
export function signatureOf(node: OutlineNode): string {
  const { element, role, control, items, masked } = node
  let signature = node.onHover ? `${role}\u0005` : role
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
  /** The node of that element. */
  readonly holder: OutlineNode
}

/** Elements that were counted but not walked: the rest of a long list. */
export interface OmittedItem {
  readonly count: number
  /** The first of them, from which reading can continue. */
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
  /** Whether something in it is in view, or was. */
  holdsView: boolean
  /** Clickable by its mouse pointer or a handler in the markup, with any role. */
  readonly clickable: boolean
  readonly masked: boolean
  readonly visuallyHidden: boolean
  /** How it is hidden until the pointer is over its surroundings. Null: not in that way. */
  readonly onHover: OnHover | null
  /** The context of the element, to walk it again. */
  readonly context: WalkContext
  /** Stays equal while the element's own state and text don't change. */
  signature: string
  /** The outline's version in which the element first appeared, and the one in which it last changed. */
  addedAt: number
  changedAt: number
  /** Computed when first shown. */
  name: ElementName | null
}

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Properties that an element inherits from its ancestors. */
export interface WalkContext {
  readonly view: Window
  /** The visible part of its ancestors, in its frame's coordinates. Null: none. */
  readonly clip: Box | null
  readonly masked: boolean
  readonly visuallyHidden: boolean
  readonly onHover: OnHover | null
  /** An ancestor has the pointer cursor already. */
  readonly pointerCursor: boolean
  /** Inside a control that is one target, whatever it contains. */
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
