import { markAsSent, escapeMarks, getTypedText, cleanText, shorten } from '../clean-text.ts'
import {
  childrenOf,
  isElement,
  isTag,
  viewOf,
  contains,
  focusedElement,
  getParent,
} from '../dom.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import { withoutInvisible } from '../../lib/invisible.ts'
import * as native from '../native.ts'
import type { PageOptions, ActOptions } from '../page.ts'
import { isField, isMasked, isSecretPart, MASKED, maskSelector } from '../secrets/secret-fields.ts'
import { isActionable } from '../outline/role.ts'
import { nodesOf, type OutlineNode } from '../outline/walk.ts'
import { unseenReason } from '../sight/unseen.ts'
import { headWithRef, standaloneNode, textMark, VALUE_LIMIT } from './line.ts'
import { INLINE_TAGS, markOf } from './readable-text.ts'
import { isExcluded, isReadable, rootOf } from '../outline/region.ts'
import { once } from '../../lib/once.ts'
import * as nativeDocument from '../native-document.ts'
import { livePage, scrubber } from '../outline/live-page.ts'

/** Position of a part of a text in the document. */
interface Segment {
  readonly node: Node
  /** Index in the text, and in the node. */
  readonly start: number
  readonly from: number
  readonly length: number
}

/** A text with its lines as on the screen, and the position of each character. */
interface TextPositions {
  readonly text: string
  readonly segments: readonly Segment[]
}

const UNREAD = /^(script|style|template|noscript|select|textarea|svg)$/
const CELLS = /^(td|th)$/
/** Whitespace that the screen shows as one space. */
const GAPS = /[ \t\r\n\f]{2,}|[\t\r\n\f]/g
const PRESERVES = /^(pre|break-spaces)/

/**
 * The text of an element that isn't a field. Masked parts are masked, and unseen parts left out. Spaces and lines are
 * as on the screen.
 */
export function getTextPositions(element: Element, options: PageOptions): TextPositions {
  const writer = new Writer()
  const visit = (container: Element): void => {
    const isVisible = once(() => isEditable(container) || unseenReason(container) === null)
    for (const node of childrenOf(container)) {
      if (native.nodeType(node) === 3) {
        if (isVisible()) writer.addText(node, keepsSpaces(container))
      } else if (isElement(node)) visitChild(node)
    }
  }
  const visitChild = (child: Element): void => {
    const tag = native.localName(child)
    if (UNREAD.test(tag) || !native.checkVisibility(child) || isExcluded(child, options)) return
    if (tag === 'br') return writer.addBreak(isLastInBlock(child))
    const isBlock = !INLINE_TAGS.has(tag)
    if (isBlock) writer.edge(CELLS.test(tag) ? '\t' : '\n')
    if (native.matches(child, maskSelector(options)) || isSecretPart(child)) writer.add(MASKED)
    else visit(child)
    if (isBlock) writer.edge(CELLS.test(tag) ? '\t' : '\n')
  }
  visit(element)
  return writer
}

/** Whether the element is in an editor. Unseen text in an editor is kept, as in the value of a field. */
function isEditable(element: Element): boolean {
  return isElement(element) && native.isContentEditable(element)
}

function keepsSpaces(element: Element): boolean {
  return PRESERVES.test(viewOf(element).getComputedStyle(element).whiteSpace)
}

/** Whether the line break is the last in its block, to which it only gives a height. */
function isLastInBlock(lineBreak: Element): boolean {
  for (let sibling = native.nextSibling(lineBreak); sibling; sibling = native.nextSibling(sibling))
    if (isElement(sibling) || native.nodeValue(sibling)?.trim()) return false
  return true
}

class Writer implements TextPositions {
  readonly segments: Segment[] = []
  text = ''
  /** Separator before the next words. */
  #edge = ''
  #endsInGap = false

