import { contains, ancestorsOf, isTag } from '../dom.ts'
import * as native from '../native.ts'
import {
  isNode,
  type OmittedItem,
  type OutlineNode,
  isText,
  type OutlineItem,
  type TextItem,
} from '../outline/walk.ts'
import { isInteractive, isNamedByContent, isPopup } from '../outline/role.ts'
import { ensureRef } from '../refs.ts'
import { cleanText, cut, escapeMarks, shorten } from '../clean-text.ts'
import { drawnText } from '../generated-text.ts'
import type { PageOptions } from '../page.ts'
import { once } from '../../lib/once.ts'
import { commonMark, INLINE_TAGS, markedTexts } from './readable-text.ts'
import {
  type Head,
  headText,
  LEAST_WITH_MARK,
  optionsLine,
  readHead,
  formatFieldValue,
  textMark,
  VALUE_LIMIT,
} from './line.ts'
import { getTextPositions } from './long-text.ts'

/** Size of a part of an outline. */
export interface Size {
  readonly lines: number
  /** Number of elements to act on in these lines. */
  readonly interactive: number
  /** False if some elements of the part were only counted: it may have more elements to act on. */
  readonly isWhole: boolean
}

const ONE_LINE: Size = { lines: 1, interactive: 0, isWhole: true }
const NOTHING: Size = { lines: 0, interactive: 0, isWhole: true }
const CELL_ROLES = /cell$|header$/

/**
 * Whether the node is an element to act on. Cells must be clickable: a grid may have many cells that only take the
 * focus.
 */
export function isActionTarget(node: OutlineNode): boolean {
  return isInteractive(node) && (node.clickable || !CELL_ROLES.test(node.role))
}

