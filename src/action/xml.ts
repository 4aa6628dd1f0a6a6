import { type CallProblem, malformedProblem } from './call-problem.ts'
import { admits, admitsText, type Shape } from './schema.ts'

/** An opening tag up to its `>`. */
export interface OpenTag {
  readonly attributes: ReadonlyMap<string, string>
  readonly selfClosing: boolean
  /** Position after the `>`. */
  readonly end: number
}

const attribute = /\s*([^\s=/>"'<]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?/y
const ending = /\s*(\/?)>/y

/** Reads the opening tag whose name ends at `at`; undefined when the tag is incomplete. */
export function readOpenTag(text: string, at: number): OpenTag | undefined {
  const attributes = new Map<string, string>()
  let position = at
  for (;;) {
    ending.lastIndex = position
    const end = ending.exec(text)
    if (end) return { attributes, selfClosing: end[1] === '/', end: ending.lastIndex }
    attribute.lastIndex = position
    const found = attribute.exec(text)
    if (!found) return undefined
    const value = found[2] ?? found[3] ?? found[4]?.replace(/\/$/, '') ?? ''
    attributes.set(found[1] ?? '', decodeEntities(value))
    position = attribute.lastIndex - (found[4]?.endsWith('/') ? 1 : 0)
  }
}

/** Position after the `>` of the closing tag whose name ends at `at`; undefined without a `>`. */
export function readCloseTag(text: string, at: number): number | undefined {
  ending.lastIndex = at
  const end = ending.exec(text)
  return end && end[1] === '' ? ending.lastIndex : undefined
}

const namedEntities: ReadonlyMap<string, string> = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

const cdataOpener = '<![CDATA['

/** R11: decodes the five predefined entities and legal numeric references once. Leaves everything else unchanged. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,4}));/g, decodeEntity)
}

function decodeEntity(entity: string, ...groups: (string | undefined)[]): string {
  const [decimal, hex, name] = groups
  if (name !== undefined) return namedEntities.get(name) ?? entity
  const code = decimal === undefined ? parseInt(hex ?? '', 16) : parseInt(decimal, 10)
  return isXmlCharacter(code) ? String.fromCodePoint(code) : entity
}

/** XML 1.0 production 2. */
function isXmlCharacter(code: number): boolean {
  if (code < 32) return code === 9 || code === 10 || code === 13
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0x10ffff && (code & 0xfffe) !== 0xfffe)
}

/** Returns the text of a raw XML value (R10): CDATA verbatim, text with markup verbatim, other text decoded. */
export function decodeXmlText(raw: string): string {
  const sections = readCdata(raw)
  if (sections !== undefined) return sections
  if (!raw.includes('<')) return trimLayout(decodeEntities(raw))
  return readMixed(raw) ?? trimLayout(raw)
}

/**
 * Reads CDATA sections mixed with text. Entities in the text show that the sections are markup. Keeps the sections
 * verbatim and decodes the text. Undefined for any other text.
 */
function readMixed(raw: string): string | undefined {
  const sections: string[] = []
  let masked = ''
  let at = 0
  for (let start = raw.indexOf('<'); start >= 0; start = raw.indexOf('<', at)) {
    const end = isCdataOpener(raw, start) ? endOfCdata(raw, start) : -1
    if (end < 0) return undefined
    sections.push(raw.slice(start + cdataOpener.length, end - 3))
    masked += `${raw.slice(at, start)}\0`
    at = end
  }
  masked += raw.slice(at)
  const text = decodeEntities(masked)
  const parts = trimLayout(text).split('\0')
  if (text === masked || parts.length !== sections.length + 1) return undefined
  return parts.map((part, index) => part + (sections[index] ?? '')).join('')
}

/** Returns the content of a value that is only CDATA and white space, otherwise undefined. */
export function readCdata(raw: string): string | undefined {
  const text = raw.trim()
  if (!isCdataOpener(text, 0) || !text.endsWith(']]>')) return undefined
  let content = ''
  let at = 0
  while (at < text.length) {
    if (!isCdataOpener(text, at)) return undefined
    const end = endOfCdata(text, at)
    content += text.slice(at + cdataOpener.length, end - 3)
    at = skipSpace(text, end)
  }
  return trimCdataLayout(content)
}

export function isCdataOpener(text: string, at: number): boolean {
  return (
    text.startsWith('<![', at) &&
    text.slice(at, at + cdataOpener.length).toUpperCase() === cdataOpener
  )
}

/**
 * Returns the end of the CDATA section that opens at `at`, `]]>` included; -1 if the section is never closed. R10: a
 * `]]>` is literal if another one precedes the next section or closing tag.
 */
export function endOfCdata(text: string, at: number): number {
  let end = text.indexOf(']]>', at + cdataOpener.length)
  if (end < 0) return -1
  const next = /\]\]>|<!\[cdata\[|<\/[A-Za-z_]/gi
  for (;;) {
    next.lastIndex = end + 3
    const found = next.exec(text)
    if (found?.[0] !== ']]>') return end + 3
    end = found.index
  }
}

function skipSpace(text: string, at: number): number {
  let next = at
  while (next < text.length && text.charCodeAt(next) <= 32) next++
  return next
}

/** Removes one line break after the opener and one before the closer, if both exist. */
function trimCdataLayout(content: string): string {
  const start = content.startsWith('\n') ? 1 : content.startsWith('\r\n') ? 2 : 0
  const end = content.length - (content.endsWith('\r\n') ? 2 : content.endsWith('\n') ? 1 : 0)
  return start > 0 && end < content.length && start <= end ? content.slice(start, end) : content
}

/**
 * R10: drops a blank first line and a blank last line. Trims a single line, unless its closer is on the next line: then
 * its indentation is content.
 */
export function trimLayout(text: string): string {
  const trimmed = text.trim()
  return text.endsWith('\n') || trimmed.includes('\n') ? dropOuterLines(text) : trimmed
}

/** Drops the outer line breaks of text whose tags are on separate lines. */
export function dropOuterLines(text: string): string {
  return text.replace(/^[ \t]*\r?\n/, '').replace(/\r?\n[ \t]*$/, '')
}

type TokenKind = 'open' | 'close' | 'cdata' | 'comment' | 'doctype' | 'instruction'

/** A piece of markup. `end` is the end of a CDATA section, or of a tag's name (attributes are read on demand). */
export interface Token {
  readonly kind: TokenKind
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Start of markup. A `<` before other characters is text. */
const markup =
  /<!\[cdata\[|<!--|<!doctype|<\?|<(\/?)([A-Za-z_\u0080-\uffff][\w.:\u0080-\uffff-]*)/gi

/** The markup of a block, tokenized once so that later queries only look up tokens. */
export class BlockTokens {
  readonly text: string
  readonly all: readonly Token[]
  readonly #closers = new Map<string, Token[]>()
  readonly #openers = new Map<string, number[]>()
  #commentEnd = { from: 0, at: -2 }

  constructor(text: string) {
    this.text = text
    this.all = tokenize(text)
    for (const token of this.all) {
      if (token.kind === 'close') push(this.#closers, token.name, token)
      else if (token.kind === 'open') push(this.#openers, token.name, token.start)
    }
  }

  /** Yields complete closing tags of `name` within a range, in order. */
  *closers(name: string, from: number, to: number): Generator<Slice> {
    const list = this.#closers.get(name) ?? []
    for (let index = lowerBound(list, from, (token) => token.start); index < list.length; index++) {
      const token = list[index]
      if (!token || token.start >= to) return
      const end = readCloseTag(this.text, token.end)
      if (end !== undefined && end <= to) yield { start: token.start, end }
    }
  }

  /** Counts opening tags of `name` within a range. */
  countOpeners(name: string, from: number, to: number): number {
    const list = this.#openers.get(name) ?? []
    return lowerBound(list, to, (start) => start) - lowerBound(list, from, (start) => start)
  }

  /** Returns the index in `all` of the first token at or after a position. */
  indexFrom(position: number): number {
    return lowerBound(this.all, position, (token) => token.start)
  }

  /**
   * Returns the end of the comment that opens at `start`; -1 if the comment is never closed. Amortised constant time.
   */
  endOfComment(start: number): number {
    const cached = this.#commentEnd
    if (cached.at === -1 && start >= cached.from) return -1
    if (cached.at < start + 4 || start < cached.from)
      this.#commentEnd = { from: start, at: this.text.indexOf('-->', start + 4) }
    const at = this.#commentEnd.at
    return at < 0 ? -1 : at + 3
  }
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  markup.lastIndex = 0
  for (let found = markup.exec(text); found; found = markup.exec(text)) {
    const token = toToken(found, text)
    tokens.push(token)
    markup.lastIndex = token.end
  }
  return tokens
}

function toToken(found: RegExpExecArray, text: string): Token {
  const { 0: opener, 1: slash, 2: name = '', index: start } = found
  const end = start + opener.length
  if (name !== '') return { kind: slash ? 'close' : 'open', name, start, end }
  if (opener === '<!--') return { kind: 'comment', name, start, end }
  if (opener === '<?') return { kind: 'instruction', name, start, end }
  if (opener[2] !== '[') return { kind: 'doctype', name, start, end }
  const after = endOfCdata(text, start)
  return { kind: 'cdata', name, start, end: after < 0 ? text.length : after }
}

export function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}

function lowerBound<T>(list: readonly T[], position: number, key: (entry: T) => number): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    const entry = list[middle]
    if (entry !== undefined && key(entry) < position) low = middle + 1
    else high = middle
  }
  return low
}

/** Content of an element, as a range of the block. */
export interface Slice {
  readonly start: number
  readonly end: number
}

/** A child element. */
export interface Child {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly slice: Slice
  /** Position after the closing tag. */
  readonly next: number
}

/** Context for finding an element's end. */
export interface Expected {
  readonly shape: Shape | undefined
  /** Names that may follow on the same level. */
  readonly siblings: ReadonlySet<string>
}

/** Finds the elements of a block and their ends. */
export class ElementFinder {
  readonly tokens: BlockTokens
  protected readonly text: string
  /** Names without a closer that satisfies R10. Each has the end of the searched range, which isn't searched again. */
  readonly #unfollowed = new Map<string, { to: number; siblings: ReadonlySet<string> }>()

  constructor(tokens: BlockTokens) {
    this.tokens = tokens
    this.text = tokens.text
  }

  /**
   * Returns the next element on this level; undefined at the end of the range. Skips white space, stray text, comments
   * and processing instructions (R7). Throws `malformed`.
   */
  nextOpen(from: number, to: number): Token | undefined {
    const { all } = this.tokens
    let index = this.tokens.indexFrom(from)
    for (;;) {
      const token = all[index]
      if (!token || token.start >= to) return undefined
      if (token.kind === 'open') return token
      if (token.kind === 'doctype') throw this.malformed('DOCTYPE is not allowed', token.start)
      if (token.kind === 'close')
        throw this.malformed(`</${token.name}> closes nothing that is open here`, token.start)
      if (token.kind !== 'comment') {
        index++
        continue
      }
      const end = this.tokens.endOfComment(token.start)
      if (end < 0 || end > to)
        throw this.malformed('a comment is never closed: expected -->', token.start)
      index = this.tokens.indexFrom(end)
    }
  }

  /** Returns the element that opens at `token`. Throws `malformed` if its tag is incomplete or never closed. */
  readElement(token: Token, to: number, findCloser: (tag: OpenTag) => Slice | undefined): Child {
    const { name } = token
    const tag = readOpenTag(this.text, token.end)
    if (!tag || tag.end > to) throw this.malformed(`the tag <${name} is not complete`, token.start)
    const { attributes, end: start } = tag
    const closer = tag.selfClosing ? { start, end: start } : findCloser(tag)
    if (!closer) throw this.malformed(`<${name}> is never closed: expected </${name}>`, token.start)
    return { name, attributes, slice: { start, end: closer.start }, next: closer.end }
  }

  /** Applies R10 to text. Lists and objects end at the matching closer, other values at the first closer. */
  #findCloser(name: string, range: Slice, expected: Expected): Slice | undefined {
    const { start: from, end: to } = range
    const { shape, siblings } = expected
    const [first] = this.tokens.closers(name, from, to)
    if (shape && !admitsText(shape) && !this.#isJson(from)) {
      const isContainer = admits(shape, 'array') || admits(shape, 'object')
      return (isContainer ? this.#matchingCloser(name, from, to) : undefined) ?? first
    }
    const unfollowed = this.#unfollowed.get(name)
    if (unfollowed?.to === to && unfollowed.siblings === siblings) return first
    for (const closer of this.tokens.closers(name, from, to)) {
      const next = this.peek(closer.end, to)
      // A generic name with a prefix isn't a known sibling. Elements of the same name may still follow it.
      const isNext = next?.kind === 'open' && (siblings.has(next.name) || next.name === name)
      if (!next || isNext) return closer
    }
    this.#unfollowed.set(name, { to, siblings })
    return first
  }

  #isJson(from: number): boolean {
    return /^\s*[{[]/.test(this.text.slice(from, from + 100))
  }

  #matchingCloser(name: string, from: number, to: number): Slice | undefined {
    let closed = 0
    let opened = 0
    let counted = from
    for (const closer of this.tokens.closers(name, from, to)) {
      opened += this.tokens.countOpeners(name, counted, closer.start)
      counted = closer.start
      if (closed === opened) return closer
      closed++
    }
    return undefined
  }

  /** Returns the next tag on this level, skipping stray text and comments; undefined at the end of the range. */
  peek(from: number, to: number): Token | undefined {
    const { all } = this.tokens
    let index = this.tokens.indexFrom(from)
    for (;;) {
      const token = all[index]
      if (!token || token.start >= to) return undefined
      const end = token.kind === 'comment' ? this.tokens.endOfComment(token.start) : -1
      if (end < 0 && token.kind !== 'instruction') return token
      index = end < 0 ? index + 1 : this.tokens.indexFrom(end)
    }
  }

  /** Returns the elements on one level of a range. */
  children(
    slice: Slice,
    expect: (name: string, attributes: Child['attributes']) => Expected,
  ): Child[] {
    const children: Child[] = []
    let position = slice.start
    for (;;) {
      const token = this.nextOpen(position, slice.end)
      if (!token) return children
      const { name } = token
      const child = this.readElement(token, slice.end, ({ attributes, end: start }) =>
        this.#findCloser(name, { start, end: slice.end }, expect(name, attributes)),
      )
      children.push(child)
      position = child.next
    }
  }

  malformed(message: string, offset: number): CallProblem {
    return malformedProblem(message, this.text, offset)
  }
}
