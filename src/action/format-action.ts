import type { JsonValue } from '../protocol/json.ts'
import type { ToolDefinition } from '../protocol/tool.ts'
import type { ActionCall } from './call-arguments.ts'
import { isRecord, isUntyped, propertySchema } from './schema.ts'
import type { Shape } from './schema.ts'
import { indexTools, makeTags } from './tool-index.ts'

/** Calls as the block that a model would write; it reads back as the same calls. */
export function formatAction(
  calls: readonly ActionCall[],
  tools: readonly ToolDefinition[],
): string {
  const index = indexTools(tools)
  const lines = calls.map((call) => {
    const tool = index.find(call.toolName)
    const tag = tool?.tag ?? call.toolName
    const shape = tool?.input
    const tags = makeTags(shape?.properties.keys() ?? [])
    const parameters = Object.entries(call.input).map(([name, value]) => {
      const schema = shape && tool ? tool.reader.shape(propertySchema(shape, name)) : undefined
      return `  ${element(tags.get(name) ?? name, value, schema)}\n`
    })
    return parameters.length === 0 ? `<${tag}/>` : `<${tag}>\n${parameters.join('')}</${tag}>`
  })
  return `<ACTION>\n${lines.join('\n')}\n</ACTION>`
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
  const entries = Object.entries(value) as [string, JsonValue][]
  const tags = makeTags(shape?.properties.keys() ?? [])
  const isWritable = entries.every(([key]) => tags.has(key) || /^[A-Za-z_][\w.-]*$/.test(key))
  const isUntyped = shape !== undefined && !shape.listsProperties && isUntypedObject(shape)
  if (isUntyped || !isWritable) return cdata(JSON.stringify(value))
  return entries
    .map(([key, entry]) => {
      const schema = shape?.schemas.shape(propertySchema(shape, key))
      return element(tags.get(key) ?? key, entry, schema)
    })
    .join('')
}

/** An object type without types for its values: only JSON keeps those. */
function isUntypedObject(shape: Shape): boolean {
  return shape.types.includes('object') && isUntyped(shape.schemas.shape(shape.additional))
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
