import { withoutHidden } from './invisible.ts'
import { referencesProblem } from './schema-references.ts'
import { isRecord } from './shape.ts'

/** Longer than what describes the parameters of one tool. Characters of JSON. */
const MAX_CHARACTERS = 30_000
const MAX_DEPTH = 40
/** Of one description in it. */
const MAX_WORDS = 2000

/** What is for reading only: it can be changed without changing what fits. */
const WORDS = new Set(['description', 'title', '$comment'])

export type ForeignSchema =
  | { readonly schema: Readonly<Record<string, unknown>> }
  /** Why it isn't used; follows "its schema". */
  | { readonly problem: string }

/**
 * A copy of a JSON Schema that somebody else wrote (a page, an MCP server): an object, or its JSON; absent or empty
 * means no parameters. Plain data of limited size, without invisible characters, whose `$ref`s stay within it and
 * can't multiply. That it is a valid schema is not checked here.
 */
export function readForeignSchema(given: unknown): ForeignSchema {
  try {
    const schema = readPart(plainCopy(given), 0) as Readonly<Record<string, unknown>>
    const problem = referencesProblem(schema)
    return problem === null ? { schema } : { problem }
  } catch (thrown) {
    if (thrown instanceof SchemaProblem) return { problem: thrown.message }
    // A getter or a toJSON of its own, a cycle, or too deep for the engine.
    return { problem: 'is no plain data' }
  }
}

class SchemaProblem extends Error {}

function plainCopy(given: unknown): Readonly<Record<string, unknown>> {
  const text = typeof given === 'string' ? given || '{}' : (JSON.stringify(given) ?? '{}')
  if (text.length > MAX_CHARACTERS)
    throw new SchemaProblem(`is longer than ${MAX_CHARACTERS} characters`)
  const schema: unknown = JSON.parse(text)
  if (!isRecord(schema)) throw new SchemaProblem('is no object')
  return schema
}

function readPart(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new SchemaProblem(`is nested deeper than ${MAX_DEPTH} levels`)
  if (typeof value === 'string') return visible(value)
  if (Array.isArray(value)) return value.map((item) => readPart(item, depth + 1))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      if (key === '__proto__') throw new SchemaProblem('has a key named __proto__')
      const isWords = WORDS.has(key) && typeof part === 'string'
      return [visible(key), isWords ? readWords(part) : readPart(part, depth + 1)]
    }),
  )
}

/** Where each character counts: names, values, patterns. */
function visible(text: string): string {
  if (withoutHidden(text) !== text)
    throw new SchemaProblem('has invisible characters in a name or value')
  return text
}

function readWords(text: string): string {
  const words = withoutHidden(text)
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words
}
