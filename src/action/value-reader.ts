import { XMLValidator } from 'fast-xml-parser'
import type { JsonValue } from '../protocol/json.ts'
import { type Child, ElementFinder, type Slice } from './element-finder.ts'
import { CallProblem, ValueProblem } from './call-problem.ts'
import { coerceEntries, coerceText, firstFit, maxDepth, setOwn, within } from './coerce.ts'
import { admits, admitsText, isUntyped, leaves, propertySchema, type Shape } from './schema.ts'
import { readCloseTag, readOpenTag } from './xml-tags.ts'
import { makeTags, propertyOfTag } from './tool-index.ts'
import { decodeEntities, isCdataOpener, readCdata, readText, trimLayout } from './xml-text.ts'

/** Comments before and after a value. Inside a value they are content, like JSON's strings and CDATA. */
const outerComments = /^(?:\s*<!--(?:(?!-->)[^])*-->)+|(?:<!--(?:(?!-->|<!--|\]\]>)[^])*-->\s*)+$/g

/** Reads values from a block's markup, guided by their schemas. */
export class ValueReader extends ElementFinder {
  /** Reads the value of an element, or of several elements with one name, according to `shape`. */
  readValue(slices: readonly Slice[], shape: Shape, depth: number = 0): JsonValue {
    const [slice] = slices
    if (!slice) return null
    if (depth > maxDepth)
      throw this.malformed(`nested more than ${maxDepth} levels deep`, slice.start)
    if (isUntyped(shape) || shape.options) return this.#readUntypedOrOption(slices, shape)
    const lists = leaves(shape).filter((leaf) => leaf.types.includes('array'))
    if (lists.length > 0 && this.#isOnlyArray(shape)) return this.#readArray(slices, shape, depth)
    if (lists.length > 0 && (slices.length > 1 || this.#hasItems(slice)))
      return firstFit(lists, shape, (list) => this.#readArray(slices, list, depth))
    const single = one(slices)
    if (shape.branches || shape.types.length > 1) return this.#readUnion(single, shape, depth)
    if (shape.types[0] === 'object') return this.#readObject(single, shape, depth)
    return coerceText(this.#textOf(single, shape), shape)
  }

  #isOnlyArray(shape: Shape): boolean {
    return !shape.branches && shape.types.every((type) => type === 'array')
  }

  #readUntypedOrOption(slices: readonly Slice[], shape: Shape): JsonValue {
    if (shape.options) return coerceText(this.#textOf(one(slices), shape), shape)
    if (slices.length > 1) return slices.map((slice) => this.#readUntyped(slice))
    return this.#readUntyped(one(slices))
  }

  /** R14: text stays text. Only well-formed elements without text are a list or an object. */
  #readUntyped(slice: Slice): JsonValue {
    const raw = this.#raw(slice)
    const trimmed = raw.trim()
    if (!trimmed.startsWith('<') || !trimmed.endsWith('>') || isCdataOpener(trimmed, 0))
      return readText(raw)
    this.#checkDepth(slice)
    if (describeMarkupError(raw) !== undefined) return readText(raw)
    return readUntypedValue(raw)
  }

  #readUnion(slice: Slice, shape: Shape, depth: number): JsonValue {
    const objects = leaves(shape).filter((leaf) => leaf.types.includes('object'))
    if (objects.length > 0 && this.#isMarkup(slice, shape)) {
      try {
        return firstFit(objects, shape, (leaf) => this.#readObject(slice, leaf, depth))
      } catch (thrown) {
        const mayBeText = thrown instanceof ValueProblem || thrown instanceof CallProblem
        if (!mayBeText || !admitsText(shape)) throw thrown
      }
    }
    return coerceText(this.#textOf(slice, shape), shape)
  }

  #readArray(slices: readonly Slice[], shape: Shape, depth: number): JsonValue {
    const result: JsonValue[] = []
    for (const slice of slices) {
      const item = shape.schemas.shape(shape.itemAt(result.length))
      if (slices.length > 1 && admits(item, 'string') && this.#raw(slice).trim() === '')
        result.push('')
      else result.push(...this.#readItems(slice, shape, depth))
    }
    return result
  }

  #readItems(slice: Slice, shape: Shape, depth: number): readonly JsonValue[] {
    const item = shape.schemas.shape(shape.itemAt(0))
    const first = this.#isMarkup(slice, item) ? this.nextOpen(slice.start, slice.end) : undefined
    if (!first) {
      const list = coerceText(this.#textOf(slice, shape), { ...shape, types: ['array'] })
      return Array.isArray(list) ? (list as readonly JsonValue[]) : [list]
    }
    const isProperty = leaves(item).some((leaf) =>
      leaf.properties.has(propertyOfTag(leaf, first.name)),
    )
    if (isProperty && first.name !== 'item') return [this.readValue([slice], item, depth + 1)]
    const siblings = new Set([first.name])
    const children = this.children(slice, () => ({ shape: item, siblings }))
    const odd = children.find((child) => child.name !== first.name)
    if (odd) throw new ValueProblem(`expected only <${first.name}> elements, got <${odd.name}>`)
    return children.map((child, index) =>
      within(`item ${index + 1}`, () =>
        this.readValue([child.slice], shape.schemas.shape(shape.itemAt(index)), depth + 1),
      ),
    )
  }

  #readObject(slice: Slice, shape: Shape, depth: number): JsonValue {
    if (!this.#isMarkup(slice, shape))
      return coerceText(this.#textOf(slice, shape), { ...shape, types: ['object'] })
    if (
      !shape.listsProperties &&
      shape.patterns.length === 0 &&
      isUntyped(shape.schemas.shape(shape.additional))
    )
      return this.#readUntypedObject(slice)
    const siblings = new Set([
      ...shape.properties.keys(),
      ...makeTags(shape.properties.keys()).values(),
    ])
    const children = this.children(slice, (name) => {
      const schema = propertySchema(shape, propertyOfTag(shape, name))
      return { shape: schema === undefined ? undefined : shape.schemas.shape(schema), siblings }
    })
    const entries = groupBy(children, (child) => propertyOfTag(shape, child.name))
    return coerceEntries(entries, shape, (same, schema) =>
      this.readValue(same, shape.schemas.shape(schema), depth + 1),
    )
  }

  #readUntypedObject(slice: Slice): JsonValue {
    this.#checkDepth(slice)
    const raw = this.#raw(slice)
    const problem = describeMarkupError(raw)
    if (problem !== undefined)
      throw this.malformed(problem.replace(/ \(opened in .*?\)|\.$/g, ''), slice.start)
    const value = readUntypedElements(raw)
    if (typeof value === 'object' && !Array.isArray(value)) return value
    throw new ValueProblem('expected an object, got a list')
  }

  /** Returns whether the content is elements. If text is allowed, too, the content must start with an element. */
  #isMarkup(slice: Slice, shape: Shape): boolean {
    const raw = this.#raw(slice).trimStart()
    if (raw.startsWith('<')) return !isCdataOpener(raw, 0)
    if (admitsText(shape) || raw.startsWith('{') || raw.startsWith('[')) return false
    return this.peek(slice.start, slice.end)?.kind === 'open'
  }

  #hasItems(slice: Slice): boolean {
    return (
      /^\s*<item[\s/>]/.test(this.text.slice(slice.start, slice.start + 200)) &&
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
      else if (token.kind === 'open' && !readOpenTag(this.text, token.end)?.selfClosing) depth++
      if (depth > maxDepth)
        throw this.malformed(`nested more than ${maxDepth} levels deep`, token.start)
    }
  }

  #textOf(slice: Slice, shape: Shape): string {
    const raw = this.#raw(slice)
    const mayHoldComments = !admitsText(shape) && raw.length < 1000
    return readText(mayHoldComments ? raw.replaceAll(outerComments, '') : raw)
  }

  #raw(slice: Slice): string {
    return this.text.slice(slice.start, slice.end)
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

/** A comment, a processing instruction, a CDATA section, or the beginning of a tag, up to its name. */
const markup = /<(?:!--[^]*?-->|\?[^]*?\?>|!\[cdata\[([^]*?)\]\]>|(\/?)([^\s/>]+))/gi

const MAX_OPEN = 200

/** Returns why markup is not well-formed (usually fast-xml-parser's message), or undefined. */
export function describeMarkupError(source: string): string | undefined {
  const result = XMLValidator.validate(`<value>${source}</value>`)
  const name = declarationIn(source)
  if (name !== undefined) return `${name} is not allowed.`
  return result === true ? undefined : result.err.msg
}

/** Returns the first `<!…` that is neither a comment nor a CDATA section. */
function declarationIn(source: string): string | undefined {
  const opener = /<!(?:(--)|(\[cdata\[)|\w*)/gi
  for (let found = opener.exec(source); found; found = opener.exec(source)) {
    const [whole, comment, cdata] = found
    const closer = comment ? '-->' : cdata ? ']]>' : undefined
    const end = closer ? source.indexOf(closer, opener.lastIndex) : -1
    if (end < 0) return /^<!doctype/i.test(whole) ? 'DOCTYPE' : `'${whole}'`
    opener.lastIndex = end + 3
  }
  return undefined
}

/**
 * Reads well-formed markup without a schema (R14). Text stays text, even with elements in it. `item` children make a
 * list, other children an object, a repeated name a list. Throws `ValueProblem`.
 */
export function readUntypedValue(source: string): JsonValue {
  return readContent(source).value(source)
}

/** Like `readUntypedValue`, for a known object or list: ignores text between the elements. */
export function readUntypedElements(source: string): JsonValue {
  return readContent(source).elements()
}

function readContent(source: string): Content {
  const root = new Content('', 0)
  const open = [root]
  let at = 0
  markup.lastIndex = 0
  for (let found = markup.exec(source); found; found = markup.exec(source)) {
    const [whole, cdata, slash, name] = found
    const parent = open[open.length - 1] ?? root
    parent.addText(source.slice(at, found.index))
    at = markup.lastIndex
    if (cdata !== undefined) parent.addCdata(cdata, whole)
    if (name === undefined) continue
    const tag = slash ? undefined : readOpenTag(source, at)
    const end = tag ? tag.end : readCloseTag(source, at)
    if (end === undefined || open.length > MAX_OPEN) throw new ValueProblem('unreadable markup')
    at = markup.lastIndex = end
    if (tag && !tag.selfClosing) {
      open.push(new Content(name, end))
      continue
    }
    if (!tag) open.pop()
    const child = tag ? new Content(name, found.index) : parent
    open[open.length - 1]?.add(child, source.slice(child.from, found.index))
  }
  if (open.length !== 1) throw new ValueProblem('unreadable markup')
  root.addText(source.slice(at))
  return root
}

/** Content of an element, as read so far. */
class Content {
  /** Start position in the source. */
  readonly from: number
  readonly #name: string
  readonly #children = new Map<string, JsonValue[]>()
  /** Text and CDATA sections as written. */
  #raw = ''
  #text = ''

  constructor(name: string, from: number) {
    this.#name = name
    this.from = from
  }

  addText(text: string): void {
    this.#raw += text
    this.#text += decodeEntities(text)
  }

  addCdata(content: string, raw: string): void {
    this.#raw += raw
    this.#text += content
  }

  add(child: Content, inner: string): void {
    const value = child.value(inner)
    const values = this.#children.get(child.#name)
    if (values) values.push(value)
    else this.#children.set(child.#name, [value])
  }

  /** `inner`: the element's content as written. */
  value(inner: string): JsonValue {
    if (this.#children.size === 0) return readCdata(this.#raw) ?? trimLayout(this.#text)
    return this.#text.trim() === '' ? this.elements() : readText(inner)
  }

  elements(): JsonValue {
    const items = this.#children.get('item')
    if (items && this.#children.size === 1) return items
    const result: Record<string, JsonValue> = {}
    for (const [name, values] of this.#children) {
      if (name === '__proto__') throw new ValueProblem("'__proto__' is no allowed key")
      setOwn(result, name, values.length === 1 ? (values[0] ?? null) : values)
    }
    return result
  }
}
