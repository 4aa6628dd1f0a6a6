import { isRecord } from '../../../lib/shape.ts'
import { isUntyped, expandUnions, SchemaReader, type Shape } from '../../../action/schema.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../../protocol/json.ts'
import type { StreamPart } from '../../../protocol/message.ts'
import type { ToolDefinition } from '../../../protocol/tool.ts'

/**
 * Converts the input of a strict call to the tool's own schema. Strict mode sends null for a missing optional property.
 * If the property can't be null, it is removed.
 */
export function withoutStrictNulls(input: JsonValue, schema: JsonSchema): JsonValue {
  const reader = new SchemaReader(schema)
  return removeNulls(input, [reader.shape(schema)])
}

/** Removes the nulls of strict mode from the input of a call. Other parts stay unchanged. */
export function withoutNulls(part: StreamPart, tools: readonly ToolDefinition[]): StreamPart {
  if (part.type !== 'tool-call' || part.input === undefined) return part
  const tool = tools.find(({ name }) => name === part.toolName)
  return tool ? { ...part, input: withoutStrictNulls(part.input, tool.inputSchema) } : part
}

/** Removes the nulls at any depth. `shapes`: all shapes that the value may have. */
function removeNulls(value: JsonValue, shapes: readonly Shape[]): JsonValue {
  const leaves = shapes.flatMap(expandUnions)
  if (Array.isArray(value))
    return value.map((item: JsonValue, at) =>
      removeNulls(
        item,
        leaves.map((leaf) => leaf.itemAt(at)),
      ),
    )
  if (!isRecord(value)) return value
  const entries = Object.entries(value as JsonObject).flatMap(([name, item]) => {
    const owners = leaves.filter((leaf) => leaf.properties.has(name))
    const properties = owners.map((leaf) => leaf.schemaReader.shape(leaf.properties.get(name)))
    const isAbsent =
      item === null &&
      owners.length > 0 &&
      owners.every((leaf) => !leaf.required.has(name)) &&
      !properties.flatMap(expandUnions).some(admitsNull)
    return isAbsent ? [] : [[name, removeNulls(item, properties)] as const]
  })
  return Object.fromEntries(entries)
}

function admitsNull(leaf: Shape): boolean {
  return isUntyped(leaf) || leaf.types.includes('null') || leaf.options?.includes(null) === true
}
