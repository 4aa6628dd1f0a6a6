import { cached } from '../../conversation/cached.ts'
import type { JsonSchema } from '../../protocol/json.ts'
import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema'
import { describeThrown } from '../../protocol/error.ts'
import {
  among,
  type ShapeCheck,
  isBoolean,
  isNumber,
  isRecord,
  isText,
  listOf,
} from '../../lib/shape.ts'

/** The steps of a JSON pointer. */
export function stepsOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** A way in which a value breaks its schema. */
export interface SchemaIssue {
  /** JSON pointer into the value, `''` for the whole. */
  readonly path: string
  /** The schema keyword that failed; `''` if the value could not be checked. */
  readonly keyword: string
  /** Text that follows the value's name: `must be string`. */
  readonly message: string
}

/** A JSON Schema (draft 2020-12) validator. */
export interface Validator {
  /**
   * Returns the first 50 issues, or none if the value is valid. Throws for an invalid schema. `owner` names the source
   * of the schema.
   */
  validate(schema: JsonSchema, value: unknown, owner?: string): readonly SchemaIssue[]
}

/** Accepts valid values quickly. The worker's own validator checks all others and reports their issues. */
export interface FastValidator {
  /** Whether the value is valid. If it throws, the worker's own validator decides. */
  fits(schema: JsonSchema, value: unknown): boolean
}

/**
 * More `$ref`s than data needs, but less than a second of work. If a schema refers to itself twice for one property,
 * each level of a value doubles the checks.
 */
const MAX_FOLLOWED = 100_000

/** Counts the `$ref`s that are followed during one check of a value. Throws once there are too many. */
function boundedLookup<Lookup extends object>(lookup: Lookup): Lookup {
  let followed = 0
  return new Proxy(lookup, {
    get(target, reference) {
      if (++followed > MAX_FOLLOWED)
        throw new Error(`its schema takes more than ${MAX_FOLLOWED} steps with this value`)
      return Reflect.get(target, reference) as unknown
    },
  })
}

const isType = among(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const isTypes: ShapeCheck = (value) =>
  Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value)
const isNames = listOf(isText)
const isList: ShapeCheck = (value) => Array.isArray(value)
const isPattern: ShapeCheck = (value) => {
  if (typeof value !== 'string') return false
  try {
    return new RegExp(value, 'u').unicode
  } catch {
    return false
  }
}
const isNever: ShapeCheck = () => false

/** Checks of keyword values, for draft 7's keywords, too. `checkSchema` checks the schemas within a value. */
const KEYWORDS: Readonly<Record<string, ShapeCheck>> = {
  type: isTypes,
  enum: isList,
  required: isNames,
  dependentRequired: (value) => isRecord(value) && Object.values(value).every(isNames),
  pattern: isPattern,
  patternProperties: (value) => isRecord(value) && Object.keys(value).every(isPattern),
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  uniqueItems: isBoolean,
  ...keywordsWith('$id $anchor $ref', isText),
  ...keywordsWith('properties dependentSchemas dependencies', isRecord),
  ...keywordsWith('allOf anyOf oneOf prefixItems', isList),
  ...keywordsWith('minimum maximum exclusiveMinimum exclusiveMaximum', isNumber),
  ...keywordsWith('minLength maxLength minItems maxItems minProperties maxProperties', isNumber),
  ...keywordsWith('minContains maxContains', isNumber),
  // The library ignores these keywords, so any value would pass.
  ...keywordsWith('$dynamicRef $recursiveRef', isNever),
}

function keywordsWith(keywords: string, check: ShapeCheck): Record<string, ShapeCheck> {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, check]))
}

/**
 * Throws if a reachable part of a schema isn't a schema, or a `$ref` has no target. Also throws if `$ref`s form a
 * circle without a step into the value. The library notices such faults only with some inputs, or never. Turns
 * OpenAPI's `nullable` into the type `null`.
 */
function checkSchema(root: Schema, lookup: Readonly<Record<string, unknown>>): void {
  const checked = new Set<unknown>()
  const waiting: unknown[] = [root]
  const visit = (schema: unknown, ancestors: ReadonlySet<unknown>): void => {
    if (ancestors.has(schema)) throw new Error('Its $refs lead round in a circle.')
    if (typeof schema === 'boolean' || checked.has(schema)) return
    if (!isRecord(schema)) throw new Error(`${JSON.stringify(schema)} is no schema.`)
    checkKeywords(schema)
    const chain = new Set([...ancestors, schema])
    for (const part of [...refTargets(schema, lookup), ...sameValueSchemas(schema)])
      visit(part, chain)
    checked.add(schema)
    waiting.push(...partSchemas(schema))
  }
  for (const schema of waiting) visit(schema, new Set())
}