/** Estimates the size of a node's lines without making them. */
function estimateSize(node: OutlineNode): Size {
  const { role, clickable, items } = node
  let lines = role || clickable ? 1 : 0
  let interactive = isActionTarget(node) ? 1 : 0
  let isWhole = true
  let hasText = lines > 0
  for (const item of items) {
    if (isNode(item)) {
      const inner = estimateSize(item)
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

export function sumSizes(parts: readonly { readonly size: () => Size }[]): Size {
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
export function formatOmittedLine(size: Size, first: Element): string {
  return `… ${size.lines} more${formatInteractive(size)} [from=${ensureRef(first)}]`
}

/** The mark for all omitted content of an element that has a line. */
export function formatOmittedContent(size: Size): string {
  return `… ${size.lines} inside${formatInteractive(size)}`
}

function formatInteractive({ interactive, isWhole }: Size): string {
  return interactive > 0 ? `, ${interactive}${isWhole ? '' : '+'} interactive` : ''
}

/** Lengths of the parts of a line. Characters. */
export interface LineLimits {
  readonly name: number
  /** Length of texts and values. */
  readonly text: number
}

/**
 * Line of a snapshot, with the entries indented below it. Wrappers have no entry. Lines and children are computed on
 * demand, since most of them are never used on a long page.
 */
export interface Entry {
  /** The element from which reading can continue. */
  readonly element: Element
  parent: Entry | null
  children: () => readonly Entry[]
  readonly inView: boolean
  /** Whether anything in the entry is in view, even if the entry itself is not. */
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
  readonly node: Pick<OutlineNode, 'element' | 'inView'>
  readonly parent: Entry | null
}

export function textEntry(line: Entry['line'], place: EntryPlace): Entry {
  return createLeaf(place, { line })
}

function omittedEntry({ count, first }: OmittedItem, place: EntryPlace): Entry {
  const size: Size = { lines: count, interactive: 0, isWhole: false }
  return createLeaf(place, {
    element: first,
    isOmission: true,
    size: () => size,
    line: () => formatOmittedLine(size, first),
  })
}

function createLeaf(
  { node, parent }: EntryPlace,
  overrides: Pick<Entry, 'line'> & Partial<Entry>,
): Entry {
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
    ...overrides,
  }
}

/** Whether the entry begins at or after the element in reading order, or contains the element. */
export function follows(entry: Entry, from: Element): boolean {
  return (
    contains(entry.element, from) ||
    (native.compareDocumentPosition(entry.element, from) & Node.DOCUMENT_POSITION_PRECEDING) !== 0
  )
}

function noEntries(): readonly [] {
  return []
}

export interface EntryOptions {
  readonly options: PageOptions
  readonly limits: LineLimits
}

const CELLS = /^(cell|gridcell|columnheader|rowheader)$/

/** The entries for a node and its content. */
export function buildEntries(
  node: OutlineNode,
  parent: Entry | null,
  settings: EntryOptions,
): readonly Entry[] {
  if (!node.role && !node.clickable) return createEntries(node, flatten(node), { parent, settings })
  const entry = nodeEntry(node, parent, settings)
  return [getOnlyChild(entry) ?? entry]
}

function nodeEntry(node: OutlineNode, parent: Entry | null, settings: EntryOptions): Entry {
  const pieces = once(() => flatten(node))
  const head = once(() => readHead(node, settings.options))
  const texts = once(() => (node.role === 'row' ? getRowTexts(node) : wholeText(pieces())))
  const entry: Entry = {
    element: node.element,
    parent,
    node,
    inView: node.inView,
    holdsView: node.holdsView,
    popup: (parent?.popup ?? false) || (isPopup(node.role) && node.inView),
    isOmission: false,
    size: once(() => estimateSize(node)),
    line: createLine(
      (limits) => nodeLine(node, { head: head(), texts: texts() }, { ...settings, limits }),
      settings,
    ),
    children: once(() => childEntries(entry, { node, pieces, texts, settings })),
  }
  return entry
}

/** The only child of a list item, or of a clickable wrapper around one control. The child replaces its parent. */
function getOnlyChild({ node, children, parent }: Entry): Entry | null {
  const isBare = node?.role === 'listitem' && !node.clickable
  const isFrame = node?.role === '' && node.clickable
  if (!isBare && !isFrame) return null
  const [child, ...others] = children()
  if (!child?.node || others.length > 0 || (isFrame && !isInteractive(child.node))) return null
  child.parent = parent
  return child
}

function childEntries(
  entry: Entry,
  input: {
    readonly node: OutlineNode
    readonly pieces: () => readonly Piece[]
    readonly texts: () => Texts | null
    readonly settings: EntryOptions
  },
): readonly Entry[] {
  const { node, pieces, texts, settings } = input
  const { element, masked } = node
  const { options } = settings
  if (isTag(element, 'select')) {
    const line = (limit: number): string => optionsLine(element, { masked, limit, options })
    const wholeLine = once(() => line(Number.POSITIVE_INFINITY))
    const getLine = (shorter?: LineLimits): string => (shorter ? line(shorter.text) : wholeLine())
    return [textEntry(getLine, { node, parent: entry })]
  }
  if (node.role === 'row')
    return node.items.flatMap((item) =>
      isNode(item) && !plainTexts(item) ? cellEntries(item, entry, settings) : [],
    )
  if (texts()) return []
  const entries = createEntries(node, pieces(), { parent: entry, settings })
  if (!isNamedByContent(node.role)) return entries
  return entries.filter(({ node: inner }) => inner && !isPartOfName(inner, node))
}

/** Whether a part belongs to its control's name: a picture, or a clickable part with the whole text. */
function isPartOfName(inner: OutlineNode, node: OutlineNode): boolean {
  if (inner.role) return inner.role === 'img' && !inner.clickable
  const texts = onlyTexts(flatten(inner))
  return texts !== null && texts.length > 0 && texts.length === getOwnTexts(node).length
}

/** The texts of a node, and of its descendants without a role. */
function getOwnTexts(node: OutlineNode): TextItem[] {
  return node.items.flatMap((item) =>
    isText(item) ? [item] : isNode(item) && !item.role ? getOwnTexts(item) : [],
  )
}

/** A cell without attributes of its own gets no entry; its content does. */
function cellEntries(cell: OutlineNode, entry: Entry, settings: EntryOptions): readonly Entry[] {
  const isPlainCell = CELLS.test(cell.role) && !isSpecialCell(cell)
  return isPlainCell
    ? createEntries(cell, flatten(cell), { parent: entry, settings })
    : buildEntries(cell, entry, settings)
}

function isSpecialCell(cell: OutlineNode): boolean {
  return (
    cell.clickable ||
    /aria-(sort|selected|checked|label|current|disabled)|tabindex/.test(
      native.getAttributeNames(cell.element).join(' '),
    )
  )
}

/** An item of a node after its wrappers are removed; null where a block begins or ends. */
type Piece = OutlineItem | null

function createEntries(
  node: OutlineNode,
  pieces: readonly Piece[],
  context: { readonly parent: Entry | null; readonly settings: EntryOptions },
): Entry[] {
  const entries: Entry[] = []
  let run: TextItem[] = []
  const flush = (): void => {
    if (run.length > 0) entries.push(runEntry(run, { node: run[0]?.holder ?? node, ...context }))
    run = []
  }
  for (const piece of pieces) {
    if (piece === null) flush()
    else if (isText(piece)) {
      if (run[0] && run[0].visuallyHidden !== piece.visuallyHidden) flush()
      run.push(piece)
    } else {
      flush()
      if (isNode(piece)) entries.push(...buildEntries(piece, context.parent, context.settings))
      else entries.push(omittedEntry(piece, { node, parent: context.parent }))
    }
  }
  flush()
  return entries
}

function flatten(node: OutlineNode, pieces: Piece[] = []): readonly Piece[] {
  for (const item of node.items) {
    if (!isNode(item) || item.role || item.clickable) {
      pieces.push(item)
      continue
    }
    const inline = INLINE_TAGS.has(native.localName(item.element))
    if (!inline) pieces.push(null)
    flatten(item, pieces)
    if (!inline) pieces.push(null)
  }
  return pieces
}

/** The texts of a line: one list per cell in a row, otherwise a single list. */
type Texts = readonly (readonly TextItem[])[]

/** The texts of a row's plain cells; null if the row has none. */
function getRowTexts(row: OutlineNode): Texts | null {
  const plainCellTexts = row.items
    .filter(isNode)
    .map(plainTexts)
    .filter((texts) => texts !== null)
  return plainCellTexts.length > 0 ? plainCellTexts : null
}

function wholeText(pieces: readonly Piece[]): Texts | null {
  const texts = onlyTexts(pieces)
  return texts && [texts]
}

/** Like `onlyTexts`, but null for a cell that gets a line of its own. */
function plainTexts(cell: OutlineNode): TextItem[] | null {
  const hasOwnLine = isActionTarget(cell) || (CELLS.test(cell.role) && isSpecialCell(cell))
  return hasOwnLine ? null : onlyTexts(flatten(cell))
}

/** The texts of a node that contains nothing else; null for other nodes. */
function onlyTexts(pieces: readonly Piece[]): TextItem[] | null {
  const texts: TextItem[] = []
  for (const piece of pieces) {
    if (piece === null) continue
    if (!isText(piece)) return null
    texts.push(piece)
  }
  return texts
}

/** Makes the whole line only once. Shorter lines are rarely needed. */
function createLine(
  format: (limits: LineLimits) => string,
  { limits }: EntryOptions,
): Entry['line'] {
  const wholeLine = once(() => format(limits))
  return (shorter) => (shorter ? format(shorter) : wholeLine())
}

function nodeLine(
  node: OutlineNode,
  { head: parts, texts }: { readonly head: Head; readonly texts: Texts | null },
  { options, limits }: EntryOptions,
): string {
  const head = headText(parts, limits.name)
  const value = formatFieldValue(node, options, Math.min(VALUE_LIMIT, limits.text))
  if (value !== null) return value ? `${head}: ${value}` : head
  if (isNamedByContent(node.role)) return head
  const itemTexts = texts?.flat().map(({ text }) => text) ?? []
  if (!texts || itemTexts.length === 0) return drawnLine(head, node)
  const separator = node.role === 'row' ? ' | ' : ' '
  if (itemTexts.join(separator) === node.name?.text) return head
  const formatted = node.role === 'row' ? texts.map(cellText) : texts.map(markedTexts)
  const text = formatted.join(separator).replace(/[ |]+$/, '')
  // The text of a clickable element without a role is its name.
  const limit = node.role ? limits.text : Math.max(limits.text, limits.name)
  return text ? `${head}: ${cutText(text, texts.flat(), { limit, options })}` : head
}

/** Adds the words that a style writes into a clickable element without text, such as a script's button. */
function drawnLine(head: string, { element, role, clickable, masked, items }: OutlineNode): string {
  if (role || !clickable || masked || items.some((item) => !isText(item))) return head
  const text = drawnText(element)
  return text ? `${head}: ${escapeMarks(shorten(text, DRAWN_LIMIT))}` : head
}

const DRAWN_LIMIT = 100

/** Escapes separators, so that the text of one cell can't look like two. */
function cellText(texts: readonly TextItem[]): string {
  return markedTexts(texts).replace(/ \|(?= )/g, ' \\|')
}

function runEntry(
  run: readonly TextItem[],
  context: { node: OutlineNode; parent: Entry | null; settings: EntryOptions },
): Entry {
  const { settings } = context
  return textEntry(
    createLine((limits) => runLine(run, { ...settings, limits }), settings),
    context,
  )
}

function runLine(
  run: readonly TextItem[],
  { limits: { text: limit }, options }: EntryOptions,
): string {
  const mark = commonMark(run)
  if (!mark) return `text: ${cutText(markedTexts(run), run, { limit, options })}`
  return `text ${mark}: ${shorten(escapeMarks(cleanText(run.map(({ text }) => text).join(' '))), limit)}`
}

/**
 * Cuts a text of these items. If it is cut, or its lines are joined, adds the mark for reading on. `limit`: characters.
 */
function cutText(
  text: string,
  items: readonly TextItem[],
  { limit, options }: { readonly limit: number; readonly options: PageOptions },
): string {
  const isCut = text.length > limit
  const first = items[0]?.holder.element
  if (!first || (!isCut && !items.some(({ holder }) => keepsLines(holder.element)))) return text
  if (limit < LEAST_WITH_MARK) return cut(text, limit)
  const container = items.reduce(
    (found, { holder }) => commonAncestor(found, holder.element),
    first,
  )
  if (!isCut) return `${text} ${textMark(container, 0)}`
  return `${cut(text, limit)} ${textMark(container, getResumeIndex(container, items, { limit, options }))}`
}

function getResumeIndex(
  container: Element,
  items: readonly TextItem[],
  { limit, options }: { readonly limit: number; readonly options: PageOptions },
): number {
  const isAll = items.length === 1 && native.childNodes(container).length === 1
  return isAll && !native.closest(container, 'pre')
    ? limit
    : findIndexAfter(getTextPositions(container, options).text, items, limit)
}

/** Index in the whole text where the words after the limit begin. */
function findIndexAfter(text: string, items: readonly TextItem[], limit: number): number {
  let remaining = limit
  let index = 0
  for (const item of items) {
    const [start] = item.text.split(' ')
    const position = start ? text.indexOf(start, index) : -1
    if (position < 0) return 0
    if (item.text.length >= remaining) return Math.min(text.length, position + remaining)
    index = position + item.text.length
    remaining -= item.text.length + 1
  }
  return index
}

function commonAncestor(first: Element, second: Element): Element {
  for (const ancestor of [first, ...ancestorsOf(first)])
    if (contains(ancestor, second)) return ancestor
  return first
}

function keepsLines(element: Element): boolean {
  const code = native.closest(element, 'pre')
  return code !== null && /\n/.test(native.textContent(code).trim())
}
