import type { JsonObject, JsonValue } from '../../../protocol/json.ts'
import type { ToolDefinition } from '../../../protocol/tool.ts'
import { asList, asObject, asObjects, asRecord } from '../read-json.ts'

/** The schemas that a vendor accepts for strict tools. */
export interface StrictRules {
  /** Every property must be required. Optional properties become nullable instead. */
  readonly allRequired: boolean
  /**
   * Accepted keywords besides the structural ones. Other keywords that only narrow a value are removed, and checked
   * after the call.
   */
  readonly keywords: ReadonlySet<string>
  readonly formats: ReadonlySet<string>
  /** Limits for all strict tools of a request; tools beyond them are sent unchanged. */
  readonly limits: { readonly tools: number; readonly optional: number; readonly unions: number }
}

/** Keywords that only narrow or describe a value: a schema without them accepts more values, but none less. */
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

/** Returns the strict parameters of each tool, in order. Null for a tool that is sent unchanged. */
export function strictParameters(
  tools: readonly ToolDefinition[],
  rules: StrictRules,
): readonly (JsonObject | null)[] {
  const remaining = { ...rules.limits }
  return tools.map(({ inputSchema }) => {
    const counts: Counts = { optional: 0, unions: 0 }
    const parameters =
      remaining.tools > 0 ? strictNode({ type: 'object', ...inputSchema }, { rules, counts }) : null
    if (parameters?.['properties'] === undefined) return null
    if (counts.optional > remaining.optional || counts.unions > remaining.unions) return null
    remaining.tools--
    remaining.optional -= counts.optional
    remaining.unions -= counts.unions
    return parameters
  })
}

/** Converts a node; null if strict mode can't express it. */
function strictNode(schema: unknown, counting: Counting): JsonObject | null {
  const { rules, counts } = counting
  const node = asRecord(schema) as JsonObject | undefined
  if (!node || Object.keys(node).some((name) => !LOOSE.has(name) && !STRUCTURE.has(name)))
    return null
  const keptKeywords = Object.fromEntries(
    Object.entries(node).filter(([name, value]) =>
      name === 'format'
        ? rules.formats.has(String(value))
        : rules.keywords.has(name) || ['type', 'enum', 'const'].includes(name),
    ),
  )
  if (node['anyOf'] !== undefined || Array.isArray(node['type'])) counts.unions++
  if (node['anyOf'] !== undefined) return strictAlternatives(node, keptKeywords, counting)
  const types = [node['type']].flat()
  if (types.includes('object')) return strictObject(node, keptKeywords, counting)
  if (types.includes('array')) {
    const items = strictNode(node['items'], counting)
    return items && { ...keptKeywords, items }
  }
  const type = node['type'] ?? typeOfValues(node)
  return type === undefined ? null : { type, ...keptKeywords }
}

/** Derives the type of a schema that only lists values: every vendor demands a type. */
function typeOfValues({ enum: choices, const: value }: JsonObject): JsonValue | undefined {
  const values = choices === undefined ? [value] : asList(choices)
  const types = [...new Set(values.map((item) => (item === null ? 'null' : typeof item)))]
  const isPlain = types.every((type) => ['null', 'string', 'number', 'boolean'].includes(type))
  return isPlain && types.length > 0 ? (types.length === 1 ? types[0] : types) : undefined
}

function strictAlternatives(
  node: JsonObject,
  keptKeywords: JsonObject,
  counting: Counting,
): JsonObject | null {
  const members = asList(node['anyOf'])
  const anyOf = members.map((member) => strictNode(member, counting))
  const isPlain =
    node['properties'] === undefined && node['items'] === undefined && members.length > 0
  return isPlain && isComplete(anyOf) ? { ...keptKeywords, anyOf } : null
}

function isComplete(nodes: readonly (JsonObject | null)[]): nodes is readonly JsonObject[] {
  return !nodes.includes(null)
}

function strictObject(
  node: JsonObject,
  keptKeywords: JsonObject,
  counting: Counting,
): JsonObject | null {
  const { rules, counts } = counting
  const entries = Object.entries(asObject(node['properties']))
  const isClosed = node['additionalProperties'] === false
  // An object without named properties may hold anything, unless it is declared empty.
  if (node['additionalProperties'] !== undefined && !isClosed) return null
  if (entries.length === 0 && node['properties'] === undefined && !isClosed) return null
  const required = asList(node['required'])
  const properties: { [name: string]: JsonObject } = {}
  for (const [name, value] of entries) {
    const property = strictNode(value, counting)
    if (!property) return null
    const isOptional = !required.includes(name)
    if (isOptional) counts.optional++
    properties[name] = isOptional && rules.allRequired ? orNull(property) : property
  }
  const names = Object.keys(properties)
  return {
    ...keptKeywords,
    properties,
    required: rules.allRequired ? names : names.filter((name) => required.includes(name)),
    additionalProperties: false,
  }
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: choices, anyOf, description, ...rest } = schema
  const descriptionField = description === undefined ? {} : { description }
  const nullType = { type: 'null' }
  if (anyOf !== undefined) {
    const members = asObjects(anyOf)
    const hasNull = members.some((member) => [member['type']].flat().includes('null'))
    return hasNull ? schema : { ...schema, anyOf: [...members, nullType] }
  }
  if (rest['const'] !== undefined)
    return {
      ...descriptionField,
      anyOf: [{ ...(type !== undefined && { type }), ...rest }, nullType],
    }
  const types = [type ?? []].flat()
  const values = asList(choices) as JsonValue[]
  return {
    ...schema,
    type: types.includes('null') ? types : [...types, 'null'],
    ...(choices !== undefined && { enum: values.includes(null) ? values : [...values, null] }),
  }
}
