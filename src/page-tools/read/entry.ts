import { once } from '../once.ts'
import { refOf } from '../refs.ts'
import { isNode, type OmittedItem, type OutlineNode } from '../outline/outline-node.ts'

/**
 * One line of a snapshot, with what is indented below it. Wrappers have none. Lines, and what is below
 * them, are made when they are asked for: of most of a long page nobody does.
 */
export interface Entry {
  /** Where a reader would go on from here. */
  readonly element: Element
  parent: Entry | null
  children: () => readonly Entry[]
  readonly inView: boolean
  /** Something in it is in view, whether or not it is. */
  readonly holdsView: boolean
  readonly popup: boolean
  readonly node: OutlineNode | null
  /** Stands for elements that were counted, but not looked at. */
  readonly isOmission: boolean
  /** How many elements it stands for, with those in it. */
  elementCount: () => number
  /** Without dash, indentation and the colon of what has children. */
  line: () => string
}

/** Where an entry stands: the outline node it belongs to, and the entry around it. */
export interface EntryPlace {
  readonly node: OutlineNode
  readonly parent: Entry | null
}

export function textEntry(line: () => string, place: EntryPlace): Entry {
  return leaf(place, { line: once(line) })
}

export function omittedEntry({ count, first }: OmittedItem, place: EntryPlace): Entry {
  return leaf(place, {
    element: first,
    isOmission: true,
    elementCount: () => count,
    line: () => omissionLine(count, first),
  })
}

function leaf({ node, parent }: EntryPlace, own: Pick<Entry, 'line'> & Partial<Entry>): Entry {
  return {
    element: node.element,
    parent,
    children: noEntries,
    inView: node.inView,
    holdsView: node.inView,
    popup: parent?.popup ?? false,
    node: null,
    isOmission: false,
    elementCount: () => 1,
    ...own,
  }
}

/** Says how much is left out and how to get it. */
export function omissionLine(count: number, first: Element): string {
  return `… ${count} more [from=${refOf(first)}]`
}

/** How many elements of a node a reader would get lines for, roughly: without making the lines. */
export function estimateLines({ role, clickable, items }: OutlineNode): number {
  let size = role || clickable ? 1 : 0
  let hasText = size > 0
  for (const item of items) {
    if (isNode(item)) size += estimateLines(item)
    else if ('count' in item) size += item.count
    else if (!hasText) {
      hasText = true
      size += 1
    }
  }
  return size
}

export function noEntries(): readonly [] {
  return []
}
