import { asSent, typedIn } from '../as-sent.ts'
import { escapeMarks } from '../clean-text.ts'
import { isElement } from '../dom.ts'
import { estimateTokens } from '../../lib/estimate-tokens.ts'
import { withoutInvisible } from '../../lib/invisible.ts'
import * as native from '../native.ts'
import type { PageOptions } from '../options.ts'
import { isField, isMasked, MASKED } from '../privacy.ts'
import { isActionable } from '../outline/role.ts'
import { nodesOf, type OutlineNode } from '../outline/outline-node.ts'
import { unseenReason } from '../sight/unseen.ts'
import { headWithRef, textMark, VALUE_LIMIT } from './line.ts'
import { markOf } from './marked-text.ts'
import { standaloneNode } from './standalone-node.ts'
import { longTextOf } from './text-places.ts'

/** A longer text, in a part that holds nothing else, is read by its lines. */
const LONG_TEXT = 1500
/** How far before the limit a text may be cut, at the end of a word. */
const WORD = 200

/** `e3:6000`: a ref, and the character to read on from. */
export function readTextPlace(from: string): { readonly ref: string; readonly at: number } | null {
  const [, ref, at] = /^\s*\[?(?:from\s*=\s*)?(e\d+):(\d+)\]?\s*$/i.exec(from) ?? []
  return ref === undefined ? null : { ref, at: Number(at) }
}

/** Whether the part is a text to read by its lines: a field with several, code, or a long text. */
export function isLongText(node: OutlineNode, options: PageOptions): boolean {
  const { element } = node
  if (isMasked(element, options)) return false
  const inner = [...nodesOf(node)].slice(1)
  if (inner.some(({ role, clickable }) => clickable || isActionable(role))) return false
  const text = longTextOf(element, options)
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
  const text = longTextOf(element, options)
  const start = Math.min(at, text.length)
  const parts = partsOf(element, text, clean)
  const reason = isField(element) ? null : unseenReason(element)
  const mark = reason ? ` ${markOf(reason)}` : ''
  const shown = (end: number): string => {
    const range = `characters ${start} to ${end} of ${text.length}`
    const lines = render(parts, start, end).split('\n')
    const more =
      end < text.length ? `\n- … ${text.length - end} more ${textMark(element, end)}` : ''
    return `- ${head}${mark} (${range}):\n${lines.map((line) => `  | ${line}`).join('\n')}${more}`
  }
  return shown(endOf(text, start, (end) => estimateTokens(shown(end)) <= maxTokens))
}

/** The last character that fits, at the end of a word if there is one. */
function endOf(text: string, start: number, fits: (end: number) => boolean): number {
  if (fits(text.length)) return text.length
  let [low, high] = [start, text.length]
  while (low + 1 < high) {
    const middle = (low + high) >> 1
    if (fits(middle)) low = middle
    else high = middle
  }
  const end = Math.max(low, start + 1)
  const words = text.slice(Math.max(start + 1, end - WORD), end)
  const gap = Math.max(words.lastIndexOf('\n'), words.lastIndexOf(' '))
  if (gap >= 0) return end - words.length + gap + 1
  return /[\uD800-\uDBFF]$/.test(text.slice(start, end)) ? end + 1 : end
}

interface TextPart {
  readonly text: string
  readonly start: number
  readonly kind: 'page' | 'masked' | 'sent'
}

/** Splits a text into parts. Secrets are searched in the whole text: half of one wouldn't be found. */
function partsOf(
  element: Element,
  text: string,
  clean: (text: string) => string,
): readonly TextPart[] {
  const typed = typedIn(element)
  const at = typed ? text.lastIndexOf(typed) : -1
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
  if (at < 0) addPage(0, text.length)
  else {
    addPage(0, at)
    add(at, at + typed.length, 'sent')
    addPage(at + typed.length, text.length)
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
      return kind === 'sent' ? asSent(shown) : shown
    })
    .join('')
}

/** Words around a match. Null if there is none, or if it is among the first characters, which are shown anyway. */
export function excerptOf(text: string, wanted: string): { text: string; at: number } | null {
  const pattern = patternOf(wanted.trim())
  const found = pattern ? new RegExp(pattern, 'i').exec(text) : null
  if (!found || found.index + found[0].length <= VALUE_LIMIT) return null
  const at = Math.max(0, text.lastIndexOf(' ', found.index - AROUND) + 1, found.index - 2 * AROUND)
  return { text: text.slice(at, found.index + found[0].length + AROUND), at }
}

const AROUND = 60

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

/** Whether the range holds masked text. */
export function hasMasked(
  element: Element,
  text: string,
  { from, to, clean }: CleanRange,
): boolean {
  return maskedParts(element, text, clean).some((part) => part.from < to && part.to > from)
}

/** Whether the range takes only a part of masked text: the rest would no longer be recognized as secret. */
export function cutsMasked(
  element: Element,
  text: string,
  { from, to, clean }: CleanRange,
): boolean {
  return maskedParts(element, text, clean).some(
    (part) => part.from < to && part.to > from && !(from <= part.from && part.to <= to),
  )
}

/** The text in the range. A secret that it touches is masked whole. */
export function textInRange(
  element: Element,
  text: string,
  { from, to, clean }: CleanRange,
): string {
  return partsOf(element, text, clean)
    .map((part) => {
      const shown = part.text.slice(Math.max(0, from - part.start), Math.max(0, to - part.start))
      return shown && part.kind === 'masked' ? MASKED : shown
    })
    .join('')
}

function maskedParts(
  element: Element,
  text: string,
  clean: (text: string) => string,
): readonly { readonly from: number; readonly to: number }[] {
  return partsOf(element, text, clean)
    .filter(({ kind }) => kind === 'masked')
    .map((part) => ({ from: part.start, to: part.start + part.text.length }))
}
