import type { JsonObject, JsonValue } from '../../../protocol/json.ts'
import type { ToolDefinition } from '../../../protocol/tool.ts'
import { asList, asObjects, asRecord } from '../read-json.ts'

/** The schemas that a vendor accepts for strict tools. */
export interface StrictRules {
  /** Every property must be required: an optional one becomes nullable instead. */
  readonly allRequired: boolean
  /**
   * Accepted keywords besides the structural ones. Others that only narrow a value are left to the check of the call.
   */
  readonly keywords: ReadonlySet<string>
  readonly formats: ReadonlySet<string>
  /** Limits for all strict tools of a request; tools beyond them are sent unchanged. */
  readonly limits: { readonly tools: number; readonly optional: number; readonly unions: number }
}

/** Keywords that only narrow or describe a value: without them a schema accepts more, nothing else. */
const LOOSE: ReadonlySet<string> = new Set(
  `$schema $id $comment title description default examples deprecated readOnly writeOnly format pattern minLength
   maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minItems maxItems uniqueItems`.split(
    /\s+/,
  ),
)
const STRUCTURE: ReadonlySet<string> = new Set(
  'type properties required additionalProperties items enum const anyOf'.split(' '),
)

interface Counting {
  readonly rules: StrictRules
  readonly counts: Counts
}

interface Counts {
  optional: number
  unions: number
}

/** Returns the strict parameters of each tool, in order; null: the tool is sent unchanged. */
export function strictParameters(
  tools: readonly ToolDefinition[],
  rules: StrictRules,
): readonly (JsonObject | null)[] {
  const left = { ...rules.limits }
  return tools.map(({ inputSchema }) => {
    const counts: Counts = { optional: 0, unions: 0 }
    const parameters =
      left.tools > 0 ? strictNode({ type: 'object', ...inputSchema }, { rules, counts }) : null
    if (parameters?.['properties'] === undefined) return null
    if (counts.optional > left.optional || counts.unions > left.unions) return null
    left.tools--
    left.optional -= counts.optional
    left.unions -= counts.unions
    return parameters
  })
}

/** Converts a node; null if strict mode can't express it. */
function strictNode(schema: unknown, counting: Counting): JsonObject | null {
  const { rules, counts } = counting
  const node = asRecord(schema) as JsonObject | undefined
  if (!node || Object.keys(node).some((name) => !LOOSE.has(name) && !STRUCTURE.has(name)))
    return null
  const kept = Object.fromEntries(
    Object.entries(node).filter(([name, value]) =>
      name === 'format'
        ? rules.formats.has(String(value))
        : rules.keywords.has(name) || ['type', 'enum', 'const'].includes(name),
    ),
  )
  if (node['anyOf'] !== undefined || Array.isArray(node['type'])) counts.unions++
  if (node['anyOf'] !== undefined) return strictAlternatives(node, kept, counting)
  const types = [node['type']].flat()
  if (types.includes('object')) return strictObject(node, kept, counting)
  if (types.includes('array')) {
    const items = strictNode(node['items'], counting)
    return items && { ...kept, items }
  }
  const type = node['type'] ?? typeOfValues(node)
  return type === undefined ? null : { type, ...kept }
}

/** Derives the type of a schema that only lists values: every vendor demands a type. */
function typeOfValues({ enum: choices, const: value }: JsonObject): JsonValue | undefined {
  const values = choices === undefined ? [value] : asList(choices)
  const types = [...new Set(values.map((one) => (one === null ? 'null' : typeof one)))]
  const isPlain = types.every((type) => ['null', 'string', 'number', 'boolean'].includes(type))
  return isPlain && types.length > 0 ? (types.length === 1 ? types[0] : types) : undefined
}

function strictAlternatives(
  node: JsonObject,
  kept: JsonObject,
  counting: Counting,
): JsonObject | null {
  const given = asList(node['anyOf'])
  const anyOf = given.map((member) => strictNode(member, counting))
  const isPlain =
    node['properties'] === undefined && node['items'] === undefined && given.length > 0
  return isPlain && isWhole(anyOf) ? { ...kept, anyOf } : null
}

function isWhole(nodes: readonly (JsonObject | null)[]): nodes is readonly JsonObject[] {
  return !nodes.includes(null)
}

function strictObject(node: JsonObject, kept: JsonObject, counting: Counting): JsonObject | null {
  const { rules, counts } = counting
  const given = Object.entries((asRecord(node['properties']) ?? {}) as JsonObject)
  const isClosed = node['additionalProperties'] === false
  // An object without named properties may hold anything, unless it is declared empty.
  if (node['additionalProperties'] !== undefined && !isClosed) return null
  if (given.length === 0 && node['properties'] === undefined && !isClosed) return null
  const required = asList(node['required'])
  const properties: { [name: string]: JsonObject } = {}
  for (const [name, value] of given) {
    const property = strictNode(value, counting)
    if (!property) return null
    const isOptional = !required.includes(name)
    if (isOptional) counts.optional++
    properties[name] = isOptional && rules.allRequired ? orNull(property) : property
  }
  const names = Object.keys(properties)
  return {
    ...kept,
    properties,
    required: rules.allRequired ? names : names.filter((name) => required.includes(name)),
    additionalProperties: false,
  }
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: choices, anyOf, description, ...rest } = schema
  const said = description === undefined ? {} : { description }
  const nothing = { type: 'null' }
  if (anyOf !== undefined) {
    const members = asObjects(anyOf)
    const hasNull = members.some((member) => [member['type']].flat().includes('null'))
    return hasNull ? schema : { ...schema, anyOf: [...members, nothing] }
  }
  if (rest['const'] !== undefined)
    return { ...said, anyOf: [{ ...(type !== undefined && { type }), ...rest }, nothing] }
  const types = [type ?? []].flat()
  const values = asList(choices) as JsonValue[]
  return {
    ...schema,
    type: types.includes('null') ? types : [...types, 'null'],
    ...(choices !== undefined && { enum: values.includes(null) ? values : [...values, null] }),
  }
}