function checkKeywords(schema: Schema): void {
  for (const [keyword, value] of Object.entries(schema))
    if (Object.hasOwn(KEYWORDS, keyword) && !KEYWORDS[keyword]?.(value))
      throw new Error(`Its ${keyword} can't be ${JSON.stringify(value)}.`)
  if (schema['nullable'] === true && schema.type)
    schema.type = [schema.type, 'null' as const].flat()
}

function refTargets(
  { $ref, __absolute_ref__ = $ref }: Schema,
  lookup: Readonly<Record<string, unknown>>,
): unknown[] {
  if ($ref === undefined || __absolute_ref__ === undefined) return []
  const target = lookup[__absolute_ref__]
  if (target === undefined) throw new Error(`Its $ref ${$ref} leads nowhere.`)
  return [target]
}

/** Subschemas that apply to the same value. */
function sameValueSchemas(schema: Schema): unknown[] {
  const { allOf, anyOf, oneOf, not, if: when, then, else: otherwise } = schema
  const { dependentSchemas, dependencies } = schema
  return [
    ...schemasIn([allOf, anyOf, oneOf, not, when, then, otherwise]),
    ...Object.values({ ...dependentSchemas }),
    ...Object.values({ ...dependencies }).filter((dependency) => !isNames(dependency)),
  ]
}

/** Subschemas that apply to a part of the value. */
function partSchemas(schema: Schema): unknown[] {
  const { prefixItems, items, additionalItems, unevaluatedItems, contains } = schema
  const { properties, patternProperties, propertyNames } = schema
  const { additionalProperties, unevaluatedProperties } = schema
  return [
    ...schemasIn([prefixItems, items, additionalItems, unevaluatedItems, contains]),
    ...schemasIn([propertyNames, additionalProperties, unevaluatedProperties]),
    ...Object.values({ ...properties, ...patternProperties }),
  ]
}

function schemasIn(values: readonly unknown[]): unknown[] {
  return values.flatMap((value) => (value === undefined ? [] : value))
}

/** Makes the message that follows the value's name. `limit`: the keyword's value. `sentence`: the library's message. */
type MessageMaker = (limit: unknown, sentence: string) => string | null

const MESSAGES: Readonly<Record<string, MessageMaker>> = {
  type: (limit) => `must be ${[limit].flat().join(' or ')}`,
  enum: (limit) => `must be one of ${shorten([limit].flat().map(json).join(', '))}`,
  const: (limit) => `must be ${json(limit)}`,
  required: (_limit, sentence) => `must have required property ${quoted(sentence)}`,
  dependentRequired: dependent,
  dependencies: dependent,
  additionalProperties: unexpectedProperty,
  unevaluatedProperties: unexpectedProperty,
  propertyNames: (limit, sentence) =>
    `must not have the property ${quoted(sentence)}: names must fit ${json(limit)}`,
  minProperties: (limit) => `must have ${String(limit)} properties or more`,
  maxProperties: (limit) => `must have ${String(limit)} properties or fewer`,
  minItems: (limit) => `must have ${String(limit)} items or more`,
  maxItems: (limit) => `must have ${String(limit)} items or fewer`,
  contains: (limit) => `must have an item that fits ${json(limit)}`,
  minContains: (limit) => `must have ${String(limit)} items or more that fit "contains"`,
  maxContains: (limit) => `must have ${String(limit)} items or fewer that fit "contains"`,
  uniqueItems: (_limit, sentence) =>
    `must have each item once, and has the same at ${(sentence.match(/\d+/g) ?? []).join(' and ')}`,
  minimum: (limit) => `must be ${String(limit)} or more`,
  maximum: (limit) => `must be ${String(limit)} or less`,
  exclusiveMinimum: (limit) => `must be more than ${String(limit)}`,
  exclusiveMaximum: (limit) => `must be less than ${String(limit)}`,
  multipleOf: (limit) => `must be a multiple of ${String(limit)}`,
  minLength: (limit) => `must have ${String(limit)} characters or more`,
  maxLength: (limit) => `must have ${String(limit)} characters or fewer`,
  pattern: (limit) => `must match the pattern ${String(limit)}`,
  anyOf: () => 'must fit one or more of the schemas in anyOf',
  oneOf: (_limit, sentence) =>
    `must fit exactly one of the schemas in oneOf, and fits ${/\d+/.exec(sentence)?.[0]}`,
  not: (limit) => `must not fit ${json(limit)}`,
  false: () => 'must not be there',
}

