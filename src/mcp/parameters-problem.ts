import { cleanName } from '../client/clean-name.ts'
import { isRecord } from '../lib/shape.ts'

const TYPE = /^(object|array|string|number|integer|boolean|null)$/

/** Why a schema can't be that of a tool's parameters (`prepareTool` would throw); follows "its schema". */
export function parametersProblem(schema: Readonly<Record<string, unknown>>): string | null {
  const { type, properties = {} } = schema
  const isObject = type === 'object' || (type === undefined && Object.keys(schema).length === 0)
  if (!isObject || !isSound(schema)) return 'is none of an object'
  const names = Object.keys(properties as object).map((name) => cleanName(name))
  return new Set(names).size < names.length || names.includes('')
    ? 'has parameters whose names differ by signs only'
    : null
}

function isSound(schema: unknown): boolean {
  if (typeof schema === 'boolean') return true
  if (!isRecord(schema)) return false
  const { type = [], properties = {}, required = [] } = schema
  return (
    [type].flat().every((name) => typeof name === 'string' && TYPE.test(name)) &&
    Array.isArray(required) &&
    required.every((name) => typeof name === 'string') &&
    isRecord(properties) &&
    Object.values(properties).every(isSound)
  )
}