  /** Call it where a block or a cell begins or ends. Between lines, cells don't count. */
  edge(kind: '\n' | '\t'): void {
    if (this.text && this.#edge !== '\n') this.#edge = kind
  }

  add(words: string): void {
    this.#pass()
    this.text += words
    this.#endsInGap = false
  }

  addBreak(isPlaceholder: boolean): void {
    this.#pass()
    if (isPlaceholder) return
    this.text += '\n'
    this.#endsInGap = true
  }

  addText(node: Node, keepsGaps: boolean): void {
    const raw = native.nodeValue(node) ?? ''
    if (keepsGaps) return this.#addPart(node, raw, 0)
    let at = 0
    for (const { 0: gap, index } of raw.matchAll(GAPS)) {
      this.#addWords(node, raw.slice(at, index), at)
      this.#addWords(node, ' ', index)
      at = index + gap.length
    }
    this.#addWords(node, raw.slice(at), at)
  }

  /** Drops a space after another space, or at the beginning of a line. */
  #addWords(node: Node, words: string, from: number): void {
    const isGap = words.startsWith(' ') && (!this.text || this.#edge !== '' || this.#endsInGap)
    this.#addPart(node, isGap ? words.slice(1) : words, isGap ? from + 1 : from)
  }

  #addPart(node: Node, words: string, from: number): void {
    if (words === '') return
    this.#pass()
    this.segments.push({ node, start: this.text.length, from, length: words.length })
    this.text += words
    this.#endsInGap = /\s$/.test(words.slice(-1))
  }

  #pass(): void {
    this.text += this.#edge
    this.#edge = ''
  }
}

/** Position of the caret before the character with this number. Null in an empty text. */
export function findCaret(
  { segments }: TextPositions,
  at: number,
): { readonly node: Node; readonly offset: number } | null {
  const next = segments.find(({ start, length }) => at < start + length && at >= start)
  if (next) return { node: next.node, offset: next.from + at - next.start }
  const before = segments.findLast(({ start }) => start <= at)
  if (!before) return null
  return { node: before.node, offset: before.from + Math.min(before.length, at - before.start) }
}

/** Text of a field or another element, in which its characters are counted. */
export function getLongText(element: Element, options: PageOptions): string {
  return isTag(element, 'input') || isTag(element, 'textarea')
    ? element.value
    : getTextPositions(element, options).text
}

/** Length above which a text is read by its lines. Characters. */
const LONG_TEXT = 1500
/** How far before the limit a text may be cut, at the end of a word. */
const MAX_WORD_CUT = 200

/** `e3:6000`: a ref, and the character to read on from. */
export function readTextPlace(from: string): { readonly ref: string; readonly at: number } | null {
  const [, ref, at] = /^\s*\[?(?:from\s*=\s*)?(e\d+):(\d+)\]?\s*$/i.exec(from) ?? []
  return ref === undefined ? null : { ref, at: Number(at) }
}

/** Whether the part is a text to read by its lines: a field with several lines, code, or a long text. */
export function isLongText(node: OutlineNode, options: PageOptions): boolean {
  const { element } = node
  if (isMasked(element, options)) return false
  const inner = [...nodesOf(node)].slice(1)
  if (inner.some(({ role, clickable }) => clickable || isActionable(role))) return false
  const text = getLongText(element, options)
  if (isField(element)) return text.length > VALUE_LIMIT || text.includes('\n')
  if (inner.some(({ role }) => role !== '')) return false
  return text.length > LONG_TEXT || (keepsLines(element) && text.includes('\n'))
}

function keepsLines(element: Element): boolean {
  return isElement(element) && native.closest(element, 'pre,code') !== null
}

