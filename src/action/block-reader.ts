import { readArguments, readJsonCall, requireTool } from './call-arguments.ts'
import type { ActionCall } from './call-arguments.ts'
import { BlockTokens } from './block-tokens.ts'
import type { Token } from './block-tokens.ts'
import { CallProblem } from './call-problem.ts'
import type { JsonValue } from '../protocol/json.ts'
import { coerceText } from './coerce.ts'
import { propertySchema } from './schema.ts'
import { readCloseTag, readOpenTag } from './xml-tags.ts'
import type { OpenTag } from './xml-tags.ts'
import { makeTags, propertyOfTag } from './tool-index.ts'
import type { IndexedTool, ToolIndex } from './tool-index.ts'
import { groupBy, ValueReader } from './value-reader.ts'
import type { Expected, Slice } from './element-finder.ts'
import { readText } from './xml-text.ts'
import { parseBoundedJson } from './parse-bounded-json.ts'

/** The calls that may run, and the problem of the first call that may not. */
export interface CallsRead {
  readonly calls: readonly ActionCall[]
  readonly problem?: CallProblem
  /** The tool that has the problem, if its name could be read. */
  readonly problemTool?: string
}

/** Elements that name their tool in an attribute, and elements that name their parameter in one (R9). */
const genericTools: ReadonlySet<string> = new Set([
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

/** The calls of a block's content (R7–R17). A malformed block gives no calls at all. */
export function readBlock(content: string, index: ToolIndex): CallsRead {
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

  read(): CallsRead {
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
    const tag = readOpenTag(this.#text, token.end)
    if (!tag || tag.end > this.#end)
      throw this.#values.malformed(`the tag <${token.name} is not complete`, token.start)
    const attribute = isGeneric(token.name) ? this.#nameAttribute(token.name, tag) : undefined
    const toolName = attribute ?? token.name
    const base = {
      toolName,
      tool: this.#index.find(toolName),
      tag,
      generic: attribute !== undefined,
    }
    if (tag.selfClosing) return { ...base, body: { start: tag.end, end: tag.end }, next: tag.end }
    const closer = this.#toolCloser(token.name, tag.end)
    if (!closer)
      throw this.#values.malformed(
        `<${token.name}> is never closed: expected </${token.name}>`,
        token.start,
      )
    return { ...base, body: { start: tag.end, end: closer.start }, next: closer.end }
  }

  /**
   * The tool named in the `name` attribute. A registered tool with the element's own name wins, unless it has no
   * `name` parameter and the attribute names another tool.
   */
  #nameAttribute(element: string, { attributes }: OpenTag): string | undefined {
    const name = attributes.get('name')
    const known = this.#index.find(element)
    const isOther =
      name !== undefined && !known?.input.properties.has('name') && this.#index.find(name)
    return known && !isOther ? undefined : name
  }

  /** R10: a call ends at its first closer that is followed by another call or the end of the block. */
  #toolCloser(name: string, from: number): Slice | undefined {
    let first: Slice | undefined
    for (const token of this.#values.tokens.closers(name, from, this.#end)) {
      const end = readCloseTag(this.#text, token.end)
      if (end === undefined || end > this.#end) continue
      const closer = { start: token.start, end }
      first ??= closer
      if (this.#isFollowedByCall(end)) return closer
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
    const json = this.#jsonBody(element.body)
    if (json !== undefined) return readJsonCall(tool, json)
    const tags = makeTags(tool.input.properties.keys())
    const siblings = new Set([...tags.keys(), ...tags.values(), ...genericParameters])
    const nameOf = (name: string, attributes: OpenTag['attributes']): string =>
      parameterName(tool, name, attributes)
    const children = this.#values.children(element.body, (name, attributes): Expected => {
      const schema = propertySchema(tool.input, nameOf(name, attributes))
      return { shape: schema === undefined ? undefined : tool.reader.shape(schema), siblings }
    })
    const given = new Map<string, readonly Slice[] | string>()
    for (const [name, value] of element.tag.attributes) {
      const property = propertyOfTag(tool.input, name)
      if (!(element.generic && name === 'name') && tool.input.properties.has(property))
        given.set(property, value)
    }
    for (const [name, slices] of groupBy(children, (child) => nameOf(child.name, child.attributes)))
      given.set(name, slices)
    return readArguments(tool, given, (value, shape) =>
      typeof value === 'string' ? coerceText(value, shape) : this.#values.readValue(value, shape),
    )
  }

  /** The parameters, if the whole content of the tool's element is a JSON object. */
  #jsonBody(body: Slice): JsonValue | undefined {
    const text = readText(this.#text.slice(body.start, body.end)).trim()
    if (!text.startsWith('{') || !text.endsWith('}')) return undefined
    const value = parseBoundedJson(text)
    // The braces may hold elements. Without this check, unreadable text would count as "no parameters".
    if (value === undefined && !text.includes('<'))
      throw this.#values.malformed('the parameters in braces are no JSON', body.start)
    return value
  }
}

interface CallElement {
  readonly toolName: string
  readonly tool: IndexedTool | undefined
  readonly tag: OpenTag
  /** The tool's name came from an attribute. */
  readonly generic: boolean
  readonly body: Slice
  readonly next: number
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

/** End of the block's content: before a closer in another letter case, or one that was cut off. */
function endOfContent(text: string): number {
  const cut = /<(?:\/(?:A(?:C(?:T(?:I(?:O(?:N\s*)?)?)?)?)?)?)?$|<\/action\s*>\s*$/i.exec(
    text.slice(-200),
  )
  return cut ? text.length - (text.slice(-200).length - cut.index) : text.length
}
