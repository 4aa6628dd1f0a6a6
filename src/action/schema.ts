import { isRecord } from '../lib/shape.ts'
import type { JsonSchema, JsonValue } from '../protocol/json.ts'

/** The JSON types a value may have. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/**
 * What reading needs of a JSON Schema, with local `$ref` and `allOf` resolved. Everything else
 * (patterns, lengths, ranges) is for the validator that runs before the tool does.
 */
export interface Shape {
  /** Allowed types in the order of the schema; empty when the schema has no type. */
  readonly types: readonly TypeName[]
  /** `enum`, or `const` as a list of one. */
  readonly options: readonly unknown[] | undefined
  /** `anyOf`/`oneOf`. */
  readonly branches: readonly Shape[] | undefined
  readonly properties: ReadonlyMap<string, unknown>
  readonly listsProperties: boolean
  readonly required: ReadonlySet<string>
  /** The schema for keys that aren't listed; undefined when such keys are refused. */
  readonly additional: unknown
  readonly patterns: readonly { readonly pattern: RegExp; readonly schema: unknown }[]
  /** The schema of the list's element at a position. */
  readonly itemAt: (index: number) => unknown
  readonly description: string | undefined
  readonly fallback: JsonValue | undefined
  /** Reads the schemas inside this one. */
  readonly schemas: SchemaReader
}

/** Reads schemas against one root, which its `$ref`s point into. */
export class SchemaReader {
  readonly #root: JsonSchema
  readonly #shapes = new WeakMap<object, Shape>()
  readonly #any: Shape = this.#make({})

  constructor(root: JsonSchema) {
    this.#root = root
  }

  shape(schema: unknown): Shape {
    if (!isRecord(schema)) return this.#any
    const known = this.#shapes.get(schema)
    if (known) return known
    const made = this.#make(this.#flatten(schema, 0))
    this.#shapes.set(schema, made)
    return made
  }

  #make(schema: Record<string, unknown>): Shape {
    const properties = isRecord(schema['properties']) ? schema['properties'] : undefined
    const branches = schema['anyOf'] ?? schema['oneOf']
    return {
      types: readTypes(schema),
      options: readOptions(schema),
      branches: Array.isArray(branches) ? branches.map((branch) => this.shape(branch)) : undefined,
      properties: new Map(Object.entries(properties ?? {})),
      listsProperties: properties !== undefined,
      required: new Set(readStrings(schema['required'])),
      additional: readAdditional(schema, properties !== undefined),
      patterns: readPatterns(schema['patternProperties']),
      itemAt: readItems(schema),
      description: typeof schema['description'] === 'string' ? schema['description'] : undefined,
      fallback: schema['default'] as JsonValue | undefined,
      schemas: this,
    }
  }

  /** Follows local references and folds `allOf` in; at most 32 deep, so a loop of references ends. */
  #flatten(schema: Record<string, unknown>, depth: number): Record<string, unknown> {
    if (depth > 32) return {}
    let flat = schema
    const ref = schema['$ref']
    if (typeof ref === 'string') {
      const target = this.#resolve(ref)
      const { $ref: _, ...rest } = schema
      flat = target ? { ...this.#flatten(target, depth + 1), ...rest } : rest
    }
    if (!Array.isArray(flat['allOf'])) return flat
    const { allOf, ...rest } = flat
    return [...(allOf as unknown[])]
      .filter(isRecord)
      .reduce<Record<string, unknown>>(
        (sum, part) => merge(sum, this.#flatten(part, depth + 1)),
        rest,
      )
  }

  #resolve(ref: string): Record<string, unknown> | undefined {
    if (ref !== '#' && !ref.startsWith('#/')) return undefined
    let at: unknown = this.#root
    for (const step of ref.slice(2).split('/').filter(Boolean)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
      if (!isRecord(at) || !Object.hasOwn(at, key)) return undefined
      at = at[key]
    }
    return isRecord(at) ? at : undefined
  }
}

function merge(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const merged = { ...a, ...b }
  if (isRecord(a['properties']) && isRecord(b['properties']))
    merged['properties'] = { ...a['properties'], ...b['properties'] }
  merged['required'] = [...readStrings(a['required']), ...readStrings(b['required'])]
  return merged
}

function readStrings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : []
}

function readTypes(schema: Record<string, unknown>): readonly TypeName[] {
  const declared = schema['type']
  const types = typeof declared === 'string' ? [declared] : readStrings(declared)
  if (types.length === 0 && isRecord(schema['properties'])) types.push('object')
  else if (types.length === 0 && isRecord(schema['items'])) types.push('array')
  if (types.length > 0 && schema['nullable'] === true) types.push('null')
  return types as TypeName[]
}

function readOptions(schema: Record<string, unknown>): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return Object.hasOwn(schema, 'const') ? [schema['const']] : undefined
}

/** R9, R14: unlisted keys need an explicit permission once a schema lists properties. */
function readAdditional(schema: Record<string, unknown>, listsProperties: boolean): unknown {
  const declared = schema['additionalProperties']
  if (declared === false) return undefined
  if (declared === undefined) return listsProperties ? undefined : {}
  return declared === true ? {} : declared
}

function readPatterns(value: unknown): Shape['patterns'] {
  if (!isRecord(value)) return []
  return Object.entries(value).flatMap(([source, schema]) => {
    try {
      return [{ pattern: new RegExp(source, 'u'), schema }]
    } catch {
      return []
    }
  })
}

function readItems(schema: Record<string, unknown>): (index: number) => unknown {
  const prefix = schema['prefixItems']
  const rest = schema['items']
  if (!Array.isArray(prefix)) return () => rest
  return (index) => (index < prefix.length ? (prefix[index] as unknown) : rest)
}

/** The schema of a key: as listed, by pattern, or as an additional one; undefined when it is refused. */
export function propertySchema(shape: Shape, key: string): unknown {
  if (shape.properties.has(key)) return shape.properties.get(key) ?? {}
  if (key === '__proto__') return undefined
  const matching = shape.patterns.find(({ pattern }) => pattern.test(key))
  return matching ? matching.schema : shape.additional
}

/** Every shape a value may have, unions unfolded. */
export function leaves(shape: Shape): readonly Shape[] {
  return shape.branches ? shape.branches.flatMap(leaves) : [shape]
}

/** The schema has no type, options or branches. */
export function isUntyped(shape: Shape): boolean {
  return shape.types.length === 0 && !shape.options && !shape.branches
}

export function admits(shape: Shape, type: TypeName): boolean {
  return leaves(shape).some((leaf) => leaf.types.includes(type))
}

/** Text is one of the readings: a string type, a string among the options, or no type at all. */
export function admitsText(shape: Shape): boolean {
  return leaves(shape).some(
    (leaf) =>
      leaf.types.includes('string') ||
      isUntyped(leaf) ||
      (leaf.types.length === 0 && leaf.options?.some((option) => typeof option === 'string')),
  )
}
