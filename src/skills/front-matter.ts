export type FrontValue = string | readonly string[] | { readonly [key: string]: string }

export interface FrontMatter {
  readonly values: ReadonlyMap<string, FrontValue>
  /** Line of each field in the file, from 1. */
  readonly lines: ReadonlyMap<string, number>
  /** Text after the front matter; the whole text if there is none. */
  readonly body: string
  /** Problems for which fields were left out. */
  readonly diagnostics: readonly SkillDiagnostic[]
}

const FENCE = /^---[ \t]*$/
const KEY = /^([A-Za-z\d_][\w./-]*)[ \t]*:(?:[ \t]+|$)/
const ITEM = /^-(?:[ \t]+|$)/

/**
 * Reads the front matter of a SKILL.md (https://agentskills.io/specification): the part of YAML 1.2 that such files
 * use. Supports plain, quoted and block texts (`|` and `>`), lists of texts, and maps of texts. Other kinds of fields
 * are left out and reported in `diagnostics`. All values are texts: `true` and `1.0` stay as written.
 */
export function readFrontMatter(text: string): FrontMatter {
  const allLines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/)
  const end = FENCE.test(allLines[0] ?? '')
    ? allLines.findIndex((line, at) => at > 0 && FENCE.test(line))
    : -1
  if (end < 0) {
    const message = 'A front matter must stand at the beginning, between two lines of ---.'
    return {
      values: new Map(),
      lines: new Map(),
      body: allLines.join('\n'),
      diagnostics: [{ line: 1, message }],
    }
  }
  const diagnostics: SkillDiagnostic[] = []
  const fields = readFields(new Lines(allLines.slice(1, end)), diagnostics)
  return { ...fields, body: allLines.slice(end + 1).join('\n'), diagnostics }
}

function readFields(
  lines: Lines,
  diagnostics: SkillDiagnostic[],
): Pick<FrontMatter, 'values' | 'lines'> {
  const values = new Map<string, FrontValue>()
  const lineNumbers = new Map<string, number>()
  for (lines.skipEmpty(); lines.next !== undefined; lines.skipEmpty()) {
    // The file's lines count from 1, and line 1 is the opening `---`.
    const line = lines.at + 2
    const text = lines.shift()
    const [start, key = ''] = KEY.exec(text) ?? []
    try {
      if (start === undefined) throw new Unreadable('this is no field like name: value')
      if (values.has(key)) throw new Unreadable('it is there twice')
      values.set(key, readValue(text.slice(start.length), lines))
      lineNumbers.set(key, line)
    } catch (thrown) {
      if (!(thrown instanceof Unreadable)) throw thrown
      const subject = key === '' ? 'A line' : `The field ${key}`
      diagnostics.push({ line, message: `${subject} was left out: ${thrown.message}.` })
      lines.skipWithin(0)
    }
  }
  return { values, lines: lineNumbers }
}

function readValue(inlineText: string, lines: Lines): FrontValue {
  if (inlineText.startsWith('[')) {
    const list = readFlowList(inlineText)
    refuseNested(lines)
    return list
  }
  if (!isEmpty(inlineText)) return readScalar(inlineText, lines, 0)
  lines.skipEmpty()
  const { next } = lines
  if (next === undefined) return ''
  const indent = indentOf(next)
  const content = next.slice(indent)
  if (content.startsWith('\t')) throw new Unreadable('a line is indented by a tab')
  if (ITEM.test(content)) return readList(lines, indent)
  if (indent === 0) return ''
  if (KEY.test(content)) return readMap(lines, indent)
  if (/:(?=[ \t]|$)/.test(content) || /^[|>]/.test(content))
    throw new Unreadable('its value is no list, no map and no text')
  lines.shift()
  return readScalar(content, lines, 0)
}

function readList(lines: Lines, indent: number): readonly string[] {
  const items: string[] = []
  for (lines.skipEmpty(); lines.next !== undefined; lines.skipEmpty()) {
    const lineIndent = indentOf(lines.next)
    const content = lines.next.slice(lineIndent)
    const [start] = ITEM.exec(content) ?? []
    if (lineIndent < indent || (lineIndent === 0 && start === undefined)) break
    if (lineIndent > indent || start === undefined)
      throw new Unreadable('its items differ in indent')
    lines.shift()
    items.push(readItem(content.slice(start.length), lines, indent))
  }
  if (indent > 0) refuseNested(lines)
  return items
}

