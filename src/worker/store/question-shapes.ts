import { among, isRecord, isText, listOf, optional, shape, type Check } from '../../lib/shape.ts'

const choices = listOf(shape({ const: isText, title: isText }))
const field = shape({
  type: among(['string', 'number', 'integer', 'boolean', 'array']),
  title: optional(isText),
  description: optional(isText),
  enum: optional(listOf(isText)),
  enumNames: optional(listOf(isText)),
  oneOf: optional(choices),
})
const items = shape({ enum: optional(listOf(isText)), anyOf: optional(choices) })
/** What a page relies on. Bounds are those of the time at which it was asked. */
export const isFields: Check = shape({
  type: among(['object']),
  properties: (value) =>
    isRecord(value) &&
    Object.values(value).every(
      (each) => field(each) && isRecord(each) && (each['type'] !== 'array' || items(each['items'])),
    ),
  required: optional(listOf(isText)),
})
