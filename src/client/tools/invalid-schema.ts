import { isRecord } from '../../lib/is-record.ts'

const TYPE_NAME = /^(object|array|string|number|integer|boolean|null)$/

/**
 * Path of the first invalid part of a parameter schema: `path`, then property names. Null if there is none. Finds
 * common mistakes only; the worker checks all of JSON Schema.
 */
export function findInvalidSchemaPath(schema: unknown, path: string): string | null {
  if (!isRecord(schema)) return path
  const { type = [], properties = {}, required = [] } = schema
  const isValid =
    isRecord(properties) &&
    Array.isArray(required) &&
    required.every((name) => typeof name === 'string') &&
    [type].flat().every((name) => typeof name === 'string' && TYPE_NAME.test(name))
  if (!isValid) return path
  for (const [name, property] of Object.entries(properties)) {
    const found =
      typeof property === 'boolean' ? null : findInvalidSchemaPath(property, `${path}.${name}`)
    if (found !== null) return found
  }
  return null
}
