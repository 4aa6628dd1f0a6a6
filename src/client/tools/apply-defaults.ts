import { isRecord } from '../../lib/is-record.ts'
import type { JsonSchema, JsonValue } from '../../protocol/json.ts'
import type { CallContext } from '../../protocol/page-calls.ts'

/** Returns the call with defaults applied to its input. */
export function withDefaults(call: CallContext, schema: JsonSchema): CallContext {
  return { ...call, input: applyDefaults(schema, call.input) }
}

/**
 * Fills in the `default` of each missing property, at any depth. `anyOf`, `oneOf`, `if` and `not` add nothing: the
 * matching branch may depend on the defaults.
 */
export function applyDefaults(root: JsonSchema, input: JsonValue): JsonValue {
  /** `around`: schemas already being applied to this value, which a `$ref` must not apply again. */
  function fill(schema: unknown, value: JsonValue, around: readonly unknown[] = []): JsonValue {
    if (!isRecord(schema) || around.includes(schema)) return value
    const inside = [...around, schema]
    const sameValue = [targetOf(root, schema['$ref']), ...listOf(schema['allOf'])]
    const filled = sameValue.reduce<JsonValue>((result, part) => fill(part, result, inside), value)
    if (Array.isArray(filled)) {
      const itemSchemas = listOf(schema['prefixItems'])
      return filled.map((item: JsonValue, index) =>
        fill(itemSchemas[index] ?? schema['items'], item),
      )
    }
    if (!isRecord(filled)) return filled
    const entries = new Map(Object.entries(filled))
    const properties = isRecord(schema['properties']) ? schema['properties'] : {}
    for (const [name, property] of Object.entries(properties))
      if (!entries.has(name) && isRecord(property) && property['default'] !== undefined)
        entries.set(name, structuredClone(property['default'] as JsonValue))
    for (const [name, item] of entries) {
      const isKnown = Object.hasOwn(properties, name)
      entries.set(name, fill(isKnown ? properties[name] : schema['additionalProperties'], item))
    }
    return Object.fromEntries(entries)
  }
  return fill(root, input)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Resolves a `$ref` within the schema. */
function targetOf(root: JsonSchema, reference: unknown): unknown {
  if (typeof reference !== 'string' || !reference.startsWith('#')) return undefined
  return reference
    .slice(1)
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((node, step) => (isNested(node, step) ? node[step] : undefined), root)
}

function isNested(node: unknown, step: string): node is Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null && Object.hasOwn(node, step)
}
