import type { Schema } from '@cfworker/json-schema'
import { isFlag, isNumber, isRecord, isText, listOf, among, type Check } from '../../lib/shape.ts'

const isType = among(['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'])
const isTypes: Check = (value) =>
  Array.isArray(value) ? value.length > 0 && value.every(isType) : isType(value)
const isNames = listOf(isText)
const isList: Check = (value) => Array.isArray(value)
const isPattern: Check = (value) => {
  if (typeof value !== 'string') return false
  try {
    return new RegExp(value, 'u').unicode
  } catch {
    return false
  }
}
const isNever: Check = () => false

/** Checks for the values of keywords, draft 7's included. Schemas inside them are checked one by one. */
const KEYWORDS: Readonly<Record<string, Check>> = {
  type: isTypes,
  enum: isList,
  required: isNames,
  dependentRequired: (value) => isRecord(value) && Object.values(value).every(isNames),
  pattern: isPattern,
  patternProperties: (value) => isRecord(value) && Object.keys(value).every(isPattern),
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  uniqueItems: isFlag,
  ...each('$id $anchor $ref', isText),
  ...each('properties dependentSchemas dependencies', isRecord),
  ...each('allOf anyOf oneOf prefixItems', isList),
  ...each('minimum maximum exclusiveMinimum exclusiveMaximum', isNumber),
  ...each('minLength maxLength minItems maxItems minProperties maxProperties', isNumber),
  ...each('minContains maxContains', isNumber),
  // The library ignores these keywords, so any value would pass.
  ...each('$dynamicRef $recursiveRef', isNever),
}

function each(keywords: string, check: Check): Record<string, Check> {
  return Object.fromEntries(keywords.split(' ').map((keyword) => [keyword, check]))
}

/**
 * Throws if a reachable part of a schema isn't a schema, or a `$ref` has no target. Also throws if `$ref`s form a
 * circle without a step into the value. The library notices those only with some inputs, or never. Turns OpenAPI's
 * `nullable` into the type `null`.
 */
export function checkSchema(root: Schema, lookup: Readonly<Record<string, unknown>>): void {
  const done = new Set<unknown>()
  const waiting: unknown[] = [root]
  const visit = (schema: unknown, around: ReadonlySet<unknown>): void => {
    if (around.has(schema)) throw new Error('Its $refs lead round in a circle.')
    if (typeof schema === 'boolean' || done.has(schema)) return
    if (!isRecord(schema)) throw new Error(`${JSON.stringify(schema)} is no schema.`)
    checkKeywords(schema)
    const inside = new Set([...around, schema])
    for (const part of [...referred(schema, lookup), ...ofSameValue(schema)]) visit(part, inside)
    done.add(schema)
    waiting.push(...ofParts(schema))
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

function referred(
  { $ref, __absolute_ref__ = $ref }: Schema,
  lookup: Readonly<Record<string, unknown>>,
): unknown[] {
  if ($ref === undefined || __absolute_ref__ === undefined) return []
  const target = lookup[__absolute_ref__]
  if (target === undefined) throw new Error(`Its $ref ${$ref} leads nowhere.`)
  return [target]
}

/** Subschemas that apply to the same value. */
function ofSameValue(schema: Schema): unknown[] {
  const { allOf, anyOf, oneOf, not, if: when, then, else: otherwise } = schema
  const { dependentSchemas, dependencies } = schema
  return [
    ...schemasIn([allOf, anyOf, oneOf, not, when, then, otherwise]),
    ...Object.values({ ...dependentSchemas }),
    ...Object.values({ ...dependencies }).filter((dependency) => !isNames(dependency)),
  ]
}

/** Subschemas that apply to a part of the value. */
function ofParts(schema: Schema): unknown[] {
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
