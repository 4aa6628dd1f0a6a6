import type { JsonObject, JsonSchema, JsonValue } from '../../../protocol/json.ts'
import { asList, asObject, asObjects, asRecord, asText } from '../read-json.ts'

/** Maximum number of converted nodes per schema; the target of a `$ref` counts each time. */
const MAX_NODES = 5_000

interface Conversion {
  readonly root: JsonObject
  /** References being resolved around this node. If one recurs, it is a cycle. */
  readonly open: readonly string[]
  readonly budget: { nodes: number }
}

/** Keywords that the Schema object lacks but that help a model. They are added to the description. */
const DESCRIBED_KEYWORDS = [
  'const',
  'default',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'pattern',
] as const

/**
 * Converts a tool's parameters to the part of JSON Schema that every endpoint accepts. This is OpenAPI 3.0's Schema
 * object in Google's version (https://ai.google.dev/api/caching#Schema), which refuses unknown keywords. The result may
 * allow more than the original, which still checks the model's input.
 */
export function portableSchema(schema: JsonSchema): JsonObject {
  const root = asObject(schema)
  const portable = convert(
    { type: 'object', ...root },
    { root, open: ['#'], budget: { nodes: MAX_NODES } },
  )
  const { anyOf, ...rest } = portable
  return anyOf === undefined ? portable : { ...rest, ...mergeObjects(asObjects(anyOf)) }
}

/**
 * Merges several objects into one, since most endpoints refuse alternatives at the top level. Properties that all
 * objects require stay required.
 */
function mergeObjects(members: readonly JsonObject[]): JsonObject {
  const properties = Object.assign(
    {},
    ...members.map((member) => member['properties']),
  ) as JsonObject
  const required = asList(members[0]?.['required']).filter((name) =>
    members.every((member) => asList(member['required']).includes(name)),
  )
  return { type: 'object', properties, ...(required.length > 0 && { required }) } as JsonObject
}

/** Reduces a portable schema to names and types. */
export function minimalSchema(portable: JsonObject): JsonObject {
  const [first] = asObjects(portable['anyOf'])
  if (first) return minimalSchema(first)
  const { type = 'object', properties, required, items } = portable
  return {
    type,
    ...(asRecord(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties as JsonObject).map(([name, value]) => [
          name,
          minimalSchema(value as JsonObject),
        ]),
      ),
    }),
    ...(required !== undefined && { required }),
    ...(asRecord(items) && { items: minimalSchema(items as JsonObject) }),
  }
}

function convert(node: JsonValue | undefined, context: Conversion): JsonObject {
  const object = asRecord(node) as JsonObject | undefined
  if (!object || --context.budget.nodes < 0) return { type: 'string' }
  if (typeof object['$ref'] === 'string') return convertReference(object, object['$ref'], context)
  const schema = mergeAllOf(object)
  const members = ['anyOf', 'oneOf'].flatMap((name) => asObjects(schema[name]))
  if (members.length > 0 && schema['properties'] === undefined)
    return alternatives(schema, members, context)
  const types = asList(schema['type']).filter((type) => typeof type === 'string')
  if (types.length > 0)
    return alternatives(
      schema,
      types.map((type) => ({ ...schema, type })),
      context,
    )
  return plainNode(schema, context)
}

