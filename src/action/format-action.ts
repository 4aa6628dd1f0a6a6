import type { JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import type { ActionCall } from './call-arguments.ts'
import { isRecord } from '../lib/shape.ts'
import {
  admits,
  admitsText,
  isUntyped,
  expandUnions,
  propertySchema,
  type Shape,
  type TypeName,
} from './schema.ts'
import { type IndexedTool, indexTools, makeTags } from './tool-index.ts'

/**
 * Formats calls as a model would write the block. The scanner reads them back unchanged if they fit their tools'
 * schemas. If elements can't express a value, writes the call as JSON in its tool's element.
 */
export function formatAction(
  calls: readonly ActionCall[],
  tools: readonly ToolDefinition[],
): string {
  const index = indexTools(tools)
  const lines = calls.map((call) => {
    const tool = index.find(call.toolName)
    const tag = tool?.tag ?? call.toolName
    if (tool && !isExact(call, tool)) return `<${tag}>${json(call.input)}</${tag}>`
    const tags = makeTags(tool?.input.properties.keys() ?? [])
    const parameters = Object.entries(call.input).map(([name, value]) => {
      const shape = tool?.reader.shape(propertySchema(tool.input, name))
      return `  ${element(tags.get(name) ?? name, value, shape)}\n`
    })
    return parameters.length === 0 ? `<${tag}/>` : `<${tag}>\n${parameters.join('')}</${tag}>`
  })
  return `<ACTION>\n${lines.join('\n')}\n</ACTION>`
}

function isExact(
  { input }: ActionCall,
  { tag: toolTag, input: shape, reader }: IndexedTool,
): boolean {
  const tags = makeTags(shape.properties.keys())
  const aliases = new Set(tags.values())
  return Object.entries(input).every(([name, value]) => {
    const tag = tags.get(name) ?? name
    const isName = tags.has(name) || (elementName.test(name) && !aliases.has(name))
    const isList = name === 'item' && typeof value === 'object'
    return (
      isName &&
      !isList &&
      tag !== toolTag &&
      isExactInMarkup(value, reader.shape(propertySchema(shape, name)), [toolTag, tag])
    )
  })
}

/** Escapes JSON so that it contains no markup. */
function json(value: JsonValue): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('&', '\\u0026')
}

function element(tag: string, value: JsonValue, shape: Shape | undefined): string {
  return `<${tag}>${content(value, shape)}</${tag}>`
}

function content(value: JsonValue, shape: Shape | undefined): string {
  if (typeof value === 'string') return formatText(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) {
    return value.map((item: JsonValue, at) => element('item', item, shape?.itemAt(at))).join('')
  }
  if (!isRecord(value)) return ''
  if (isWrittenAsJson(value as JsonValue, shape)) return cdata(JSON.stringify(value))
  const tags = makeTags(shape?.properties.keys() ?? [])
  return (Object.entries(value) as [string, JsonValue][])
    .map(([key, entry]) => {
      const schema = shape?.schemaReader.shape(propertySchema(shape, key))
      return element(tags.get(key) ?? key, entry, schema)
    })
    .join('')
}

/** Formats text so that it reads back exactly: entities on one line, CDATA if white space or lines matter. */
function formatText(text: string): string {
  if (text.includes('\n') || text.trim() !== text) return cdata(text)
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function cdata(text: string): string {
  const safe = text.replaceAll(']]>', ']]]]><![CDATA[>')
  const wraps = text.includes('\n') && !text.endsWith('\r')
  return wraps ? `<![CDATA[\n${safe}\n]]>` : `<![CDATA[${safe}]]>`
}

/** A key that can be an element's name. Excludes `ACTION`, the name of the block. */
const elementName: RegExp = /^(?!ACTION$)[A-Za-z_][\w.-]*$/
/** Text that a union may read as another type. */
const ambiguous = /^\s*(?:$|[-+.\d[{<]|(?:true|false|null)\s*$)/i

/**
 * Returns whether a value that fits its schema reads back unchanged from elements and text. `path`: the surrounding
 * elements. An element inside another of the same name has an ambiguous closer.
 */
function isExactInMarkup(value: JsonValue, shape: Shape, path: readonly string[]): boolean {
  if (shape.options) return isExactOption(value, shape.options)
  if (isUntyped(shape)) return typeof value === 'string'
  if (shape.branches || shape.types.length > 1) return isExactInUnion(value, shape, path)
  return isExactInType(value, shape, path)
}

function isExactOption(value: JsonValue, options: readonly unknown[]): boolean {
  if (typeof value === 'string') return true
  return (value === null || typeof value !== 'object') && !options.includes(String(value))
}

function isExactInType(value: JsonValue, shape: Shape, path: readonly string[]): boolean {
  if (Array.isArray(value))
    return value.every((item: JsonValue, at) =>
      isExactInMarkup(item, shape.itemAt(at), [...path, 'item']),
    )
  if (!isRecord(value)) return true
  if (isWrittenAsJson(value, shape)) return true
  return Object.entries(value as Record<string, JsonValue>).every(([key, entry]) => {
    const inner = shape.schemaReader.shape(propertySchema(shape, key))
    return key !== 'item' && !path.includes(key) && isExactInMarkup(entry, inner, [...path, key])
  })
}

/** A union value is exact only if no other type or branch can match. */
function isExactInUnion(value: JsonValue, shape: Shape, path: readonly string[]): boolean {
  const all = expandUnions(shape)
  if (all.some(({ options }) => options)) return false
  if (typeof value === 'string') return !ambiguous.test(value)
  if (value === null) return admits(shape, 'null')
  if (typeof value !== 'object') return !admitsText(shape)
  const isEmpty = Object.keys(value).length === 0
  const type: TypeName = Array.isArray(value) ? 'array' : 'object'
  const [leaf, ...others] = all.filter(({ types }) => types.includes(type))
  if (isEmpty || !leaf || others.length > 0) return false
  const isWritable =
    Array.isArray(value) || Object.keys(value).every((key) => elementName.test(key))
  return isWritable && !isWrittenAsJson(value, leaf) && isExactInType(value, leaf, path)
}

/** Whether only JSON preserves the object: its keys can't be element names, or its values have no types. */
function isWrittenAsJson(value: JsonValue, shape: Shape | undefined): boolean {
  if (!isRecord(value)) return false
  const isWritable = Object.keys(value).every(
    (key) => shape?.properties.has(key) === true || elementName.test(key),
  )
  const isFree =
    shape?.listsProperties === false &&
    shape.types.includes('object') &&
    isUntyped(shape.schemaReader.shape(shape.additional))
  return isFree || !isWritable
}
