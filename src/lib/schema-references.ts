import { isRecord } from './shape.ts'

type Schema = Readonly<Record<string, unknown>>

/** Schemas that one stands for once each `$ref` is replaced by what it refers to. */
const MAX_EXPANDED = 10_000
/** Of these, those that are applied to one and the same value. */
const MAX_IN_PLACE = 500
/** So that no sum becomes infinite. */
const ENOUGH = 1e9

/** Keywords whose schemas apply to the same value again. */
const IN_PLACE = /^(allOf|anyOf|oneOf|not|if|then|else|\$ref|dependentSchemas|dependencies)$/
/** Those whose values are schemas by name. */
const NAMED = /^(properties|patternProperties|dependentSchemas|dependencies|\$defs|definitions)$/
const DATA = /^(const|default|enum|examples|required|type)$/

/** A part of a schema that is one, and the keyword that it stands at. */
interface Part {
  readonly keyword: string
  readonly schema: unknown
}

/**
 * Why the references in a schema can't be followed without danger; follows "its schema". Null: each leads to a place
 * within it, none back to itself with the same value, and few of them stand for few schemas.
 */
export function referencesProblem(root: Schema): string | null {
  return new References(root).problem()
}

class References {
  readonly #root: Schema
  readonly #expanded = new Map<object, number>()
  readonly #inPlace = new Map<object, number>()
  #problem: string | null = null

  constructor(root: Schema) {
    this.#root = root
  }

  problem(): string | null {
    if (this.#expand(this.#root) > MAX_EXPANDED)
      this.#found(`stands for more than ${MAX_EXPANDED} schemas by its $refs`)
    return this.#problem
  }

  #found(problem: string): void {
    this.#problem ??= problem
  }

  /** How many schemas one stands for. One that is within itself counts once there: a tree's nodes are like that. */
  #expand(node: unknown): number {
    if (!isRecord(node)) return 1
    const known = this.#expanded.get(node)
    if (known !== undefined) return known
    this.#expanded.set(node, 1)
    if (this.#applied(node, new Set()) > MAX_IN_PLACE)
      this.#found(`applies more than ${MAX_IN_PLACE} schemas to one value`)
    const sum = this.#parts(node).reduce((all, { schema }) => all + this.#expand(schema), 1)
    this.#expanded.set(node, Math.min(sum, ENOUGH))
    return Math.min(sum, ENOUGH)
  }

  /** How many of them are applied to one value. */
  #applied(node: unknown, around: Set<object>): number {
    if (!isRecord(node)) return 1
    const known = this.#inPlace.get(node)
    if (known !== undefined) return known
    if (around.has(node)) {
      this.#found('has a $ref that leads back to itself')
      return 1
    }
    around.add(node)
    const sum = this.#parts(node)
      .filter(({ keyword }) => IN_PLACE.test(keyword))
      .reduce((all, { schema }) => all + this.#applied(schema, around), 1)
    around.delete(node)
    this.#inPlace.set(node, Math.min(sum, ENOUGH))
    return Math.min(sum, ENOUGH)
  }

  #parts(node: Schema): readonly Part[] {
    return Object.entries(node).flatMap(([keyword, value]): readonly Part[] => {
      if (DATA.test(keyword)) return []
      if (keyword === '$dynamicRef' || keyword === '$recursiveRef') {
        this.#found(`has ${keyword}, which is not supported`)
        return []
      }
      if (keyword === '$ref') return [{ keyword, schema: this.#target(value) }]
      return schemasAt(keyword, value).map((schema) => ({ keyword, schema }))
    })
  }

  #target(reference: unknown): unknown {
    const target = typeof reference === 'string' ? reference : ''
    if (!/^#(?:\/|$)/.test(target)) {
      this.#found(`refers to ${target.slice(0, 100)}, outside of it`)
      return null
    }
    let place: unknown = this.#root
    for (const step of decoded(target).split('/').slice(1)) {
      const key = step.replaceAll('~1', '/').replaceAll('~0', '~')
      place =
        typeof place === 'object' && place !== null && Object.hasOwn(place, key)
          ? (place as Schema)[key]
          : undefined
    }
    if (place === undefined) this.#found('has a $ref that leads nowhere')
    return place
  }
}

function schemasAt(keyword: string, value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (!isRecord(value)) return []
  return NAMED.test(keyword) ? Object.values(value) : [value]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