/** The lines of a text from a character on, as many as fit. `clean` removes secrets. */
export function longTextLines(
  element: Element,
  at: number,
  {
    options,
    maxTokens,
    clean,
  }: {
    readonly options: PageOptions
    readonly maxTokens: number
    readonly clean: (text: string) => string
  },
): string {
  const head = headWithRef(standaloneNode(element, options), options)
  if (isMasked(element, options)) return `- ${head}: ${MASKED}`
  const text = getLongText(element, options)
  const start = Math.min(at, text.length)
  const parts = splitParts(element, text, clean)
  const reason = isField(element) ? null : unseenReason(element)
  const mark = reason ? ` ${markOf(reason)}` : ''
  const renderRange = (end: number): string => {
    const range = `characters ${start} to ${end} of ${text.length}`
    const lines = render(parts, start, end).split('\n')
    const moreNote =
      end < text.length ? `\n- … ${text.length - end} more ${textMark(element, end)}` : ''
    return `- ${head}${mark} (${range}):\n${lines.map((line) => `  | ${line}`).join('\n')}${moreNote}`
  }
  return renderRange(findEnd(text, start, (end) => estimateTokens(renderRange(end)) <= maxTokens))
}

/** The last character that fits, at the end of a word if there is one. */
function findEnd(text: string, start: number, fits: (end: number) => boolean): number {
  if (fits(text.length)) return text.length
  let [low, high] = [start, text.length]
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  const end = Math.max(low, start + 1)
  const words = text.slice(Math.max(start + 1, end - MAX_WORD_CUT), end)
  const gap = Math.max(words.lastIndexOf('\n'), words.lastIndexOf(' '))
  if (gap >= 0) return end - words.length + gap + 1
  return /[\uD800-\uDBFF]$/.test(text.slice(start, end)) ? end + 1 : end
}

interface TextPart {
  readonly text: string
  readonly start: number
  readonly kind: 'page' | 'masked' | 'sent'
}

/** Splits a text into parts. Secrets are searched in the whole text, because half of a secret wouldn't be found. */
function splitParts(
  element: Element,
  text: string,
  clean: (text: string) => string,
): readonly TextPart[] {
  const typed = getTypedText(element)
  const typedStart = typed ? text.lastIndexOf(typed) : -1
  const parts: TextPart[] = []
  const add = (start: number, end: number, kind: TextPart['kind']): void => {
    if (end > start) parts.push({ text: text.slice(start, end), start, kind })
  }
  const addPage = (start: number, end: number): void => {
    let from = start
    const pieces = clean(text.slice(start, end)).split(MASKED)
    for (const [index, piece] of pieces.entries()) {
      const found = index === pieces.length - 1 ? end - piece.length : text.indexOf(piece, from)
      const to = found < from || found > end ? end : found
      if (index > 0) add(from, to, 'masked')
      add(to, Math.min(end, to + piece.length), 'page')
      from = Math.min(end, to + piece.length)
    }
    add(from, end, 'masked')
  }
  if (typedStart < 0) addPage(0, text.length)
  else {
    addPage(0, typedStart)
    add(typedStart, typedStart + typed.length, 'sent')
    addPage(typedStart + typed.length, text.length)
  }
  return parts
}

function render(parts: readonly TextPart[], from: number, to: number): string {
  return parts
    .map(({ text, start, kind }) => {
      const [begin, end] = [Math.max(0, from - start), Math.min(text.length, to - start)]
      if (begin >= end) return ''
      if (kind === 'masked') return MASKED
      const shown = escapeMarks(withoutInvisible(text.slice(begin, end)))
      return kind === 'sent' ? markAsSent(shown) : shown
    })
    .join('')
}

/** Words around a match. Null if there is none, or if it is among the first characters, which are shown anyway. */
export function findExcerpt(text: string, passage: string): { text: string; at: number } | null {
  const pattern = patternOf(passage.trim())
  const found = pattern ? new RegExp(pattern, 'i').exec(text) : null
  if (!found || found.index + found[0].length <= VALUE_LIMIT) return null
  const at = Math.max(
    0,
    text.lastIndexOf(' ', found.index - CONTEXT_LENGTH) + 1,
    found.index - 2 * CONTEXT_LENGTH,
  )
  return { text: text.slice(at, found.index + found[0].length + CONTEXT_LENGTH), at }
}

const CONTEXT_LENGTH = 60

