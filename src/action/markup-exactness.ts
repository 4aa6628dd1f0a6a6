import type { JsonValue } from '../protocol/json.ts'
import { isRecord } from '../lib/shape.ts'
import { admits, admitsText, isUntyped, leaves, propertySchema } from './schema.ts'
import type { Shape, TypeName } from './schema.ts'

/** A key that is an element's name as it is; `ACTION` is the block's. */
export const elementName: RegExp = /^(?!ACTION$)[A-Za-z_][\w.-]*$/
/** In a union, such text may be read as another type. */
const ambiguous = /^\s*(?:$|[-+.\d[{<]|(?:true|false|null)\s*$)/i

/**
 * Whether a value that fits its schema reads back the same from elements and text. `path`: the elements around it;
 * one in another of its own name has a closer that isn't sure.
 */
export function isExactInMarkup(value: JsonValue, shape: Shape, path: readonly string[]): boolean {
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
      isExactInMarkup(item, shape.schemas.shape(shape.itemAt(at)), [...path, 'item']),
    )
  if (!isRecord(value)) return true
  if (isWrittenAsJson(value, shape)) return true
  return Object.entries(value as Record<string, JsonValue>).every(([key, entry]) => {
    const inner = shape.schemas.shape(propertySchema(shape, key))
    return key !== 'item' && !path.includes(key) && isExactInMarkup(entry, inner, [...path, key])
  })
}

/** Of several types or branches, the value's own must be the only one that can be meant. */
function isExactInUnion(value: JsonValue, shape: Shape, path: readonly string[]): boolean {
  const all = leaves(shape)
  if (all.some(({ options }) => options)) return false
  if (typeof value === 'string') return !ambiguous.test(value)
  if (value === null) return admits(shape, 'null')
  if (typeof value !== 'object') return !admitsText(shape)
  const isEmpty = Object.keys(value).length === 0
  const own: TypeName = Array.isArray(value) ? 'array' : 'object'
  const [leaf, ...others] = all.filter(({ types }) => types.includes(own))
  if (isEmpty || !leaf || others.length > 0) return false
  const isWritable =
    Array.isArray(value) || Object.keys(value).every((key) => elementName.test(key))
  return isWritable && !isWrittenAsJson(value, leaf) && isExactInType(value, leaf, path)
}

/** An object whose keys are no names of elements, or whose values have no types: only JSON keeps those. */
export function isWrittenAsJson(value: JsonValue, shape: Shape | undefined): boolean {
  if (!isRecord(value)) return false
  const isWritable = Object.keys(value).every(
    (key) => shape?.properties.has(key) === true || elementName.test(key),
  )
  const isFree =
    shape?.listsProperties === false &&
    shape.types.includes('object') &&
    isUntyped(shape.schemas.shape(shape.additional))
  return isFree || !isWritable
}
