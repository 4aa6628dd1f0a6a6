import { contains } from '../dom.ts'
import * as native from '../native.ts'
import type { OmittedItem, OutlineNode } from '../outline/outline-node.ts'
import { leftOutLine, ONE_LINE, type Size } from './left-out.ts'

/** Lengths of the parts of a line. Characters. */
export interface LineLimits {
  readonly name: number
  /** Length of texts and values. */
  readonly text: number
}

/**
 * Line of a snapshot, with the entries indented below it. Wrappers have none. Lines and children are computed on
 * demand: most of a long page's are never used.
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
  /** Stands for elements that were counted, but not walked. */
  readonly isOmission: boolean
  /** Size of everything that it represents, descendants included. */
  size: () => Size
  /** Line without dash, indentation and the colon before children. */
  line: (shorter?: LineLimits) => string
}

/** The outline node that an entry belongs to, and its parent entry. */
export interface EntryPlace {
  readonly node: OutlineNode
  readonly parent: Entry | null
}

export function textEntry(line: Entry['line'], place: EntryPlace): Entry {
  return leaf(place, { line })
}

export function omittedEntry({ count, first }: OmittedItem, place: EntryPlace): Entry {
  const size: Size = { lines: count, interactive: 0, isWhole: false }
  return leaf(place, {
    element: first,
    isOmission: true,
    size: () => size,
    line: () => leftOutLine(size, first),
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
    size: () => ONE_LINE,
    ...own,
  }
}

/** Whether the entry begins at or after the element in reading order, or holds it. */
export function follows(entry: Entry, from: Element): boolean {
  return (
    contains(entry.element, from) ||
    (native.compareDocumentPosition(entry.element, from) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
  )
}

export function noEntries(): readonly [] {
  return []
}
