import { OffstageError } from '../../protocol/error.ts'
import { type Effort, isExponential, someEffort } from './slow-pattern.ts'

export { someEffort }

/** `DATA`: keywords whose values are data. `NAMED`: keywords whose values are schemas by name. */
const DATA = /^(const|default|enum|examples)$/
const NAMED = /^(properties|patternProperties|dependentSchemas|\$defs|definitions)$/

/**
 * Throws `schema-unsupported` for a pattern that could hang the worker on a model's input: a running regular
 * expression can't be stopped. Also throws if a pattern takes too long to judge, since schemas may be untrusted, too.
 */
export function checkPatterns(schema: unknown, of: string, effort: Effort = someEffort()): void {
  for (const pattern of patternsIn(schema)) checkPattern(pattern, of, effort)
}

/** The first invalid regular expression, which would make every call fail. Undefined if all are valid. */
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
