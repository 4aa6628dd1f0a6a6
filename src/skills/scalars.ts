import { readBlock } from './block-text.ts'
import { Unreadable } from './diagnostic.ts'
import { isBlank, isEmpty, type Lines } from './lines.ts'
import { readQuoted } from './quoted.ts'

/**
 * Reads a text that begins with `first`, the rest of its line. Lines that are indented by more than `indent` belong to
 * it. Accepts unquoted colons, which YAML forbids but real files have.
 */
export function readScalar(first: string, lines: Lines, indent: number): string {
  if (/^[|>]/.test(first)) return readBlock(trimEnd(first), lines, indent)
  if (/^['"]/.test(first)) {
    const value = quotedLine(first)
    if (hasMore(lines, indent)) throw new Unreadable('something follows the closing quote')
    return value
  }
  let { text, isCommented } = plainLine(first)
  let breaks = 0
  while (lines.isWithin(indent)) {
    const line = lines.take()
    if (isBlank(line)) {
      breaks++
      continue
    }
    if (isEmpty(line)) {
      isCommented = true
      continue
    }
    if (isCommented) throw new Unreadable('a comment stands within the text')
    if (/^ *\t/.test(line)) throw new Unreadable('a line is indented by a tab')
    const content = line.replace(/^ +/, '')
    if (/^:(?=[ \t]|$)/.test(content)) throw new Unreadable('a line begins with a colon')
    const next = plainLine(content, { isFirst: false })
    text += (breaks > 0 ? '\n'.repeat(breaks) : ' ') + next.text
    isCommented = next.isCommented
    breaks = 0
  }
  return text
}

/** Reads a list item on one line. Refuses a colon before a space, which would begin a map. */
export function readItem(text: string, lines: Lines, indent: number): string {
  const isQuoted = /^['"]/.test(text)
  const value = isQuoted ? quotedLine(text) : plainLine(text).text
  if (!isQuoted) refuseMap(value)
  if (value === '' && !isQuoted) throw new Unreadable('an item is empty')
  if (hasMore(lines, indent)) throw new Unreadable('an item goes over several lines')
  return value
}

/** `[a, b]`, on one line. */
export function readFlowList(text: string): readonly string[] {
  const items: string[] = []
  let rest = text.slice(1).replace(/^[ \t]+/, '')
  while (!rest.startsWith(']')) {
    const isQuoted = /^['"]/.test(rest)
    const { value, rest: behind } = isQuoted ? readQuoted(rest) : plainItem(rest)
    items.push(value)
    const [mark = '', sign] = /^[ \t]*([,\]])[ \t]*/.exec(behind) ?? []
    if (sign === undefined) throw new Unreadable('the list in brackets does not end on its line')
    rest = sign === ']' ? behind.slice(behind.indexOf(']')) : behind.slice(mark.length)
  }
  refuseRest(rest.slice(1))
  return items
}

function plainItem(text: string): { readonly value: string; readonly rest: string } {
  const [item = ''] = /^[^,[\]{}]*/.exec(text) ?? []
  const { text: value, isCommented } = plainLine(item)
  refuseMap(value)
  if (value === '' || isCommented || /:$|^:/.test(value))
    throw new Unreadable('the list in brackets has no plain items')
  return { value, rest: text.slice(item.length) }
}

function quotedLine(text: string): string {
  const { value, rest } = readQuoted(text)
  refuseRest(rest)
  return value
}

function refuseRest(rest: string): void {
  if (!/^[ \t]*$|^[ \t]+#/.test(rest)) throw new Unreadable(`"${trimEnd(rest)}" is too much`)
}

/** Characters that begin something other than a text in YAML, or nothing valid. */
const SPECIAL = /^[[\]{},&*!%@`#|>]|^[-?:](?=[ \t]|$)/

function plainLine(
  text: string,
  { isFirst = true }: { readonly isFirst?: boolean } = {},
): { readonly text: string; readonly isCommented: boolean } {
  if (isFirst && SPECIAL.test(text))
    throw new Unreadable(`a text can't begin with ${text[0] ?? ''} unless it is in quotes`)
  const comment = text.search(/[ \t]#/)
  return {
    text: trimEnd(comment < 0 ? text : text.slice(0, comment)),
    isCommented: comment >= 0,
  }
}

function refuseMap(text: string): void {
  if (/:(?=[ \t]|$)/.test(text)) throw new Unreadable('an item is a map; put it in quotes')
}

function hasMore(lines: Lines, indent: number): boolean {
  lines.skipEmpty()
  return lines.next !== undefined && lines.isWithin(indent)
}

/** Avoids a regular expression, which takes quadratic time for spaces within the text. */
function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && ' \t'.includes(text[end - 1] ?? '')) end--
  return text.slice(0, end)
}
