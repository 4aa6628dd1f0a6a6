import { OffstageError } from '../protocol/error.ts'
import { isExponential } from './slow-pattern.ts'

/** Keywords whose values are data, and those whose values are schemas by name. */
const DATA = /^(const|default|enum|examples)$/
const NAMED = /^(properties|patternProperties|dependentSchemas|\$defs|definitions)$/

/**
 * Throws `schema-unsupported` for a pattern that a model's input could hang the worker with: no
 * expression can be stopped once it runs.
 */
export function checkPatterns(schema: unknown, of: string): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'pattern') checkPattern(value, of)
    if (keyword === 'patternProperties')
      for (const key of Object.keys(value ?? {})) checkPattern(key, of)
    if (NAMED.test(keyword))
      for (const named of Object.values(value ?? {})) checkPatterns(named, of)
    else if (!DATA.test(keyword)) checkPatterns(value, of)
  }
}

function checkPattern(pattern: unknown, of: string): void {
  if (typeof pattern === 'string' && isExponential(pattern))
    throw new OffstageError(
      'schema-unsupported',
      `The pattern ${pattern} ${of} can take forever on some inputs. Write it without a repetition of what repeats, or check the input in execute().`,
    )
}
