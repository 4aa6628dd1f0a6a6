import type { JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import type { ActionCall } from './call-arguments.ts'
import { elementName, isExactInMarkup, isWrittenAsJson } from './markup-exactness.ts'
import { isRecord } from '../lib/shape.ts'
import { propertySchema } from './schema.ts'
import type { Shape } from './schema.ts'
import { indexTools, makeTags } from './tool-index.ts'
import type { IndexedTool } from './tool-index.ts'

/**
 * Calls as the block that a model would write; those that fit their tools' schemas read back the same. A call with a
 * value that elements can't express is JSON in its tool's element.
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

/** Without anything that is markup. */
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
    return value
      .map((item: JsonValue, at) => element('item', item, shape?.schemas.shape(shape.itemAt(at))))
      .join('')
  }
  if (!isRecord(value)) return ''
  if (isWrittenAsJson(value as JsonValue, shape)) return cdata(JSON.stringify(value))
  const tags = makeTags(shape?.properties.keys() ?? [])
  return (Object.entries(value) as [string, JsonValue][])
    .map(([key, entry]) => {
      const schema = shape?.schemas.shape(propertySchema(shape, key))
      return element(tags.get(key) ?? key, entry, schema)
    })
    .join('')
}

/** Text that reads back exactly: entities on one line, CDATA where white space or lines matter. */
function formatText(text: string): string {
  if (text.includes('\n') || text.trim() !== text) return cdata(text)
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function cdata(text: string): string {
  const safe = text.replaceAll(']]>', ']]]]><![CDATA[>')
  const wraps = text.includes('\n') && !text.endsWith('\r')
  return wraps ? `<![CDATA[\n${safe}\n]]>` : `<![CDATA[${safe}]]>`
}
