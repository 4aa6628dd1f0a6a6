import type { ElementName } from './name.ts'

/** Text that stands directly in an element. */
export interface TextItem {
  readonly text: string
  readonly visuallyHidden: boolean
  /** What it stands in. */
  readonly holder: OutlineNode
}

/** Elements that were counted but not looked at: the rest of a long list. */
export interface OmittedItem {
  readonly count: number
  /** Where to read on. */
  readonly first: Element
}

export type OutlineItem = OutlineNode | TextItem | OmittedItem

/** An element that is there for people, with what is in it. */
export interface OutlineNode {
  readonly element: Element
  /** Empty for wrappers: they only hold what is in them. */
  readonly role: string
  /** Where its state is, when a label stands for a control that isn't displayed. */
  readonly control: Element
  readonly parent: OutlineNode | null
  readonly items: OutlineItem[]
  readonly inView: boolean
  /** Something in it is in view, or was. */
  holdsView: boolean
  /** Clickable by the look of the mouse pointer or a handler in the markup, whatever its role. */
  readonly clickable: boolean
  readonly masked: boolean
  readonly visuallyHidden: boolean
  /** How the element's surroundings are, to look at it again. */
  readonly context: WalkContext
  /** Equal as long as nothing of the element itself has changed. */
  signature: string
  /** Number of the look at the page that first saw the element, and of the last that saw it changed. */
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

/** What an element inherits from where it stands. */
export interface WalkContext {
  readonly view: Window
  /** The visible part of what surrounds it, in its frame's coordinates; null when none is. */
  readonly clip: Box | null
  readonly masked: boolean
  readonly visuallyHidden: boolean
  /** Its parent shows the hand already. */
  readonly pointerCursor: boolean
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
