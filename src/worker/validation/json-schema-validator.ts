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

/** Creates a validator. Values that `fast` accepts are valid. All others are validated here, to report issues. */
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
    // The value is nested too deeply, for example.
    return false
  }
}

/** A schema prepared for the library. */
interface Prepared {
  readonly root: Schema
  readonly lookup: ReturnType<typeof dereference>
}

const prepared = new WeakMap<JsonSchema, Prepared>()

function prepare(schema: JsonSchema): Prepared {
  const known = prepared.get(schema)
  if (known) return known
  // Copy the schema, because the library adds marks to it.
  const root = JSON.parse(JSON.stringify(schema)) as Schema
  const lookup = dereference(root)
  checkSchema(root, lookup)
  const made = { root, lookup }
  prepared.set(schema, made)
  return made
}

/** All errors; null when there are more than the library can return. */
function allErrors(check: (stopsEarly: boolean) => OutputUnit[]): OutputUnit[] | null {
  try {
    return check(false)
  } catch {
    return null
  }
}

function uncheckable(error: unknown): SchemaIssue {
  // Firefox throws an `InternalError` for too much recursion.
  const tooDeep =
    error instanceof RangeError || (error instanceof Error && error.name === 'InternalError')
  const message = tooDeep ? 'is nested too deeply' : `can't be checked: ${describeThrown(error)}`
  return { path: '', keyword: '', message }
}

/** Removes undefined fields, which a page's hooks and answers may have. They count as missing. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => withoutUndefined(item ?? null))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) =>
      field === undefined ? [] : [[name, withoutUndefined(field)]],
    ),
  )
}
