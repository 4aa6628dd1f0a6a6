import { XMLValidator } from 'fast-xml-parser'
import {
  type ActionCall,
  readArguments,
  readJsonCall,
  requireTool,
  coerceEntries,
  coerceText,
  firstFit,
  maxDepth,
  parseBoundedJson,
  setOwn,
  withErrorPath,
} from './call-arguments.ts'
import {
  BlockTokens,
  type Child,
  ElementFinder,
  type Expected,
  type Slice,
  type Token,
  decodeEntities,
  isCdataOpener,
  type OpenTag,
  push,
  readCdata,
  readCloseTag,
  readOpenTag,
  decodeXmlText,
  trimLayout,
} from './xml.ts'
import { CallProblem, ValueProblem } from './call-problem.ts'
import type { JsonValue } from '../protocol/json.ts'
import {
  admits,
  admitsText,
  isUntyped,
  expandUnions,
  propertySchema,
  type Shape,
} from './schema.ts'
import { type IndexedTool, makeTags, propertyOfTag, type ToolIndex } from './tool-index.ts'

/** Comments before and after a value. Inside a value, comments are content, as in JSON strings and CDATA. */
const outerComments = /^(?:\s*<!--(?:(?!-->)[^])*-->)+|(?:<!--(?:(?!-->|<!--|\]\]>)[^])*-->\s*)+$/g

