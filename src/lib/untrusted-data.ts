import { cleanUntrustedText } from './invisible.ts'
import { isRecord } from './shape.ts'

type Schema = Readonly<Record<string, unknown>>

/** Maximum of schemas after replacing each `$ref` with its target. */
const MAX_EXPANDED = 10_000
/** Maximum of expanded schemas that apply to the same value. */
const MAX_IN_PLACE = 500
/** Upper bound that keeps sums finite. */
const ENOUGH = 1e9

/** Keywords whose schemas apply to the same value. */
const IN_PLACE = /^(allOf|anyOf|oneOf|not|if|then|else|\$ref|dependentSchemas|dependencies)$/
/** Keywords whose values are objects of named schemas. */
const NAMED = /^(properties|patternProperties|dependentSchemas|dependencies|\$defs|definitions)$/
const DATA = /^(const|default|enum|examples|required|type)$/

/** A subschema and its keyword. */
interface Part {
  readonly keyword: string
  readonly schema: unknown
}

/**
 * Returns why a schema's references are unsafe, as text to follow "its schema". Null if all references resolve within
 * the schema, none loops on the same value, and they don't expand to too many schemas.
 */
function referencesProblem(root: Schema): string | null {
  return new References(root).problem()
}

class References {
  readonly #root: Schema
  readonly #expandedCounts = new Map<object, number>()
  readonly #appliedCounts = new Map<object, number>()
  #problem: string | null = null

  constructor(root: Schema) {
    this.#root = root
  }

  problem(): string | null {
    if (this.#countExpanded(this.#root) > MAX_EXPANDED)
      this.#addProblem(`stands for more than ${MAX_EXPANDED} schemas by its $refs`)
    return this.#problem
  }

  #addProblem(problem: string): void {
    this.#problem ??= problem
  }

  /**
   * Counts the schemas that a schema expands to. A recursive schema (such as a tree's node) counts once within itself.
   */
  #countExpanded(node: unknown): number {
    if (!isRecord(node)) return 1
    const cached = this.#expandedCounts.get(node)
    if (cached !== undefined) return cached
    this.#expandedCounts.set(node, 1)
    if (this.#countApplied(node, new Set()) > MAX_IN_PLACE)
      this.#addProblem(`applies more than ${MAX_IN_PLACE} schemas to one value`)
    const sum = this.#parts(node).reduce(
      (total, { schema }) => total + this.#countExpanded(schema),
      1,
    )
    this.#expandedCounts.set(node, Math.min(sum, ENOUGH))
    return Math.min(sum, ENOUGH)
  }

  /** Counts the schemas that apply to one value. */
  #countApplied(node: unknown, ancestors: Set<object>): number {
    if (!isRecord(node)) return 1
    const cached = this.#appliedCounts.get(node)
    if (cached !== undefined) return cached
    if (ancestors.has(node)) {
      this.#addProblem('has a $ref that leads back to itself')
      return 1
    }
    ancestors.add(node)
    const sum = this.#parts(node)
      .filter(({ keyword }) => IN_PLACE.test(keyword))
      .reduce((total, { schema }) => total + this.#countApplied(schema, ancestors), 1)
    ancestors.delete(node)
    this.#appliedCounts.set(node, Math.min(sum, ENOUGH))
    return Math.min(sum, ENOUGH)
  }

  #parts(node: Schema): readonly Part[] {
    return Object.entries(node).flatMap(([keyword, value]): readonly Part[] => {
      if (DATA.test(keyword)) return []
      if (keyword === '$dynamicRef' || keyword === '$recursiveRef') {
        this.#addProblem(`has ${keyword}, which is not supported`)
        return []
      }
      if (keyword === '$ref') return [{ keyword, schema: this.#target(value) }]
      return schemasAt(keyword, value).map((schema) => ({ keyword, schema }))
    })
  }

  #target(reference: unknown): unknown {
    const target = typeof reference === 'string' ? reference : ''
    if (!/^#(?:\/|$)/.test(target)) {
      this.#addProblem(`refers to ${target.slice(0, 100)}, outside of it`)
      return null
    }
    let resolved: unknown = this.#root
    for (const step of decodeUri(target).split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      resolved =
        typeof resolved === 'object' && resolved !== null && Object.hasOwn(resolved, key)
          ? (resolved as Schema)[key]
          : undefined
    }
    if (resolved === undefined) this.#addProblem('has a $ref that leads nowhere')
    return resolved
  }
}

function schemasAt(keyword: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!isRecord(value)) return []
  return NAMED.test(keyword) ? Object.values(value) : [value]
}

function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Maximum characters of a schema's JSON: more than the parameters of any tool should need. */
const MAX_CHARACTERS = 30_000
const MAX_DEPTH = 40
/** Maximum length of one description. */
const MAX_TEXT = 2000

/** Keywords for readers only: changing them doesn't change which values are valid. */
const TEXT_KEYWORDS = new Set(['description', 'title', '$comment'])

export type UntrustedSchema =
  | { readonly schema: Readonly<Record<string, unknown>> }
  /** Why the schema isn't used, as text to follow "its schema". */
  | { readonly problem: string }

/**
 * Copies a JSON Schema from a page or MCP server, given as an object or as JSON. Undefined or an empty string means no
 * parameters. The copy is plain data of limited size without invisible characters. Its `$ref`s point into the copy, and
 * expand to a limited number of schemas. Doesn't check whether the schema is valid.
 */
export function readUntrustedSchema(value: unknown): UntrustedSchema {
  try {
    const schema = readPart(plainCopy(value), 0) as Readonly<Record<string, unknown>>
    const problem = referencesProblem(schema)
    return problem === null ? { schema } : { problem }
  } catch (thrown) {
    if (thrown instanceof SchemaProblem) return { problem: thrown.message }
    // Thrown by a getter or `toJSON`, or because of a cycle or too deep nesting.
    return { problem: 'is no plain data' }
  }
}

class SchemaProblem extends Error {}

function plainCopy(value: unknown): Readonly<Record<string, unknown>> {
  const text = typeof value === 'string' ? value || '{}' : (JSON.stringify(value) ?? '{}')
  if (text.length > MAX_CHARACTERS)
    throw new SchemaProblem(`is longer than ${MAX_CHARACTERS} characters`)
  const schema: unknown = JSON.parse(text)
  if (!isRecord(schema)) throw new SchemaProblem('is no object')
  return schema
}

function readPart(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new SchemaProblem(`is nested deeper than ${MAX_DEPTH} levels`)
  if (typeof value === 'string') return checkVisible(value)
  if (Array.isArray(value)) return value.map((item) => readPart(item, depth + 1))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === '__proto__') throw new SchemaProblem('has a key named __proto__')
      const isText = TEXT_KEYWORDS.has(key) && typeof part === 'string'
      return [checkVisible(key), isText ? readText(part) : readPart(part, depth + 1)]
    }),
  )
}

/** Rejects invisible characters in names, values and patterns, where each character counts. */
function checkVisible(text: string): string {
  if (cleanUntrustedText(text) !== text)
    throw new SchemaProblem('has invisible characters in a name or value')
  return text
}

function readText(text: string): string {
  const clean = cleanUntrustedText(text)
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}…` : clean
}

/** Copies untrusted plain data, without hidden characters in its texts and keys. */
export function cleanUntrustedData(data: unknown): unknown {
  return JSON.parse(JSON.stringify(data), (_key, value: unknown) => {
    if (typeof value === 'string') return cleanUntrustedText(value)
    if (!isRecord(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, part]) => [cleanUntrustedText(name), part]),
    )
  }) as unknown
}
