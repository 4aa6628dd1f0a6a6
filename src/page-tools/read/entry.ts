import { contains } from '../dom.ts'
import * as native from '../native.ts'
import { isNode, type OmittedItem, type OutlineNode } from '../outline/outline-node.ts'
import { isInteractive } from '../outline/role.ts'
import { refOf } from '../refs.ts'

/** Size of a part of an outline. */
export interface Size {
  readonly lines: number
  /** Number of elements to act on in these lines. */
  readonly interactive: number
  /** False when some of the part was only counted, so it may have more elements to act on. */
  readonly isWhole: boolean
}

export const ONE_LINE: Size = { lines: 1, interactive: 0, isWhole: true }
const NOTHING: Size = { lines: 0, interactive: 0, isWhole: true }
const CELLS = /cell$|header$/

/**
 * Whether the node is an element to act on. Cells must be clickable: a grid may have any number that only take the
 * focus.
 */
export function isToActOn(node: OutlineNode): boolean {
  return isInteractive(node) && (node.clickable || !CELLS.test(node.role))
}

/** Estimates the size of a node's lines without making them. */
export function sizeOf(node: OutlineNode): Size {
  const { role, clickable, items } = node
  let lines = role || clickable ? 1 : 0
  let interactive = isToActOn(node) ? 1 : 0
  let isWhole = true
  let hasText = lines > 0
  for (const item of items) {
    if (isNode(item)) {
      const inner = sizeOf(item)
      lines += inner.lines
      interactive += inner.interactive
      isWhole &&= inner.isWhole
    } else if ('count' in item) {
      lines += item.count
      isWhole = false
    } else if (!hasText) {
      hasText = true
      lines += 1
    }
  }
  return { lines, interactive, isWhole }
}

export function sizeOfAll(parts: readonly { readonly size: () => Size }[]): Size {
  return parts.reduce((sum, { size }) => {
    const { lines, interactive, isWhole } = size()
    return {
      lines: sum.lines + lines,
      interactive: sum.interactive + interactive,
      isWhole: sum.isWhole && isWhole,
    }
  }, NOTHING)
}

/** The mark for omitted lines: how many, how many elements to act on, and the ref to continue reading from. */
export function leftOutLine(size: Size, first: Element): string {
  return `… ${size.lines} more${interactiveIn(size)} [from=${refOf(first)}]`
}

/** The mark for all omitted content of an element that has a line. */
export function leftOutInside(size: Size): string {
  return `… ${size.lines} inside${interactiveIn(size)}`
}

function interactiveIn({ interactive, isWhole }: Size): string {
  return interactive > 0 ? `, ${interactive}${isWhole ? '' : '+'} interactive` : ''
}

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