/** Reads values from a block's markup, guided by their schemas. */
class ValueReader extends ElementFinder {
  /** Reads the value of an element, or of several elements of the same name, according to `shape`. */
  readValue(slices: readonly Slice[], shape: Shape, depth: number = 0): JsonValue {
    const [slice] = slices
    if (!slice) return null
    if (depth > maxDepth)
      throw this.malformed(`nested more than ${maxDepth} levels deep`, slice.start)
    if (isUntyped(shape))
      return slices.length > 1
        ? slices.map((each) => this.#readUntyped(each))
        : this.#readUntyped(slice)
    if (shape.options) return coerceText(this.#readText(requireSingle(slices), shape), shape)
    const lists = expandUnions(shape).filter((leaf) => leaf.types.includes('array'))
    if (lists.length > 0 && this.#isOnlyArray(shape)) return this.#readArray(slices, shape, depth)
    if (lists.length > 0 && (slices.length > 1 || this.#hasItems(slice)))
      return firstFit(lists, shape, (list) => this.#readArray(slices, list, depth))
    const single = requireSingle(slices)
    if (shape.branches || shape.types.length > 1) return this.#readUnion(single, shape, depth)
    if (shape.types[0] === 'object') return this.#readObject(single, shape, depth)
    return coerceText(this.#readText(single, shape), shape)
  }

  #isOnlyArray(shape: Shape): boolean {
    return !shape.branches && shape.types.every((type) => type === 'array')
  }

  /** R14: text stays text. Only well-formed elements without text around them become a list or an object. */
  #readUntyped(slice: Slice): JsonValue {
    const raw = this.#raw(slice)
    const trimmed = raw.trim()
    if (!trimmed.startsWith('<') || !trimmed.endsWith('>') || isCdataOpener(trimmed, 0))
      return decodeXmlText(raw)
    this.#checkDepth(slice)
    if (describeMarkupError(raw) !== undefined) return decodeXmlText(raw)
    return readUntypedValue(raw)
  }

  #readUnion(slice: Slice, shape: Shape, depth: number): JsonValue {
    const objects = expandUnions(shape).filter((leaf) => leaf.types.includes('object'))
    if (objects.length > 0 && this.#isMarkup(slice, shape)) {
      try {
        return firstFit(objects, shape, (leaf) => this.#readObject(slice, leaf, depth))
      } catch (thrown) {
        const mayBeText = thrown instanceof ValueProblem || thrown instanceof CallProblem
        if (!mayBeText || !admitsText(shape)) throw thrown
      }
    }
    return coerceText(this.#readText(slice, shape), shape)
  }

  #readArray(slices: readonly Slice[], shape: Shape, depth: number): JsonValue {
    const result: JsonValue[] = []
    for (const slice of slices) {
      const item = shape.itemAt(result.length)
      if (slices.length > 1 && admits(item, 'string') && this.#raw(slice).trim() === '')
        result.push('')
      else result.push(...this.#readItems(slice, shape, depth))
    }
    return result
  }

  #readItems(slice: Slice, shape: Shape, depth: number): readonly JsonValue[] {
    const item = shape.itemAt(0)
    const first = this.#isMarkup(slice, item) ? this.nextOpen(slice.start, slice.end) : undefined
    if (!first) {
      const list = coerceText(this.#readText(slice, shape), { ...shape, types: ['array'] })
      return Array.isArray(list) ? (list as readonly JsonValue[]) : [list]
    }
    const isProperty = expandUnions(item).some((leaf) =>
      leaf.properties.has(propertyOfTag(leaf, first.name)),
    )
    if (isProperty && first.name !== 'item') return [this.readValue([slice], item, depth + 1)]
    const siblings = new Set([first.name])
    const children = this.children(slice, () => ({ shape: item, siblings }))
    const unexpected = children.find((child) => child.name !== first.name)
    if (unexpected)
      throw new ValueProblem(`expected only <${first.name}> elements, got <${unexpected.name}>`)
    return children.map((child, index) =>
      withErrorPath(`item ${index + 1}`, () =>
        this.readValue([child.slice], shape.itemAt(index), depth + 1),
      ),
    )
  }

  #readObject(slice: Slice, shape: Shape, depth: number): JsonValue {
    if (!this.#isMarkup(slice, shape))
      return coerceText(this.#readText(slice, shape), { ...shape, types: ['object'] })
    if (
      !shape.listsProperties &&
      shape.patterns.length === 0 &&
      isUntyped(shape.schemaReader.shape(shape.additional))
    )
      return this.#readUntypedObject(slice)
    const siblings = new Set([
      ...shape.properties.keys(),
      ...makeTags(shape.properties.keys()).values(),
    ])
    const children = this.children(slice, (name) => {
      const schema = propertySchema(shape, propertyOfTag(shape, name))
      return {
        shape: schema === undefined ? undefined : shape.schemaReader.shape(schema),
        siblings,
      }
    })
    const entries = groupBy(children, (child) => propertyOfTag(shape, child.name))
    return coerceEntries(entries, shape, (slices, schema) =>
      this.readValue(slices, shape.schemaReader.shape(schema), depth + 1),
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

  /** Returns whether the content is elements. If text is also allowed, the content must start with an element. */
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

  #readText(slice: Slice, shape: Shape): string {
    const raw = this.#raw(slice)
    const mayHoldComments = !admitsText(shape) && raw.length < 1000
    return decodeXmlText(mayHoldComments ? raw.replaceAll(outerComments, '') : raw)
  }

  #raw(slice: Slice): string {
    return this.text.slice(slice.start, slice.end)
  }
}

function requireSingle(slices: readonly Slice[]): Slice {
  const [slice] = slices
  if (!slice || slices.length > 1)
    throw new ValueProblem(`given ${slices.length} times, expected once`)
  return slice
}

function groupBy(children: readonly Child[], name: (child: Child) => string): Map<string, Slice[]> {
  const groups = new Map<string, Slice[]>()
  for (const child of children) push(groups, name(child), child.slice)
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
 * Reads well-formed markup without a schema (R14). Text stays text, even if it contains elements. `item` children
 * become a list, other children an object, elements of the same name a list. Throws `ValueProblem`.
 */
export function readUntypedValue(source: string): JsonValue {
  return readContent(source).value(source)
}

/** Like `readUntypedValue`, for a known object or list. Ignores text between the elements. */
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
    push(this.#children, child.#name, child.value(inner))
  }

  /** `inner`: the element's content as written. */
  value(inner: string): JsonValue {
    if (this.#children.size === 0) return readCdata(this.#raw) ?? trimLayout(this.#text)
    return this.#text.trim() === '' ? this.elements() : decodeXmlText(inner)
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

/** The calls that may run, and the problem of the first call that may not run. */
export interface ParsedCalls {
  readonly calls: readonly ActionCall[]
  readonly problem?: CallProblem
  /** The tool of the call with the problem, if its name could be read. */
  readonly problemTool?: string
}

/** Elements that name their tool in an attribute. Below: elements that name their parameter in an attribute (R9). */
export const genericTools: ReadonlySet<string> = new Set([
  'invoke',
  'tool',
  'tool_call',
  'function',
  'call',
])
const genericParameters: ReadonlySet<string> = new Set(['parameter', 'param', 'argument', 'arg'])
const reasoning: ReadonlySet<string> = new Set(['think', 'thinking'])

/** Whether an element of this name, with a prefix or without, may name its tool in an attribute. */
function isGeneric(element: string): boolean {
  return genericTools.has(withoutPrefix(element))
}

/** Returns the calls of a block's content (R7–R17). A malformed block results in no calls. */
export function readBlock(content: string, index: ToolIndex): ParsedCalls {
  try {
    return new BlockReader(content, index).read()
  } catch (thrown) {
    if (thrown instanceof CallProblem) return { calls: [], problem: thrown }
    throw thrown
  }
}

class BlockReader {
  readonly #text: string
  readonly #index: ToolIndex
  readonly #values: ValueReader
  readonly #end: number

  constructor(text: string, index: ToolIndex) {
    this.#text = text
    this.#index = index
    this.#values = new ValueReader(new BlockTokens(text))
    this.#end = endOfContent(text)
  }

  read(): ParsedCalls {
    const calls: ActionCall[] = []
    let failed: { problem: CallProblem; problemTool?: string } | undefined
    let count = 0
    let position = 0
    for (;;) {
      const token = this.#values.nextOpen(position, this.#end)
      if (!token) break
      const element = this.#readElement(token)
      position = element.next
      if (reasoning.has(token.name) && !element.tool) continue
      count++
      try {
        const call = this.#readCall(element)
        if (!failed) calls.push(call)
      } catch (thrown) {
        if (!(thrown instanceof CallProblem) || thrown.code === 'malformed') throw thrown
        failed ??= { problem: thrown, problemTool: element.toolName }
      }
    }
    if (count === 0)
      throw this.#values.malformed(
        'the block holds no call: expected an element named after a tool',
        0,
      )
    return { calls, ...failed }
  }

  #readElement(token: Token): CallElement {
    const element = this.#values.readElement(token, this.#end, (tag) =>
      this.#toolCloser(token.name, tag.end),
    )
    const attribute = isGeneric(token.name) ? this.#nameAttribute(element) : undefined
    const toolName = attribute ?? token.name
    return {
      ...element,
      toolName,
      tool: this.#index.find(toolName),
      generic: attribute !== undefined,
    }
  }

  /**
   * Returns the tool named by the `name` attribute. Undefined if the element's own name is a registered tool, because
   * `name` is then a parameter. If that tool has no such parameter and the attribute names another tool, returns the
   * other tool.
   */
  #nameAttribute(element: Child): string | undefined {
    const name = element.attributes.get('name')
    const tool = this.#index.find(element.name)
    const namesOtherTool =
      name !== undefined && !tool?.input.properties.has('name') && this.#index.find(name)
    return tool && !namesOtherTool ? undefined : name
  }

  /** R10: a call ends at its first closer that is followed by another call or the end of the block. */
  #toolCloser(name: string, from: number): Slice | undefined {
    let first: Slice | undefined
    for (const closer of this.#values.tokens.closers(name, from, this.#end)) {
      first ??= closer
      if (this.#isFollowedByCall(closer.end)) return closer
    }
    return first
  }

  #isFollowedByCall(position: number): boolean {
    const next = this.#values.peek(position, this.#end)
    if (!next) return true
    if (next.kind !== 'open') return false
    if (this.#index.find(next.name) || genericTools.has(next.name)) return true
    return !/[^\s`]/.test(this.#text.slice(position, Math.min(next.start, position + 200)))
  }

  #readCall(element: CallElement): ActionCall {
    const tool = element.tool ?? requireTool(element.toolName, this.#index)
    const json = this.#jsonBody(element.slice)
    if (json !== undefined) return readJsonCall(tool, json)
    const tags = makeTags(tool.input.properties.keys())
    const siblings = new Set([...tags.keys(), ...tags.values(), ...genericParameters])
    const getParameterName = (name: string, attributes: OpenTag['attributes']): string =>
      parameterName(tool, name, attributes)
    const children = this.#values.children(element.slice, (name, attributes): Expected => {
      const schema = propertySchema(tool.input, getParameterName(name, attributes))
      return { shape: schema === undefined ? undefined : tool.reader.shape(schema), siblings }
    })
    const values = new Map<string, readonly Slice[] | string>()
    for (const [name, value] of element.attributes) {
      const property = propertyOfTag(tool.input, name)
      if (!(element.generic && name === 'name') && tool.input.properties.has(property))
        values.set(property, value)
    }
    for (const [name, slices] of groupBy(children, (child) =>
      getParameterName(child.name, child.attributes),
    ))
      values.set(name, slices)
    return readArguments(tool, values, (value, shape) =>
      typeof value === 'string' ? coerceText(value, shape) : this.#values.readValue(value, shape),
    )
  }

  /** The parameters, if the whole content of the tool's element is a JSON object. */
  #jsonBody(body: Slice): JsonValue | undefined {
    const text = decodeXmlText(this.#text.slice(body.start, body.end)).trim()
    if (!text.startsWith('{') || !text.endsWith('}')) return undefined
    const value = parseBoundedJson(text)
    // The braces may contain elements. Without the check for `<`, unreadable text would count as "no parameters".
    if (value === undefined && !text.includes('<'))
      throw this.#values.malformed('the parameters in braces are no JSON', body.start)
    return value
  }
}

interface CallElement extends Child {
  readonly toolName: string
  readonly tool: IndexedTool | undefined
  /** The tool's name came from an attribute. */
  readonly generic: boolean
}

function parameterName(tool: IndexedTool, name: string, attributes: OpenTag['attributes']): string {
  const property = propertyOfTag(tool.input, name)
  if (tool.input.properties.has(property)) return property
  const named = genericParameters.has(withoutPrefix(name)) ? attributes.get('name') : undefined
  return named === undefined ? property : propertyOfTag(tool.input, named)
}

function withoutPrefix(element: string): string {
  return element.replace(/^[\w-]+:/, '')
}

/** End of the block's content: before a closer that is cut off or in another letter case. */
function endOfContent(text: string): number {
  const cut = /<(?:\/(?:A(?:C(?:T(?:I(?:O(?:N\s*)?)?)?)?)?)?)?$|<\/action\s*>\s*$/i.exec(
    text.slice(-200),
  )
  return cut ? text.length - (text.slice(-200).length - cut.index) : text.length
}

/** A call that was cut off by the end of the output. */
export function cutOffCalls(): ParsedCalls {
  return malformedCalls('the call is cut off. Write the whole call again.')
}

/** An unreadable call after a marker. */
export function unreadableCalls(): ParsedCalls {
  return malformedCalls(
    'the call could not be read. Write it as an <ACTION> block with one element per call and one per parameter.',
  )
}

/** A block whose opening tag was cut off by the end of the output. */
export function cutOpener(tag: string): ParsedCalls {
  return malformedCalls(
    `the output ended inside the opening tag '${tag}'. Write the whole <ACTION> block again.`,
  )
}

export function tooLongCalls(): ParsedCalls {
  return malformedCalls('the block is too long. Write less in one action.')
}

function malformedCalls(message: string): ParsedCalls {
  return { calls: [], problem: new CallProblem('malformed', `Malformed action: ${message}`) }
}
