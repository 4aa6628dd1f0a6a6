import { OffstageError } from '../protocol/error.ts'
import { type Effort, isExponential, someEffort } from './slow-pattern.ts'

export { someEffort }

/** Keywords whose values are data, and those whose values are schemas by name. */
const DATA = /^(const|default|enum|examples)$/
const NAMED = /^(properties|patternProperties|dependentSchemas|\$defs|definitions)$/

/**
 * Throws `schema-unsupported` for a pattern that a model's input could hang the worker with: no
 * expression can be stopped once it runs. The same for one that takes too long to judge: schemas are others' words, too.
 */
export function checkPatterns(schema: unknown, of: string, effort: Effort = someEffort()): void {
  for (const pattern of patternsIn(schema)) checkPattern(pattern, of, effort)
}

/** The pattern that is no expression, with which each call would be refused; undefined: there is none. */
export function brokenPattern(schema: unknown): string | undefined {
  for (const pattern of patternsIn(schema))
    try {
      void new RegExp(String(pattern), 'u')
    } catch {
      return String(pattern)
    }
  return undefined
}

function* patternsIn(schema: unknown): Generator<unknown> {
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern') yield value
    if (keyword === 'patternProperties') yield* Object.keys(value ?? {})
    if (NAMED.test(keyword))
      for (const named of Object.values(value ?? {})) yield* patternsIn(named)
    else if (!DATA.test(keyword)) yield* patternsIn(value)
  }
}

function checkPattern(pattern: unknown, of: string, effort: Effort): void {
  if (typeof pattern === 'string' && isExponential(pattern, effort))
    throw new OffstageError(
      'schema-unsupported',
      `The pattern ${pattern} ${of} may take forever on some inputs. Write it without nested repetition, or check the input in execute().`,
    )
}