/** Message for a failed keyword. Null if the keyword failed only because a schema within it did. */
function messageFor(keyword: string, limit: unknown, sentence: string): string | null {
  return MESSAGES[keyword]?.(limit, sentence) ?? null
}

function dependent(_limit: unknown, sentence: string): string | null {
  const [, name, missing] = /^Instance has "(.*)" but does not have "(.*)"\.$/s.exec(sentence) ?? []
  return name === undefined ? null : `must have '${missing}' where it has '${name}'`
}

function unexpectedProperty(limit: unknown, sentence: string): string | null {
  return limit === false ? `must not have the property ${quoted(sentence)}` : null
}

/** The quoted name in a message of the library. */
function quoted(sentence: string): string {
  return `'${/"(.*)"/s.exec(sentence)?.[1]}'`
}

function json(value: unknown): string {
  return shorten(JSON.stringify(value) ?? 'nothing')
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}

/** Most issues to report. Nobody reads more. */
const MAX_ISSUES = 50

/**
 * Converts the library's errors to issues. `schema` and `lookup`: the evaluated schema, and the targets of its `$ref`s.
 */
function issuesOf(
  errors: readonly OutputUnit[],
  schema: Schema,
  lookup: Readonly<Record<string, unknown>>,
): SchemaIssue[] {
  const issues: SchemaIssue[] = []
  const covered = [...new Set(errors.flatMap(coveredLocations))]
  for (const [index, { keyword, keywordLocation, instanceLocation, error }] of errors.entries()) {
    if (issues.length === MAX_ISSUES) break
    if (keyword === 'false' && namesProperty(errors[index - 1])) continue
    if (covered.some((prefix) => keywordLocation.startsWith(prefix))) continue
    const message = messageFor(keyword, keywordValue(keywordLocation, schema, lookup), error)
    const path = decodeURIComponent(instanceLocation.slice(1))
    if (message !== null) issues.push({ path, keyword, message })
  }
  return issues
}

/** Locations of errors about single items or names, which this error covers. */
function coveredLocations({ keyword, keywordLocation }: OutputUnit): string[] {
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
function namesProperty(error: OutputUnit | undefined): boolean {
  return error?.keyword === 'additionalProperties' || error?.keyword === 'unevaluatedProperties'
}

/** Value of a failed keyword in the schema. */
function keywordValue(
  location: string,
  schema: Schema,
  lookup: Readonly<Record<string, unknown>>,
): unknown {
  let current: unknown = schema
  for (const step of stepsOf(decodeURIComponent(location))) {
    if (typeof current !== 'object' || current === null) return undefined
    const { [step]: next, __absolute_ref__: target } = current as Schema
    // A property may be called `$ref`, too.
    current =
      step === '$ref' && typeof next === 'string' ? lookup[target ?? next] : (next as unknown)
  }
  return current
}

/** Validates without generating code, which a Content-Security-Policy may forbid. */
export const jsonSchemaValidator: Validator = createValidator()

/** Creates a validator. Values that `fast` accepts are valid. All others are validated here, to report issues. */
export function createValidator(fast?: FastValidator): Validator {
  return {
    validate(schema, input) {
      const { root, lookup } = prepare(schema)
      let value: unknown
      const check = (stopsEarly: boolean): OutputUnit[] =>
        validate(value, root, '2020-12', boundedLookup(lookup), stopsEarly).errors
      let first: OutputUnit[]
      try {
        value = withoutUndefined(input)
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

const prepare = cached((schema: JsonSchema): Prepared => {
  // Copy the schema, because the library adds marks to it.
  const root = JSON.parse(JSON.stringify(schema)) as Schema
  const lookup = dereference(root)
  checkSchema(root, lookup)
  return { root, lookup }
})

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