function readMap(lines: Lines, indent: number): { readonly [key: string]: string } {
  const entries = new Map<string, string>()
  for (lines.skipEmpty(); lines.next !== undefined; lines.skipEmpty()) {
    const lineIndent = indentOf(lines.next)
    if (lineIndent === 0) break
    const content = lines.shift().slice(lineIndent)
    const [start, key = ''] = KEY.exec(content) ?? []
    if (lineIndent !== indent || start === undefined)
      throw new Unreadable('its fields differ in indent')
    if (entries.has(key)) throw new Unreadable(`its field ${key} is there twice`)
    const inlineText = content.slice(start.length)
    if (isEmpty(inlineText) && hasNested(lines, indent))
      throw new Unreadable(`its field ${key} is no text`)
    entries.set(key, isEmpty(inlineText) ? '' : readScalar(inlineText, lines, indent))
  }
  return Object.fromEntries(entries)
}

function hasNested(lines: Lines, indent: number): boolean {
  lines.skipEmpty()
  return lines.next !== undefined && (lines.isWithin(indent) || ITEM.test(lines.next.trimStart()))
}

function refuseNested(lines: Lines): void {
  lines.skipEmpty()
  if (lines.isWithin(0)) throw new Unreadable('something is indented under it')
}

/**
 * Reads a text that begins with `inlineText`, the end of the field's line. Lines indented by more than `indent`
 * continue it. Accepts unquoted colons, which YAML forbids but real files contain.
 */
function readScalar(inlineText: string, lines: Lines, indent: number): string {
  if (/^[|>]/.test(inlineText)) return readBlock(trimEnd(inlineText), lines, indent)
  if (/^['"]/.test(inlineText)) {
    const value = quotedLine(inlineText)
    if (hasMore(lines, indent)) throw new Unreadable('something follows the closing quote')
    return value
  }
  let { text, isCommented } = plainLine(inlineText)
  let breaks = 0
  while (lines.isWithin(indent)) {
    const line = lines.shift()
    if (isBlank(line)) {
      breaks++
      continue
    }
    if (isEmpty(line)) {
      isCommented = true
      continue
    }
    if (isCommented) throw new Unreadable('a comment is within the text')
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
function readItem(text: string, lines: Lines, indent: number): string {
  const isQuoted = /^['"]/.test(text)
  const value = isQuoted ? quotedLine(text) : plainLine(text).text
  if (!isQuoted) refuseMap(value)
  if (value === '' && !isQuoted) throw new Unreadable('an item is empty')
  if (hasMore(lines, indent)) throw new Unreadable('an item goes over several lines')
  return value
}

/** Reads a list on one line: `[a, b]`. */
function readFlowList(text: string): readonly string[] {
  const items: string[] = []
  let rest = text.slice(1).replace(/^[ \t]+/, '')
  while (!rest.startsWith(']')) {
    const isQuoted = /^['"]/.test(rest)
    const { value, rest: after } = isQuoted ? readQuoted(rest) : plainItem(rest)
    items.push(value)
    const [separator = '', sign] = /^[ \t]*([,\]])[ \t]*/.exec(after) ?? []
    if (sign === undefined) throw new Unreadable('the list in brackets does not end on its line')
    rest = sign === ']' ? after.slice(after.indexOf(']')) : after.slice(separator.length)
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

/** Matches the beginning of anything that isn't a plain text in YAML. */
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

/** Characters after a backslash. `CHARACTERS` has their meanings, in the same order. */
const ESCAPES = '0abt\tnvfre "/\\N_LP'
const CHARACTERS = '\0\x07\b\t\t\n\v\f\r\x1b "/\\\x85\xa0\u2028\u2029'

interface Quoted {
  readonly value: string
  /** Text after the closing quote. */
  readonly rest: string
}

/** Reads a quoted string at the beginning of a text, on one line (YAML 1.2.2, 7.3.1 and 7.3.2). */
function readQuoted(text: string): Quoted {
  return text.startsWith("'") ? readSingle(text) : readDouble(text)
}

function readSingle(text: string): Quoted {
  const [quoted = '', inner = ''] = /^'((?:[^']|'')*)'/.exec(text) ?? []
  if (quoted === '') throw unclosedQuote()
  return { value: inner.replaceAll("''", "'"), rest: text.slice(quoted.length) }
}

function readDouble(text: string): Quoted {
  const [quoted = '', inner = ''] = /^"((?:[^"\\]|\\.)*)"/.exec(text) ?? []
  if (quoted === '') throw unclosedQuote()
  const value = inner.replaceAll(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|(.))/gi,
    (escape: string, ...groups: (string | undefined)[]) => unescape(escape, groups),
  )
  return { value, rest: text.slice(quoted.length) }
}

function unescape(escape: string, [x, u, U, character]: readonly (string | undefined)[]): string {
  const digits = x ?? u ?? U
  if (digits === undefined) {
    const unescaped = character && CHARACTERS[ESCAPES.indexOf(character)]
    if (unescaped === undefined) throw new Unreadable(`${escape} is an unknown escape`)
    return unescaped
  }
  const hasMatchingLetter = escape[1] === (x ? 'x' : u ? 'u' : 'U')
  const code = Number.parseInt(digits, 16)
  if (!hasMatchingLetter || code > 0x10_ffff) throw new Unreadable(`${escape} is no character`)
  return String.fromCodePoint(code)
}

