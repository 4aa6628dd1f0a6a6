import { cleanText, quote, shorten } from '../clean-text.ts'
import type { PageOptions } from '../options.ts'
import { refOf } from '../refs.ts'
import { headOf, optionsLine, shownValue } from './line.ts'
import {
  isNode,
  isText,
  type OmittedItem,
  type OutlineItem,
  type OutlineNode,
  type TextItem,
} from './outline-node.ts'
import { isNamedByContent, isPopup } from './role.ts'

/** One line of a snapshot, with what is indented below it. Wrappers have none. */
export interface Entry {
  /** Where a reader would go on from here. */
  readonly element: Element
  parent: Entry | null
  readonly children: Entry[]
  readonly inView: boolean
  readonly popup: boolean
  /** How many elements it stands for. */
  readonly weight: number
  readonly node: OutlineNode | null
  /** Without dash, indentation and the colon of what has children. */
  line: () => string
}

export interface DisplayOptions {
  readonly options: PageOptions
  /** Characters of one text. */
  readonly textLimit: number
}

const INLINE = new Set(
  'a,abbr,b,bdi,bdo,cite,code,data,dfn,em,font,i,kbd,mark,q,s,samp,slot,small,span,strong,sub,sup,time,u,var,wbr,label'.split(
    ',',
  ),
)
const CELLS = /^(cell|gridcell|columnheader|rowheader)$/

/** The lines for a node and all that is in it. Nothing is named before its line is asked for. */
export function display(
  node: OutlineNode,
  parent: Entry | null,
  settings: DisplayOptions,
): Entry[] {
  if (!node.role && !node.clickable) return inside(node, parent, settings)
  const texts = inlineTexts(node)
  const entry: Entry = {
    element: node.element,
    parent,
    node,
    children: [],
    inView: node.inView,
    weight: 1,
    popup: (parent?.popup ?? false) || (isPopup(node.role) && node.inView),
    line: once(() => nodeLine(node, texts, settings)),
  }
  entry.children.push(...childEntries(node, entry, { settings, texts }))
  return [onlyChild(entry) ?? entry]
}

/** A list item that only holds one control is left out for it. */
function onlyChild({ node, children, parent }: Entry): Entry | null {
  const [only] = children
  if (node?.role !== 'listitem' || node.clickable || children.length !== 1 || !only?.node)
    return null
  only.parent = parent
  return only
}

function childEntries(
  node: OutlineNode,
  entry: Entry,
  { settings, texts }: { settings: DisplayOptions; texts: readonly TextItem[] | null },
): Entry[] {
  const choices = optionsLine(node)
  if (choices) return [textEntry(choices, { node, parent: entry })]
  if (texts && node.role !== 'row') return []
  if (node.role === 'row')
    return node.items.flatMap((item) =>
      isNode(item) && !plainTexts(item) ? cellEntries(item, entry, settings) : [],
    )
  const entries = inside(node, entry, settings)
  return isNamedByContent(node.role) ? entries.filter(({ node: inner }) => inner) : entries
}

/** A cell that is nothing by itself is left out; what it holds is not. */
function cellEntries(cell: OutlineNode, entry: Entry, settings: DisplayOptions): Entry[] {
  const bare = CELLS.test(cell.role) && !isSpecialCell(cell)
  return bare ? inside(cell, entry, settings) : display(cell, entry, settings)
}

function isSpecialCell(cell: OutlineNode): boolean {
  return cell.clickable || /aria-(sort|selected|checked)|tabindex/.test(attributes(cell))
}

function inside(node: OutlineNode, parent: Entry | null, settings: DisplayOptions): Entry[] {
  const entries: Entry[] = []
  let run: TextItem[] = []
  const flush = (): void => {
    if (run.length > 0)
      entries.push(runEntry(run, { node: run[0]?.holder ?? node, parent, settings }))
    run = []
  }
  for (const piece of flat(node)) {
    if (piece === null) flush()
    else if (isText(piece)) {
      if (run[0] && run[0].unseen !== piece.unseen) flush()
      run.push(piece)
    } else {
      flush()
      if (isNode(piece)) entries.push(...display(piece, parent, settings))
      else entries.push(omittedEntry(piece, { node, parent }))
    }
  }
  flush()
  return entries
}

/** The items of a node with wrappers taken away; null where a block begins or ends. */
function* flat(node: OutlineNode): Generator<OutlineItem | null> {
  for (const item of node.items) {
    if (!isNode(item) || item.role || item.clickable) {
      yield item
      continue
    }
    const inline = INLINE.has(item.element.localName)
    if (!inline) yield null
    yield* flat(item)
    if (!inline) yield null
  }
}

/** The texts of a node that holds nothing else. A row's are those of its plain cells. */
function inlineTexts(node: OutlineNode): readonly TextItem[] | null {
  if (node.role !== 'row') return plainTexts(node)
  const cells = node.items.filter(isNode)
  const plain = cells.map(plainTexts).filter((texts) => texts !== null)
  if (plain.length === 0) return null
  return plain.map((texts) => ({
    holder: texts[0]?.holder ?? node,
    text: texts.map(({ text }) => text).join(' '),
    unseen: texts.length > 0 && texts.every(({ unseen }) => unseen),
  }))
}

function plainTexts(node: OutlineNode): TextItem[] | null {
  if (CELLS.test(node.role) && isSpecialCell(node)) return null
  const texts: TextItem[] = []
  for (const item of flat(node)) {
    if (item === null) continue
    if (!isText(item)) return null
    texts.push(item)
  }
  return texts
}

function attributes({ element }: OutlineNode): string {
  return element.getAttributeNames().join(' ')
}

function nodeLine(
  node: OutlineNode,
  texts: readonly TextItem[] | null,
  { options, textLimit }: DisplayOptions,
): string {
  const head = headOf(node, options, false)
  const value = shownValue(node)
  if (value !== null) return value ? `${head}: ${value}` : head
  if (!texts?.length || isNamedByContent(node.role)) return head
  const separator = node.role === 'row' ? ' | ' : ' '
  const text = shorten(
    texts
      .map(shownText)
      .join(separator)
      .replace(/[ |]+$/, ''),
    textLimit,
  )
  return text ? `${head}: ${text}` : head
}

function shownText({ text, unseen }: TextItem): string {
  return unseen && text ? `[sr-only] ${quote(text)}` : text
}

function runEntry(
  run: readonly TextItem[],
  place: { node: OutlineNode; parent: Entry | null; settings: DisplayOptions },
): Entry {
  const text = cleanText(run.map((item) => item.text).join(' '))
  const label = run[0]?.unseen ? 'text [sr-only]' : 'text'
  return textEntry(`${label}: ${shorten(text, place.settings.textLimit)}`, place)
}

function textEntry(
  line: string,
  { node, parent }: { node: OutlineNode; parent: Entry | null },
): Entry {
  return {
    element: node.element,
    parent,
    node: null,
    children: [],
    weight: 1,
    inView: node.inView,
    popup: parent?.popup ?? false,
    line: () => line,
  }
}

function omittedEntry(
  { count, first }: OmittedItem,
  { node, parent }: { node: OutlineNode; parent: Entry | null },
): Entry {
  return {
    element: first,
    parent,
    node: null,
    children: [],
    weight: count,
    inView: node.inView,
    popup: parent?.popup ?? false,
    line: () => omission(count, first),
  }
}

/** Says how much is left out and how to get it. */
export function omission(count: number, first: Element): string {
  return `… ${count} more [from=${refOf(first)}]`
}

function once(make: () => string): () => string {
  let made: string | null = null
  return () => (made ??= make())
}
