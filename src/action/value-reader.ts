import type { JsonValue } from '../protocol/json.ts'
import { ElementFinder } from './element-finder.ts'
import type { Child, Slice } from './element-finder.ts'
import { CallProblem, ValueProblem } from './call-problem.ts'
import { coerceEntries, coerceText, firstFit, maxDepth, within } from './coerce.ts'
import { describeMarkupError, readUntypedElements, readUntypedValue } from './untyped-value.ts'
import { admits, admitsText, isUntyped, leaves, propertySchema } from './schema.ts'
import type { Shape } from './schema.ts'
import { readOpenTag } from './xml-tags.ts'
import { makeTags, propertyOfTag } from './tool-index.ts'
import { isCdataOpener, readText } from './xml-text.ts'

/** Comments before and after a value; in it they are content, as JSON's strings and CDATA are. */
const outerComments = /^(?:\s*<!--(?:(?!-->)[^])*-->)+|(?:<!--(?:(?!-->|<!--|\]\]>)[^])*-->\s*)+$/g

/** Reads values out of a block's markup, guided by their schemas. */
export class ValueReader extends ElementFinder {
  /** The value of an element, or of several elements of one name, as `shape` wants it. */
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

  /** R14: text stays text; well-formed elements and nothing else are a list or an object. */
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

  /** The content is elements, not text: it may only start with one where text is a reading too. */
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
