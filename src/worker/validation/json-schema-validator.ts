import { dereference, validate, type OutputUnit, type Schema } from '@cfworker/json-schema'
import { describeThrown } from '../../protocol/error.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { isRecord } from '../../lib/shape.ts'
import { boundedLookup } from './bounded-lookup.ts'
import { checkSchema } from './check-schema.ts'
import { issuesOf } from './issues-of.ts'
import type { FastValidator, SchemaIssue, Validator } from './validator.ts'

/** Validates without generating code, which a Content-Security-Policy may forbid. */
export const jsonSchemaValidator: Validator = createValidator()

/** Creates a validator. Values that `fast` accepts are valid; all others are validated here, which reports issues. */
export function createValidator(fast?: FastValidator): Validator {
  return {
    validate(schema, given) {
      const { root, lookup } = prepare(schema)
      let value: unknown
      const check = (stopsEarly: boolean): OutputUnit[] =>
        validate(value, root, '2020-12', boundedLookup(lookup), stopsEarly).errors
      let first: OutputUnit[]
      try {
        value = withoutUndefined(given)
        if (fast && accepts(fast, schema, value)) return []
        first = check(true)
      } catch (error) {
        return [uncheckable(error)]
      }
      if (first.length === 0) return []
      return issuesOf(allErrors(check) ?? first, root, lookup)
    },
  }
}

function accepts(fast: FastValidator, schema: JsonSchema, value: unknown): boolean {
  try {
    return fast.fits(schema, value)
  } catch {
    // Nested too deeply, for example.
    return false
  }
}

/** A schema as the library evaluates it. */
interface Prepared {
  readonly root: Schema
  readonly lookup: ReturnType<typeof dereference>
}

const prepared = new WeakMap<JsonSchema, Prepared>()

function prepare(schema: JsonSchema): Prepared {
  const known = prepared.get(schema)
  if (known) return known
  // A copy, since the library marks what it is given.
  const root = JSON.parse(JSON.stringify(schema)) as Schema
  const lookup = dereference(root)
  checkSchema(root, lookup)
  const made = { root, lookup }
  prepared.set(schema, made)
  return made
}

/** Null where there are more errors than the library can pass on. */
function allErrors(check: (stopsEarly: boolean) => OutputUnit[]): OutputUnit[] | null {
  try {
    return check(false)
  } catch {
    return null
  }
}

function uncheckable(error: unknown): SchemaIssue {
  // Firefox has an error of its own for it.
  const tooDeep =
    error instanceof RangeError || (error instanceof Error && error.name === 'InternalError')
  const message = tooDeep ? 'is nested too deeply' : `can't be checked: ${describeThrown(error)}`
  return { path: '', keyword: '', message }
}

/** Hooks and answers of a page may have fields that are undefined, which are as good as absent. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutUndefined(item ?? null))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === undefined ? [] : [[name, withoutUndefined(field)]],
    ),
  )
}