/** Inlines `{ "$ref": "#/$defs/x" }`: endpoints support no references. */
function convertReference(node: JsonObject, ref: string, context: Conversion): JsonObject {
  const { $ref: _, ...siblings } = node
  if (context.open.includes(ref)) return convert({ type: 'object', ...siblings }, context)
  const target = ref
    .replace(/^#\/?/, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, name) => asRecord(value)?.[name], context.root)
  const resolved = ref.startsWith('#/') ? (asRecord(target) as JsonObject | undefined) : undefined
  return convert({ ...resolved, ...siblings }, { ...context, open: [...context.open, ref] })
}

/** Merges `allOf` into one schema. */
function mergeAllOf(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema
  return [...asObjects(allOf), rest].reduce((merged, part) => {
    const properties = { ...asRecord(merged['properties']), ...asRecord(part['properties']) }
    const required = [...asList(merged['required']), ...asList(part['required'])]
    return {
      ...merged,
      ...part,
      ...(Object.keys(properties).length > 0 && { properties }),
      ...(required.length > 0 && { required }),
    } as JsonObject
  }, {})
}

/** Converts alternatives. `anyOf` must be the only keyword, so each member repeats the shared description. */
function alternatives(
  { description }: JsonObject,
  members: readonly JsonObject[],
  context: Conversion,
): JsonObject {
  const nonNull = members.filter((member) => !isNull(member))
  const isNullable = nonNull.length < members.length
  const converted = nonNull.map((member) => ({
    ...convert({ ...(description !== undefined && { description }), ...member }, context),
    ...(isNullable && { nullable: true }),
  }))
  const [single] = converted
  if (!single) return { type: 'string', nullable: true }
  return converted.length === 1 ? single : { anyOf: converted }
}

function isNull({ type, const: value }: JsonObject): boolean {
  return type === 'null' || value === null
}

function plainNode(schema: JsonObject, context: Conversion): JsonObject {
  const type = typeOf(schema)
  const choices = asList(schema['enum'])
  const textChoices = choices.filter((choice) => asText(choice) !== undefined)
  const values = type === 'string' && 'const' in schema ? [schema['const']] : textChoices
  const isNamed = type === 'string' && values.every((value) => asText(value) !== undefined)
  const description = describe(schema, isNamed ? [] : choices)
  return {
    type,
    ...(description !== '' && { description }),
    ...((choices.includes(null) || schema['nullable'] === true) && { nullable: true }),
    ...(isNamed && values.length > 0 && { enum: values as JsonValue[] }),
    ...(schema['format'] === 'date-time' && type === 'string' && { format: 'date-time' }),
    ...(type === 'object' && objectFields(schema, context)),
    ...(type === 'array' && arrayFields(schema, context)),
    ...(/^(number|integer)$/.test(type) && pickNumbers(schema, ['minimum', 'maximum'])),
  }
}

function typeOf(schema: JsonObject): string {
  if (typeof schema['type'] === 'string')
    return schema['type'] === 'null' ? 'string' : schema['type']
  if (schema['properties'] !== undefined) return 'object'
  if (schema['items'] !== undefined || schema['prefixItems'] !== undefined) return 'array'
  const sample = schema['const'] ?? asList(schema['enum']).find((choice) => choice !== null)
  return typeof sample === 'number' || typeof sample === 'boolean' ? typeof sample : 'string'
}

function describe(schema: JsonObject, choices: readonly unknown[]): string {
  const notes = DESCRIBED_KEYWORDS.flatMap((name) =>
    schema[name] === undefined ? [] : [`${name}: ${JSON.stringify(schema[name])}`],
  )
  if (choices.length > 0)
    notes.unshift(`one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`)
  const format = asText(schema['format'])
  if (format !== undefined && format !== 'date-time') notes.push(`format: ${format}`)
  const text = asText(schema['description']) ?? asText(schema['title']) ?? ''
  return notes.length === 0 ? text : `${text} (${notes.join('; ')})`.trim()
}

function objectFields(schema: JsonObject, context: Conversion): JsonObject {
  const entries = Object.entries(asObject(schema['properties'])).filter(
    ([, value]) => value !== false,
  )
  if (entries.length === 0) return {}
  const properties = Object.fromEntries(
    entries.map(([name, value]) => [name, convert(value, context)]),
  )
  const required = asList(schema['required']).filter(
    (name): name is string => typeof name === 'string' && Object.hasOwn(properties, name),
  )
  return { properties, ...(required.length > 0 && { required }) }
}

function arrayFields(schema: JsonObject, context: Conversion): JsonObject {
  const { items, prefixItems } = schema
  const tupleItems = Array.isArray(items) ? asObjects(items) : asObjects(prefixItems)
  const item =
    tupleItems.length > 0 ? alternatives({}, tupleItems, context) : convert(items, context)
  return { items: item, ...pickNumbers(schema, ['minItems', 'maxItems']) }
}

function pickNumbers(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = schema[name]
      // Many servers read limits as 64-bit integers, so larger numbers are left out.
      const isPlain = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
      return isPlain ? [[name, value]] : []
    }),
  ) as JsonObject
}
