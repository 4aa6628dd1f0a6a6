import { once } from '../once.ts'
import { refOf } from '../refs.ts'
import { isNode, type OmittedItem, type OutlineNode } from '../outline/outline-node.ts'

/**
 * One line of a snapshot, with the entries indented below it. Wrappers have none. Lines and children are
 * computed on demand: most of a long page's are never used.
 */
export interface Entry {
  /** The element from which reading can continue. */
  readonly element: Element
  parent: Entry | null
  children: () => readonly Entry[]
  readonly inView: boolean
  /** Whether something in it is in view, even if it is not itself. */
  readonly holdsView: boolean
  readonly popup: boolean
  readonly node: OutlineNode | null
  /** Represents elements that were counted, but not walked. */
  readonly isOmission: boolean
  /** How many elements it represents, with its descendants. */
  elementCount: () => number
  /** Without dash, indentation and the colon before children. */
  line: () => string
}

/** The outline node that an entry belongs to, and its parent entry. */
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

/** The mark for what is left out: how much, and from which ref to read on. */
export function omissionLine(count: number, first: Element): string {
  return `… ${count} more [from=${refOf(first)}]`
}

/** An estimate of how many lines a node would get, without making them. */
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
