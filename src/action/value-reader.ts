import type { JsonValue } from '../protocol/json.ts'
import type { BlockTokens, Token } from './block-tokens.ts'
import { CallProblem, malformed, ValueProblem } from './call-problem.ts'
import { coerceEntries, coerceText, firstFit, maxDepth, within } from './coerce.ts'
import { describeMarkupError, readFreeValue } from './free-value.ts'
import { admits, admitsText, isUntyped, leaves, propertySchema } from './schema.ts'
import type { SchemaReader, Shape } from './schema.ts'
import { readCloseTag, readOpenTag } from './tags.ts'
import { makeTags, propertyOfTag } from './tool-index.ts'
import { isCdataOpener, readText } from './xml-text.ts'

/** The content of an element: a range of the block. */
export interface Slice {
  readonly start: number
  readonly end: number
}

/** An element among its siblings. */
export interface Child {
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly slice: Slice
  /** After its closing tag. */
  readonly next: number
}

/** What finding an element's end needs to know of it. */
export interface Expected {
  readonly shape: Shape | undefined
  /** Names that may come next on the same level. */
  readonly siblings: ReadonlySet<string>
}

/** Reads values out of a block's markup, guided by their schemas. */
export class ValueReader {
  readonly tokens: BlockTokens
  readonly #text: string
  /** Names of which no closer is followed as R10 wants, up to where: they aren't searched again. */
  readonly #unfollowed = new Map<string, { to: number; siblings: ReadonlySet<string> }>()

  constructor(tokens: BlockTokens) {
    this.tokens = tokens
    this.#text = tokens.text
  }

