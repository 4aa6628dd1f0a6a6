import { isRecord } from '../lib/is-record.ts'
import type { JsonSchema } from '../protocol/json.ts'
import { jsonSchemaOf, type StandardSchema } from './standard-schema.ts'

/** True if values of the schema hold no free text: only numbers, booleans, and values that the schema names. */
export function isWordless(schema: JsonSchema | StandardSchema): boolean {
  try {
    return isClosed(jsonSchemaOf(schema, 'of an output'))
  } catch {
    return false
  }
}

/** Maximum length of arrays: more numbers, or named values, could spell a text. */
const MAX_ITEMS = 20

const WORDLESS: ReadonlySet<unknown> = new Set(['number', 'integer', 'boolean', 'null'])

function isClosed(schema: unknown): boolean {
  if (schema === false) return true
  if (!isRecord(schema)) return false
  if (Array.isArray(schema['enum']) || 'const' in schema) return true
  const choices = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(choices)) return choices.every(isClosed)
  const types: readonly unknown[] = [schema['type']].flat()
  return types.length > 0 && types.every((type) => isClosedAs(type, schema))
}

function isClosedAs(type: unknown, schema: { readonly [key: string]: unknown }): boolean {
  switch (type) {
    case 'object': {
      const { properties = {}, additionalProperties, patternProperties } = schema
      // A property name that the schema doesn't define is free text, too.
      if (additionalProperties !== false || patternProperties !== undefined) return false
      return isRecord(properties) && Object.values(properties).every(isClosed)
    }
    case 'array': {
      const { items, prefixItems = [], maxItems } = schema
      const isShort = items === false || (typeof maxItems === 'number' && maxItems <= MAX_ITEMS)
      return isShort && Array.isArray(prefixItems) && prefixItems.every(isClosed) && isClosed(items)
    }
    default:
      return WORDLESS.has(type)
  }
}
