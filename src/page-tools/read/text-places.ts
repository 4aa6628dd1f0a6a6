import { childrenOf, isElement, isTag, viewOf } from '../dom.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { isExcluded } from '../outline/region.ts'
import { isSecretPart, MASKED, maskSelector } from '../privacy.ts'
import { once } from '../../lib/once.ts'
import { unseenReason } from '../sight/unseen.ts'
import { INLINE_TAGS } from './inline-tags.ts'

/** Position of a part of a text in the document. */
interface Segment {
  readonly node: Node
  /** Index in the text, and in the node. */
  readonly start: number
  readonly from: number
  readonly length: number
}

/** A text with its lines as on the screen, and the position of each character. */
export interface TextPlaces {
  readonly text: string
  readonly segments: readonly Segment[]
}

const UNREAD = /^(script|style|template|noscript|select|textarea|svg)$/
const CELLS = /^(td|th)$/
/** Whitespace that the screen shows as one space. */
const GAPS = /[ \t\r\n\f]{2,}|[\t\r\n\f]/g
const PRESERVES = /^(pre|break-spaces)/

/**
 * The text of an element that isn't a field. Masked parts are masked, unseen ones left out. Spaces and lines are those
 * on the screen.
 */
export function textPlaces(element: Element, options: PageOptions): TextPlaces {
  const writer = new Writer()
  const visit = (at: Element): void => {
    const isSeen = once(() => isEditable(at) || unseenReason(at) === null)
    for (const node of childrenOf(at)) {
      if (native.nodeType(node) === 3) {
        if (isSeen()) writer.addText(node, keepsSpaces(at))
      } else if (isElement(node)) enter(node)
    }
  }
  const enter = (one: Element): void => {
    const tag = native.localName(one)
    if (UNREAD.test(tag) || !native.checkVisibility(one) || isExcluded(one, options)) return
    if (tag === 'br') return writer.addBreak(isLastIn(one))
    const isBlock = !INLINE_TAGS.has(tag)
    if (isBlock) writer.edge(CELLS.test(tag) ? '\t' : '\n')
    if (native.matches(one, maskSelector(options)) || isSecretPart(one)) writer.add(MASKED)
    else visit(one)
    if (isBlock) writer.edge(CELLS.test(tag) ? '\t' : '\n')
  }
  visit(element)
  return writer
}

/** Whether it is in an editor, where unseen text stays, as in the value of a field. */
function isEditable(element: Element): boolean {
  return isElement(element) && native.isContentEditable(element)
}

function keepsSpaces(element: Element): boolean {
  return PRESERVES.test(viewOf(element).getComputedStyle(element).whiteSpace)
}

/** Whether the break ends a block, which it only gives a height. */
function isLastIn(lineBreak: Element): boolean {
  for (let at = native.nextSibling(lineBreak); at; at = native.nextSibling(at))
    if (isElement(at) || native.nodeValue(at)?.trim()) return false
  return true
}

class Writer implements TextPlaces {
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

  addText(node: Node, keeps: boolean): void {
    const raw = native.nodeValue(node) ?? ''
    if (keeps) return this.#addPart(node, raw, 0)
    let at = 0
    for (const { 0: gap, index } of raw.matchAll(GAPS)) {
      this.#addWords(node, raw.slice(at, index), at)
      this.#addWords(node, ' ', index)
      at = index + gap.length
    }
    this.#addWords(node, raw.slice(at), at)
  }

  /** Drops a space after another one, or at the beginning of a line. */
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
export function caretIn(
  { segments }: TextPlaces,
  at: number,
): { readonly node: Node; readonly offset: number } | null {
  const next = segments.find(({ start, length }) => at < start + length && at >= start)
  if (next) return { node: next.node, offset: next.from + at - next.start }
  const before = segments.findLast(({ start }) => start <= at)
  if (!before) return null
  return { node: before.node, offset: before.from + Math.min(before.length, at - before.start) }
}

/** Text of a field or another element, in which its characters are counted. */
export function longTextOf(element: Element, options: PageOptions): string {
  return isTag(element, 'input') || isTag(element, 'textarea')
    ? element.value
    : textPlaces(element, options).text
}