  /**
   * The next element on this level; undefined at the end of the range. White space, stray words,
   * comments and processing instructions are passed over (R7). Throws `malformed`.
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

  /** The element that opens at `token`. Throws `malformed` when its tag or its closer is missing. */
  readChild(
    token: Token,
    to: number,
    expect: (name: string, attributes: Child['attributes']) => Expected,
  ): Child {
    const { name } = token
    const tag = readOpenTag(this.#text, token.end)
    if (!tag || tag.end > to) throw this.malformed(`the tag <${name} is not complete`, token.start)
    const { attributes } = tag
    if (tag.selfClosing)
      return { name, attributes, slice: { start: tag.end, end: tag.end }, next: tag.end }
    const closer = this.#findCloser(name, tag.end, to, expect(name, attributes))
    if (!closer) throw this.malformed(`<${name}> is never closed: expected </${name}>`, token.start)
    return { name, attributes, slice: { start: tag.end, end: closer.start }, next: closer.end }
  }

  /** R10 for text, the matching closer for lists and objects, the first closer otherwise. */
  #findCloser(name: string, from: number, to: number, expected: Expected): Slice | undefined {
    const { shape, siblings } = expected
    if (shape && !admitsText(shape) && !this.#isJson(from)) {
      const nested = admits(shape, 'array') || admits(shape, 'object')
      return (
        (nested ? this.#matchingCloser(name, from, to) : undefined) ??
        this.#firstCloser(name, from, to)
      )
    }
    let first: Slice | undefined
    const known = this.#unfollowed.get(name)
    if (known?.to === to && known.siblings === siblings) return this.#firstCloser(name, from, to)
    for (const token of this.tokens.closers(name, from, to)) {
      const end = readCloseTag(this.#text, token.end)
      if (end === undefined || end > to) continue
      first ??= { start: token.start, end }
      const next = this.peek(end, to)
      if (!next || (next.kind === 'open' && siblings.has(next.name)))
        return { start: token.start, end }
    }
    this.#unfollowed.set(name, { to, siblings })
    return first
  }

  #isJson(from: number): boolean {
    return /^\s*[{[]/.test(this.#text.slice(from, from + 100))
  }

  #firstCloser(name: string, from: number, to: number): Slice | undefined {
    for (const token of this.tokens.closers(name, from, to)) {
      const end = readCloseTag(this.#text, token.end)
      if (end !== undefined && end <= to) return { start: token.start, end }
    }
    return undefined
  }

  #matchingCloser(name: string, from: number, to: number): Slice | undefined {
    let closed = 0
    let opened = 0
    let counted = from
    for (const token of this.tokens.closers(name, from, to)) {
      opened += this.tokens.countOpeners(name, counted, token.start)
      counted = token.start
      const end = readCloseTag(this.#text, token.end)
      if (end === undefined || end > to) continue
      if (closed === opened) return { start: token.start, end }
      closed++
    }
    return undefined
  }

  /** The next tag on this level, stray words and comments passed over; undefined at the range's end. */
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

  /** The value of an element, or of several elements of one name, as `shape` wants it. */
  readValue(
    slices: readonly Slice[],
    shape: Shape,
    schemas: SchemaReader,
    depth: number = 0,
  ): JsonValue {
    const [slice] = slices
    if (!slice) return null
    if (depth > maxDepth)
      throw this.malformed(`nested more than ${maxDepth} levels deep`, slice.start)
    if (isUntyped(shape) || shape.options) return this.#readUntypedOrOption(slices, shape, schemas)
    const lists = leaves(shape).filter((leaf) => leaf.types.includes('array'))
    if (lists.length > 0 && this.#isOnlyArray(shape))
      return this.#readArray(slices, shape, schemas, depth)
    if (lists.length > 0 && (slices.length > 1 || this.#hasItems(slice)))
      return firstFit(lists, shape, (list) => this.#readArray(slices, list, schemas, depth))
    const single = one(slices)
    if (shape.branches || shape.types.length > 1)
      return this.#readUnion(single, shape, schemas, depth)
    if (shape.types[0] === 'object') return this.#readObject(single, shape, schemas, depth)
    return coerceText(this.#textOf(single, shape), shape, schemas)
  }

  #isOnlyArray(shape: Shape): boolean {
    return !shape.branches && shape.types.every((type) => type === 'array')
  }

  #readUntypedOrOption(slices: readonly Slice[], shape: Shape, schemas: SchemaReader): JsonValue {
    if (shape.options) return coerceText(this.#textOf(one(slices), shape), shape, schemas)
    if (slices.length > 1) return slices.map((slice) => this.#readUntyped(slice))
    return this.#readUntyped(one(slices))
  }

  /** R14: text stays text; well-formed elements and nothing else are a list or an object. */
  #readUntyped(slice: Slice): JsonValue {
    const raw = this.#raw(slice)
    const trimmed = raw.trim()
    if (!trimmed.startsWith('<') || !trimmed.endsWith('>') || isCdataOpener(trimmed, 0))
      return readText(raw)
    this.#checkDepth(slice)
    if (describeMarkupError(raw) !== undefined) return readText(raw)
    return readFreeValue(raw)
  }

  #readUnion(slice: Slice, shape: Shape, schemas: SchemaReader, depth: number): JsonValue {
    const objects = leaves(shape).filter((leaf) => leaf.types.includes('object'))
    if (objects.length > 0 && this.#isMarkup(slice, shape)) {
      try {
        return firstFit(objects, shape, (leaf) => this.#readObject(slice, leaf, schemas, depth))
      } catch (thrown) {
        const mayBeText = thrown instanceof ValueProblem || thrown instanceof CallProblem
        if (!mayBeText || !admitsText(shape)) throw thrown
      }
    }
    return coerceText(this.#textOf(slice, shape), shape, schemas)
  }

  #readArray(
    slices: readonly Slice[],
    shape: Shape,
    schemas: SchemaReader,
    depth: number,
  ): JsonValue {
    const result: JsonValue[] = []
    for (const slice of slices) {
      const item = schemas.shape(shape.itemAt(result.length))
      if (slices.length > 1 && admits(item, 'string') && this.#raw(slice).trim() === '')
        result.push('')
      else result.push(...this.#readItems(slice, shape, item, schemas, depth))
    }
    return result
  }

  #readItems(
    slice: Slice,
    shape: Shape,
    item: Shape,
    schemas: SchemaReader,
    depth: number,
  ): readonly JsonValue[] {
    const first = this.#isMarkup(slice, item) ? this.nextOpen(slice.start, slice.end) : undefined
    if (!first) {
      const list = coerceText(this.#textOf(slice, shape), { ...shape, types: ['array'] }, schemas)
      return Array.isArray(list) ? (list as readonly JsonValue[]) : [list]
    }
    const isProperty = leaves(item).some((leaf) =>
      leaf.properties.has(propertyOfTag(leaf, first.name)),
    )
    if (isProperty && first.name !== 'item')
      return [this.readValue([slice], item, schemas, depth + 1)]
    const siblings = new Set([first.name])
    const children = this.children(slice, () => ({ shape: item, siblings }))
    const odd = children.find((child) => child.name !== first.name)
    if (odd) throw new ValueProblem(`expected only <${first.name}> elements, got <${odd.name}>`)
    return children.map((child, index) =>
      within(`item ${index + 1}`, () =>
        this.readValue([child.slice], schemas.shape(shape.itemAt(index)), schemas, depth + 1),
      ),
    )
  }

  #readObject(slice: Slice, shape: Shape, schemas: SchemaReader, depth: number): JsonValue {
    if (!this.#isMarkup(slice, shape))
      return coerceText(this.#textOf(slice, shape), { ...shape, types: ['object'] }, schemas)
    if (
      !shape.listsProperties &&
      shape.patterns.length === 0 &&
      isUntyped(schemas.shape(shape.additional))
    )
      return this.#readFreeObject(slice)
    const siblings = new Set([
      ...shape.properties.keys(),
      ...makeTags(shape.properties.keys()).values(),
    ])
    const children = this.children(slice, (name) => {
      const schema = propertySchema(shape, propertyOfTag(shape, name))
      return { shape: schema === undefined ? undefined : schemas.shape(schema), siblings }
    })
    const entries = groupBy(children, (child) => propertyOfTag(shape, child.name))
    return coerceEntries(entries, shape, (same, schema) =>
      this.readValue(same, schemas.shape(schema), schemas, depth + 1),
    )
  }

  #readFreeObject(slice: Slice): JsonValue {
    this.#checkDepth(slice)
    const raw = this.#raw(slice)
    const problem = describeMarkupError(raw)
    if (problem !== undefined)
      throw this.malformed(problem.replace(/ \(opened in .*?\)|\.$/g, ''), slice.start)
    const value = readFreeValue(raw)
    if (typeof value === 'object' && !Array.isArray(value)) return value
    throw new ValueProblem('expected an object, got a list')
  }

  /** The elements on one level of a range. */
  children(
    slice: Slice,
    expect: (name: string, attributes: Child['attributes']) => Expected,
  ): Child[] {
    const children: Child[] = []
    let position = slice.start
    for (;;) {
      const token = this.nextOpen(position, slice.end)
      if (!token) return children
      const child = this.readChild(token, slice.end, expect)
      children.push(child)
      position = child.next
    }
  }

  /** The content is elements, not text: it may only start with one where text is a reading too. */
  #isMarkup(slice: Slice, shape: Shape): boolean {
    const raw = this.#raw(slice).trimStart()
    if (raw.startsWith('<')) return !isCdataOpener(raw, 0)
    if (admitsText(shape) || raw.startsWith('{') || raw.startsWith('[')) return false
    return this.peek(slice.start, slice.end)?.kind === 'open'
  }

  #hasItems(slice: Slice): boolean {
    return (
      /^\s*<item[\s/>]/.test(this.#text.slice(slice.start, slice.start + 200)) &&
      slice.end > slice.start
    )
  }

  #checkDepth(slice: Slice): void {
    let depth = 0
    const { all } = this.tokens
    for (let index = this.tokens.indexFrom(slice.start); index < all.length; index++) {
      const token = all[index]
      if (!token || token.start >= slice.end) return
      if (token.kind === 'close') depth--
      else if (token.kind === 'open' && !readOpenTag(this.#text, token.end)?.selfClosing) depth++
      if (depth > maxDepth)
        throw this.malformed(`nested more than ${maxDepth} levels deep`, token.start)
    }
  }

  #textOf(slice: Slice, shape: Shape): string {
    const raw = this.#raw(slice)
    const hasComment = !admitsText(shape) && raw.length < 1000 && raw.includes('<!--')
    return readText(hasComment ? raw.replaceAll(/<!--.*?-->/gs, '') : raw)
  }

  #raw(slice: Slice): string {
    return this.#text.slice(slice.start, slice.end)
  }

  malformed(message: string, offset: number): CallProblem {
    return malformed(message, this.#text, offset)
  }
}

function one(slices: readonly Slice[]): Slice {
  const [slice] = slices
  if (!slice || slices.length > 1)
    throw new ValueProblem(`given ${slices.length} times, expected once`)
  return slice
}

export function groupBy(
  children: readonly Child[],
  name: (child: Child) => string,
): Map<string, Slice[]> {
  const groups = new Map<string, Slice[]>()
  for (const child of children) {
    const key = name(child)
    const group = groups.get(key)
    if (group) group.push(child.slice)
    else groups.set(key, [child.slice])
  }
  return groups
}
