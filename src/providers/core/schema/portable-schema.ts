import type { JsonObject, JsonSchema, JsonValue } from '../../../protocol/json.ts'
import { asList, asObjects, asRecord, asText } from '../read-json.ts'

/** Maximum number of converted nodes per schema; the target of a `$ref` counts each time. */
const MAX_NODES = 5_000

interface Conversion {
  readonly root: JsonObject
  /** References that lead here; one that recurs is a cycle. */
  readonly open: readonly string[]
  readonly budget: { left: number }
}

/** Keywords that the Schema object lacks but a model can use: they are added to the description. */
const SAID = [
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
 * Converts a tool's parameters to the part of JSON Schema that every endpoint accepts: OpenAPI 3.0's Schema object as
 * Google has it (https://ai.google.dev/api/caching#Schema), which refuses unknown keywords. The result may be looser
 * than the original, which still checks the model's input.
 */
export function portableSchema(schema: JsonSchema): JsonObject {
  const root = (asRecord(schema) ?? {}) as JsonObject
  const portable = convert(
    { type: 'object', ...root },
    { root, open: ['#'], budget: { left: MAX_NODES } },
  )
  const { anyOf, ...rest } = portable
  return anyOf === undefined ? portable : { ...rest, ...oneObject(asObjects(anyOf)) }
}

/**
 * Merges several objects into one, since most endpoints refuse alternatives at the top. Requires what all of them
 * require.
 */
function oneObject(members: readonly JsonObject[]): JsonObject {
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
  const given = asRecord(node) as JsonObject | undefined
  if (!given || --context.budget.left < 0) return { type: 'string' }
  if (typeof given['$ref'] === 'string') return convertReference(given, given['$ref'], context)
  const schema = withParts(given)
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
function convertReference(given: JsonObject, ref: string, context: Conversion): JsonObject {
  const { $ref: _, ...beside } = given
  if (context.open.includes(ref)) return convert({ type: 'object', ...beside }, context)
  const target = ref
    .replace(/^#\/?/, '')
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, name) => asRecord(at)?.[name], context.root)
  const found = ref.startsWith('#/') ? (asRecord(target) as JsonObject | undefined) : undefined
  return convert({ ...found, ...beside }, { ...context, open: [...context.open, ref] })
}

/** Merges `allOf` into one schema. */
function withParts(schema: JsonObject): JsonObject {
  const { allOf, ...rest } = schema
  return [...asObjects(allOf), rest].reduce((all, part) => {
    const properties = { ...asRecord(all['properties']), ...asRecord(part['properties']) }
    const required = [...asList(all['required']), ...asList(part['required'])]
    return {
      ...all,
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
  const told = members.filter((member) => !isNull(member))
  const isNullable = told.length < members.length
  const converted = told.map((member) => ({
    ...convert({ ...(description !== undefined && { description }), ...member }, context),
    ...(isNullable && { nullable: true }),
  }))
  const [only] = converted
  if (!only) return { type: 'string', nullable: true }
  return converted.length === 1 ? only : { anyOf: converted }
}

function isNull({ type, const: value }: JsonObject): boolean {
  return type === 'null' || value === null
}

function plainNode(schema: JsonObject, context: Conversion): JsonObject {
  const type = typeOf(schema)
  const choices = asList(schema['enum'])
  const named = choices.filter((choice) => asText(choice) !== undefined)
  const values = type === 'string' && 'const' in schema ? [schema['const']] : named
  const isNamed = type === 'string' && values.every((value) => asText(value) !== undefined)
  const said = words(schema, isNamed ? [] : choices)
  return {
    type,
    ...(said !== '' && { description: said }),
    ...((choices.includes(null) || schema['nullable'] === true) && { nullable: true }),
    ...(isNamed && values.length > 0 && { enum: values as JsonValue[] }),
    ...(schema['format'] === 'date-time' && type === 'string' && { format: 'date-time' }),
    ...(type === 'object' && objectFields(schema, context)),
    ...(type === 'array' && arrayFields(schema, context)),
    ...(/^(number|integer)$/.test(type) && numbers(schema, ['minimum', 'maximum'])),
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

function words(schema: JsonObject, choices: readonly unknown[]): string {
  const said = SAID.flatMap((name) =>
    schema[name] === undefined ? [] : [`${name}: ${JSON.stringify(schema[name])}`],
  )
  if (choices.length > 0)
    said.unshift(`one of ${choices.map((one) => JSON.stringify(one)).join(', ')}`)
  const format = asText(schema['format'])
  if (format !== undefined && format !== 'date-time') said.push(`format: ${format}`)
  const text = asText(schema['description']) ?? asText(schema['title']) ?? ''
  return said.length === 0 ? text : `${text} (${said.join('; ')})`.trim()
}

function objectFields(schema: JsonObject, context: Conversion): JsonObject {
  const given = Object.entries((asRecord(schema['properties']) ?? {}) as JsonObject).filter(
    ([, value]) => value !== false,
  )
  if (given.length === 0) return {}
  const properties = Object.fromEntries(
    given.map(([name, value]) => [name, convert(value, context)]),
  )
  const required = asList(schema['required']).filter(
    (name): name is string => typeof name === 'string' && Object.hasOwn(properties, name),
  )
  return { properties, ...(required.length > 0 && { required }) }
}

function arrayFields(schema: JsonObject, context: Conversion): JsonObject {
  const { items, prefixItems } = schema
  const places = Array.isArray(items) ? asObjects(items) : asObjects(prefixItems)
  const item = places.length > 0 ? alternatives({}, places, context) : convert(items, context)
  return { items: item, ...numbers(schema, ['minItems', 'maxItems']) }
}

function numbers(schema: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = schema[name]
      // Many servers read them as 64-bit integers.
      const isPlain = typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER
      return isPlain ? [[name, value]] : []
    }),
  ) as JsonObject
}
