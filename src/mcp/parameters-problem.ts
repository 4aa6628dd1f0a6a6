import { cleanName } from '../client/clean-name.ts'
import { unsoundAt } from '../client/unsound-schema.ts'

/** Why `prepareTool` would refuse this schema for a tool's parameters. Completes a sentence after "its schema". */
export function parametersProblem(schema: Readonly<Record<string, unknown>>): string | null {
  const { type, properties = {} } = schema
  const isObject = type === 'object' || (type === undefined && Object.keys(schema).length === 0)
  if (!isObject || unsoundAt(schema, '') !== null) return 'is none of an object'
  const names = Object.keys(properties as object).map((name) => cleanName(name))
  return new Set(names).size < names.length || names.includes('')
    ? 'has parameters whose names differ by signs only'
    : null
}
