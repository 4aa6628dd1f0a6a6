import { cleanName } from '../client/clean-name.ts'
import { isRecord } from '../lib/shape.ts'

/** More than tools need, and less than what makes a worker or a model's context slow. */
const MAX = { characters: 60_000, depth: 40, looks: 20_000, inPlace: 500 } as const

/** Keywords that look at the same value again, and those whose values are schemas by name. */
const IN_PLACE = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  '$ref',
  'dependentSchemas',
]
const NAMED = /^(properties|patternProperties|dependentSchemas|\$defs|definitions)$/
const DATA = /^(const|default|enum|examples|required|type)$/

/**
 * Why a schema that somebody else wrote is not used; null: it may be. Bounds its size, and what a validator could be
 * made to do by references within it: nothing is fetched, and nothing grows by powers. Pure.
 */
export function schemaProblem(schema: unknown): string | null {
  if (!isRecord(schema)) return 'has no inputSchema'
  if (depthOf(schema) > MAX.depth)
    return `has an inputSchema that is nested more than ${MAX.depth} deep`
  if (JSON.stringify(schema).length > MAX.characters)
    return `has an inputSchema of more than ${MAX.characters} characters`
  return new References(schema).problem() ?? toolProblem(schema)
}

const TYPE = /^(object|array|string|number|integer|boolean|null)$/

/** What no tool of an agent may have (`prepareTool` would throw): a schema of no object, parameters that become one. */
function toolProblem(schema: Readonly<Record<string, unknown>>): string | null {
  const { type, properties = {} } = schema
  const isObject = type === 'object' || (type === undefined && Object.keys(schema).length === 0)
  if (!isObject || !isSound(schema)) return 'has an inputSchema that is none of an object'
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
    [type].flat().every((name) => TYPE.test(String(name))) &&
    Array.isArray(required) &&
    required.every((name) => typeof name === 'string') &&
    isRecord(properties) &&
    Object.values(properties).every(isSound)
  )
}

/** Not by recursion: the depth is what isn't known. */
function depthOf(schema: unknown): number {
  let level: unknown[] = [schema]
  let depth = 0
  while (level.length > 0 && depth <= MAX.depth) {
    level = level.flatMap((node) =>
      typeof node === 'object' && node !== null ? Object.values(node as object) : [],
    )
    depth++
  }
  return depth
}

class References {
  readonly #root: Readonly<Record<string, unknown>>
  /** Of each schema, how much it looks at once its references are followed. */
  readonly #looks = new Map<object, number>()
  readonly #inPlace = new Map<object, number>()
  #problem: string | null = null

  constructor(root: Readonly<Record<string, unknown>>) {
    this.#root = root
  }

  problem(): string | null {
    if (this.#all(this.#root) > MAX.looks) this.#problem ??= 'has references that multiply'
    return this.#problem
  }

  /** A schema that is within itself counts once there: a tree's nodes are like that. */
  #all(node: unknown): number {
    if (!isRecord(node)) return 1
    const known = this.#looks.get(node)
    if (known !== undefined) return known
    this.#looks.set(node, 1)
    if (this.#once(node, new Set()) > MAX.inPlace)
      this.#problem ??= 'has a schema that looks at one value too often'
    let sum = 1
    for (const { schema } of this.#parts(node)) sum = Math.min(sum + this.#all(schema), 1e9)
    this.#looks.set(node, sum)
    return sum
  }

  /** How often one value is looked at. */
  #once(node: unknown, open: Set<object>): number {
    if (!isRecord(node)) return 1
    const known = this.#inPlace.get(node)
    if (known !== undefined) return known
    if (open.has(node)) {
      this.#problem ??= 'has a $ref that leads back to itself'
      return 1
    }
    open.add(node)
    let sum = 1
    for (const { schema, keyword } of this.#parts(node))
      if (IN_PLACE.includes(keyword)) sum = Math.min(sum + this.#once(schema, open), 1e9)
    open.delete(node)
    this.#inPlace.set(node, sum)
    return sum
  }

  #parts(
    node: Readonly<Record<string, unknown>>,
  ): { readonly keyword: string; readonly schema: unknown }[] {
    return Object.entries(node).flatMap(([keyword, value]) => {
      if (DATA.test(keyword)) return []
      if (keyword === '$dynamicRef' || keyword === '$recursiveRef') {
        this.#problem ??= `has ${keyword}, which is not supported`
        return []
      }
      if (keyword === '$ref') return [{ keyword, schema: this.#target(value) }]
      const schemas =
        Array.isArray(value) || (NAMED.test(keyword) && isRecord(value))
          ? Object.values(value)
          : isRecord(value)
            ? [value]
            : []
      return schemas.map((schema) => ({ keyword, schema }))
    })
  }

  /** What a reference leads to in the same schema. */
  #target(reference: unknown): unknown {
    const [, pointer] = /^#((?:\/[^/]*)*)$/.exec(String(reference)) ?? []
    if (pointer === undefined) {
      this.#problem ??= 'has a $ref that leads out of its schema'
      return null
    }
    let node: unknown = this.#root
    for (const step of pointer.split('/').slice(1)) {
      const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~')
      node = isSchema(node) && Object.hasOwn(node, key) ? node[key] : undefined
    }
    if (node === undefined) this.#problem ??= 'has a $ref that leads nowhere'
    return node
  }
}

function isSchema(node: unknown): node is Readonly<Record<string, unknown>> {
  return typeof node === 'object' && node !== null
}

function decoded(step: string): string {
  try {
    return decodeURIComponent(step)
  } catch {
    return step
  }
}