/** Pattern of a passage, with any spaces and line breaks between its words. */
export function patternOf(passage: string): string {
  return passage
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('\\s+')
}

/** Range of characters in a text. `clean` removes secrets. */
interface CleanRange {
  readonly from: number
  readonly to: number
  readonly clean: (text: string) => string
}

/** Masked parts of the text that the range touches. */
export function maskedParts(
  element: Element,
  text: string,
  { from, to, clean }: CleanRange,
): readonly { readonly from: number; readonly to: number }[] {
  return splitParts(element, text, clean)
    .filter(({ kind }) => kind === 'masked')
    .map((part) => ({ from: part.start, to: part.start + part.text.length }))
    .filter((part) => part.from < to && part.to > from)
}

/** The text in the range. A secret that it touches is masked whole. */
export function textInRange(
  element: Element,
  text: string,
  { from, to, clean }: CleanRange,
): string {
  return splitParts(element, text, clean)
    .map((part) => {
      const shown = part.text.slice(Math.max(0, from - part.start), Math.max(0, to - part.start))
      return shown && part.kind === 'masked' ? MASKED : shown
    })
    .join('')
}

const LIMIT = 4000

export function readSelection(options: ActOptions = {}): string {
  const live = livePage(options.page)
  const root = rootOf(live.options)
  const field = focusedElement(native.ownerDocument(root))
  const context = { options: live.options, clean: scrubber(live) }
  const text =
    (field && selectionInField(field, context)) ??
    selectionInPage(native.ownerDocument(root), context)
  return context.clean(shorten(cleanText(text), LIMIT))
}

interface SelectionContext {
  readonly options: PageOptions
  /** Removes secrets. */
  readonly clean: (text: string) => string
}

/** Returns null if the focus isn't in a field with a selection. */
function selectionInField(field: Element, { options, clean }: SelectionContext): string | null {
  const { selectionStart, selectionEnd, value } = field as Partial<HTMLInputElement>
  if (typeof selectionStart !== 'number' || typeof selectionEnd !== 'number') return null
  if (selectionStart === selectionEnd || !isReadable(field, options)) return null
  if (isMasked(field, options)) return MASKED
  return textInRange(field, value ?? '', { from: selectionStart, to: selectionEnd, clean })
}

function selectionInPage(document: Document, { options, clean }: SelectionContext): string {
  const selection = viewOf(document).getSelection()
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return ''
  const range = selection.getRangeAt(0)
  const container = isElement(range.commonAncestorContainer)
    ? range.commonAncestorContainer
    : getParent(range.commonAncestorContainer)
  if (!container) return ''
  return getSelectedTexts(range, container)
    .map(({ all, from, to, parent }) => {
      if (!isReportable(parent, options)) return ''
      if (isMasked(parent, options)) return MASKED
      const isWhole = from === 0 && to === all.length
      return isWhole ? all : textInRange(parent, all, { from, to, clean })
    })
    .join(' ')
}

/**
 * Whether selected text is reported. Leaves out unseen text, which a person selected unknowingly with the text around
 * it.
 */
function isReportable(parent: Element, options: PageOptions): boolean {
  return isReadable(parent, options) && unseenReason(parent) === null
}

interface SelectedText {
  /** The whole text, of which a part is selected. */
  readonly all: string
  readonly from: number
  readonly to: number
  readonly parent: Element
}

function getSelectedTexts(range: Range, container: Element): readonly SelectedText[] {
  const walker = nativeDocument.createTreeWalker(
    native.ownerDocument(container),
    container,
    NodeFilter.SHOW_TEXT,
  )
  const texts: SelectedText[] = []
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = getParent(node)
    if (!parent || !range.intersectsNode(node) || !contains(container, node)) continue
    const all = native.nodeValue(node) ?? ''
    const from = node === range.startContainer ? range.startOffset : 0
    const to = node === range.endContainer ? range.endOffset : all.length
    if (all.slice(from, to).trim() && native.checkVisibility(parent))
      texts.push({ all, from, to, parent })
  }
  return texts
}