function unclosedQuote(): Unreadable {
  return new Unreadable('the quote is not closed on its line; write long texts with > or |')
}

const HEADER = /^([|>])(?:([+-]?)([1-9]?)|([1-9])([+-]))(?:[ \t]+#.*)?$/

/** Reads a block of text after `|` or `>` (YAML 1.2.2, 8.1). Its lines are indented by more than `indent`. */
function readBlock(header: string, lines: Lines, indent: number): string {
  const match = HEADER.exec(header)
  if (!match) throw new Unreadable(`${header} begins no block of text`)
  const [, style, sign = '', digit = '', digitFirst = '', signLast = ''] = match
  const blockLines: string[] = []
  while (lines.isWithin(indent)) blockLines.push(lines.shift())
  const indentIndicator = Number(digit || digitFirst)
  const texts = unindent(blockLines, indentIndicator > 0 ? indent + indentIndicator : undefined)
  const end = texts.findLastIndex((text) => text !== '') + 1
  const content = style === '|' ? texts.slice(0, end).join('\n') : foldLines(texts.slice(0, end))
  return (
    content + trailingBreaks(sign || signLast, { isEmpty: end === 0, blank: texts.length - end })
  )
}

function unindent(lines: readonly string[], explicitIndent: number | undefined): string[] {
  if (lines.some((line) => isBlank(line) && line.includes('\t')))
    throw new Unreadable('a blank line of the block has tabs in it')
  const first = lines.findIndex((line) => !isBlank(line))
  // Blank lines count only as line breaks; spaces in them are ignored.
  if (first < 0) return lines.map(() => '')
  const width = explicitIndent ?? indentOf(lines[first] ?? '')
  return lines.map((line, at) => {
    const isTooFar =
      isBlank(line) && line.length > width && (at < first || explicitIndent !== undefined)
    if (isTooFar || (!isBlank(line) && indentOf(line) < width))
      throw new Unreadable('the lines of the block are not indented alike')
    return line.slice(Math.min(width, line.length))
  })
}

/** Joins lines with spaces. Line breaks stay where lines are empty or indented further. */
function foldLines(lines: readonly string[]): string {
  let text = ''
  let breaks = 0
  let previousLine: string | undefined
  for (const line of lines) {
    if (line === '') {
      breaks++
      continue
    }
    const extraBreaks =
      previousLine === undefined ? 0 : isIndented(line) || isIndented(previousLine) ? 1 : -1
    text += extraBreaks < 0 && breaks === 0 ? ' ' : '\n'.repeat(breaks + Math.max(0, extraBreaks))
    text += line
    previousLine = line
    breaks = 0
  }
  return text
}

function isIndented(line: string): boolean {
  return /^[ \t]/.test(line)
}

function trailingBreaks(
  sign: string,
  { isEmpty, blank }: { readonly isEmpty: boolean; readonly blank: number },
): string {
  if (sign === '-') return ''
  if (sign === '+') return '\n'.repeat(isEmpty ? blank : blank + 1)
  return isEmpty ? '' : '\n'
}

/** The lines of a front matter, read one after the other. */
class Lines {
  readonly #lines: readonly string[]
  #at = 0

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  /** Index of the next line, from 0. */
  get at(): number {
    return this.#at
  }

  /** The next line; undefined at the end. */
  get next(): string | undefined {
    return this.#lines[this.#at]
  }

  shift(): string {
    return this.#lines[this.#at++] ?? ''
  }

  skipEmpty(): void {
    while (this.next !== undefined && isEmpty(this.next)) this.#at++
  }

  /** Whether the next line is blank or indented by more than `indent`. */
  isWithin(indent: number): boolean {
    return this.next !== undefined && (isBlank(this.next) || indentOf(this.next) > indent)
  }

  skipWithin(indent: number): void {
    while (this.isWithin(indent)) this.#at++
  }
}

/** Number of leading spaces. Tabs don't count as indentation. */
function indentOf(line: string): number {
  return line.search(/[^ ]|$/)
}

function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line)
}

/** Whether the line is blank or has only a comment. */
function isEmpty(line: string): boolean {
  return /^[ \t]*(#.*)?$/.test(line)
}

/** A problem in a SKILL.md, such as a field that was left out. */
export interface SkillDiagnostic {
  /** Line in the file, from 1. */
  readonly line: number
  readonly message: string
}

/** Thrown while reading a field, which is then left out. */
class Unreadable {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}
