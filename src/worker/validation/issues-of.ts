import type { OutputUnit, Schema } from '@cfworker/json-schema'
import { wordsOf } from './keyword-words.ts'
import { stepsOf } from './pointer.ts'
import type { SchemaIssue } from './validator.ts'

/** More than anybody reads. */
const MAX_ISSUES = 50

/** What the library found, in words. `schema` and `lookup` are those that it evaluated. */
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

/** Where the errors of single items or names are: that none of them fits has words of its own. */
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

/** The `false` behind it is that of the property that it names. */
function refusesNamed(error: OutputUnit | undefined): boolean {
  return error?.keyword === 'additionalProperties' || error?.keyword === 'unevaluatedProperties'
}

/** What the schema says at the place of a keyword that failed. */
function limitAt(
  location: string,
  schema: Schema,
  lookup: Readonly<Record<string, unknown>>,
): unknown {
  let place: unknown = schema
  for (const step of stepsOf(decodeURIComponent(location))) {
    if (typeof place !== 'object' || place === null) return undefined
    const { [step]: next, __absolute_ref__: target } = place as Schema
    // A property may have that name.
    place = step === '$ref' && typeof next === 'string' ? lookup[target ?? next] : (next as unknown)
  }
  return place
}
