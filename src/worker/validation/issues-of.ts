import type { OutputUnit, Schema } from '@cfworker/json-schema'
import { wordsOf } from './keyword-words.ts'
import { stepsOf } from './pointer.ts'
import type { SchemaIssue } from './validator.ts'

/** Most issues to report. Nobody reads more. */
const MAX_ISSUES = 50

/** Converts the library's errors to issues. `schema` and `lookup` are those that it evaluated. */
export function issuesOf(
  errors: readonly OutputUnit[],
  schema: Schema,
  lookup: Readonly<Record<string, unknown>>,
): SchemaIssue[] {
  const issues: SchemaIssue[] = []
  const closed = [...new Set(errors.flatMap(closes))]
  for (const [at, { keyword, keywordLocation, instanceLocation, error }] of errors.entries()) {
    if (issues.length === MAX_ISSUES) break
    if (keyword === 'false' && refusesNamed(errors[at - 1])) continue
    if (closed.some((place) => keywordLocation.startsWith(place))) continue
    const message = wordsOf(keyword, limitAt(keywordLocation, schema, lookup), error)
    const path = decodeURIComponent(instanceLocation.slice(1))
    if (message !== null) issues.push({ path, keyword, message })
  }
  return issues
}

/** Locations of errors about single items or names. The error of the keyword itself covers them. */
function closes({ keyword, keywordLocation }: OutputUnit): string[] {
  switch (keyword) {
    case 'contains':
    case 'propertyNames':
      return [`${keywordLocation}/`]
    case 'minContains':
      return [keywordLocation.replace(/minContains$/, 'contains/')]
    default:
      return []
  }
}

/** Whether the `false` error that follows is about the property that this error names. */
function refusesNamed(error: OutputUnit | undefined): boolean {
  return error?.keyword === 'additionalProperties' || error?.keyword === 'unevaluatedProperties'
}

/** Value of a failed keyword in the schema. */
function limitAt(
  location: string,
  schema: Schema,
  lookup: Readonly<Record<string, unknown>>,
): unknown {
  let place: unknown = schema
  for (const step of stepsOf(decodeURIComponent(location))) {
    if (typeof place !== 'object' || place === null) return undefined
    const { [step]: next, __absolute_ref__: target } = place as Schema
    // A property may be called `$ref`, too.
    place = step === '$ref' && typeof next === 'string' ? lookup[target ?? next] : (next as unknown)
  }
  return place
}
