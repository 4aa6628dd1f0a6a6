import { isRecord } from '../lib/shape.ts'
import type { JsonSchema, JsonValue } from '../protocol/json.ts'

/** The JSON types of a value. */
export type TypeName = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object'

/**
 * The parts of a JSON Schema that are needed for reading, with local `$ref` and `allOf` resolved. The validator that
 * runs before the tool checks everything else (patterns, lengths, ranges).
 */
export interface Shape {
  /** Allowed types in the order of the schema; empty if the schema has no type. */
  readonly types: readonly TypeName[]
  /** Values of `enum`, or of `const` as a list with one entry. */
  readonly options: readonly unknown[] | undefined
  /** Schemas of `anyOf` or `oneOf`. */
  readonly branches: readonly Shape[] | undefined
  readonly properties: ReadonlyMap<string, unknown>
  readonly listsProperties: boolean
  readonly required: ReadonlySet<string>
  /** Schema for unlisted keys; undefined if the schema refuses such keys. */
  readonly additional: unknown
  readonly patterns: readonly { readonly pattern: RegExp; readonly schema: unknown }[]
  /** Returns the shape of the list's element at an index. */
  readonly itemAt: (index: number) => Shape
  readonly description: string | undefined
  readonly fallback: JsonValue | undefined
  /** Reader of the schemas inside this one. */
  readonly schemaReader: SchemaReader
}

/** Reads schemas relative to one root, which `$ref`s point into. */
export class SchemaReader {
  readonly #root: JsonSchema
  readonly #shapes = new WeakMap<object, Shape>()
  readonly #any: Shape = this.#createShape({})

  constructor(root: JsonSchema) {
    this.#root = root
  }

  shape(schema: unknown): Shape {
    if (!isRecord(schema)) return this.#any
    const cached = this.#shapes.get(schema)
    if (cached) return cached
    const shape = this.#createShape(this.#flatten(schema, 0))
    this.#shapes.set(schema, shape)
    return shape
  }

  #createShape(schema: Record<string, unknown>): Shape {
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
      itemAt: (index) => this.shape(itemSchema(schema, index)),
      description: typeof schema['description'] === 'string' ? schema['description'] : undefined,
      fallback: schema['default'] as JsonValue | undefined,
      schemaReader: this,
    }
  }

  /** Resolves local references and merges `allOf`. At most 32 levels deep, so that circular references end. */
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
    let node: unknown = this.#root
    for (const step of ref.slice(2).split('/').filter(Boolean)) {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
      if (!isRecord(node) || !Object.hasOwn(node, key)) return undefined
      node = node[key]
    }
    return isRecord(node) ? node : undefined
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
  return [value].flat().filter((entry) => typeof entry === 'string')
}

function readTypes(schema: Record<string, unknown>): readonly TypeName[] {
  const types = readStrings(schema['type'])
  if (types.length === 0 && isRecord(schema['properties'])) types.push('object')
  else if (types.length === 0 && isRecord(schema['items'])) types.push('array')
  if (types.length > 0 && schema['nullable'] === true) types.push('null')
  return types as TypeName[]
}

function readOptions(schema: Record<string, unknown>): readonly unknown[] | undefined {
  if (Array.isArray(schema['enum'])) return schema['enum']
  return Object.hasOwn(schema, 'const') ? [schema['const']] : undefined
}

/** R9, R14: a schema that lists properties allows unlisted keys only explicitly. */
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

function itemSchema({ prefixItems, items }: Record<string, unknown>, index: number): unknown {
  return Array.isArray(prefixItems) && index in prefixItems ? prefixItems[index] : items
}

/**
 * Returns the schema of a key, which is listed, matches a pattern, or is additional. Undefined if the key is refused.
 */
export function propertySchema(shape: Shape, key: string): unknown {
  if (shape.properties.has(key)) return shape.properties.get(key) ?? {}
  if (key === '__proto__') return undefined
  const matching = shape.patterns.find(({ pattern }) => pattern.test(key))
  return matching ? matching.schema : shape.additional
}

/** Returns all shapes a value may have, with unions expanded. */
export function expandUnions(shape: Shape): readonly Shape[] {
  return shape.branches ? shape.branches.flatMap(expandUnions) : [shape]
}

/** Returns whether the schema has no type, options or branches. */
export function isUntyped(shape: Shape): boolean {
  return shape.types.length === 0 && !shape.options && !shape.branches
}

export function admits(shape: Shape, type: TypeName): boolean {
  return expandUnions(shape).some((leaf) => leaf.types.includes(type))
}

/** Returns whether the value may be text: a string type, a string option, or no type at all. */
export function admitsText(shape: Shape): boolean {
  return expandUnions(shape).some(
    (leaf) =>
      leaf.types.includes('string') ||
      isUntyped(leaf) ||
      (leaf.types.length === 0 && leaf.options?.some((option) => typeof option === 'string')),
  )
}
