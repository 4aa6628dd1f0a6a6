import { choicesOf, problemOf } from './check-content.ts'
import type { FieldSchema, FieldsSchema } from './fields.ts'

/** A schema as it may be shown, or why it may not. */
export type FieldsReading =
  | { readonly fields: FieldsSchema }
  /** Each names the field that it is about. */
  | { readonly problems: readonly string[] }

/** More than people fill in, and less than what makes a page slow. */
const MAX = { fields: 50, choices: 500, text: 1000, all: 100_000 } as const

/**
 * Reads a schema that somebody else wrote: what it comes to has nothing but the keywords of `FieldsSchema`, within
 * bounds, and each field can be answered. Annotations of the whole (`$schema`, `title`, `description`) are left out,
 * and `additionalProperties: false`, which holds anyway. Pure.
 */
export function readFields(value: unknown): FieldsReading {
  const root = isObject(value) ? value : {}
  const { type, properties, required = [] } = root
  const foreign = Object.keys(root).filter((key) => !isOfRoot(key, root[key]))
  const problems = foreign.map((key) => `has ${clipped(key)}, and may have ${ROOT}`)
  if (type !== 'object') problems.push("must have type 'object'")
  if (!isObject(properties)) return { problems: [...problems, 'must have properties, by name'] }
  const names = Object.keys(properties)
  if (names.length > MAX.fields) return { problems: [`has more than ${MAX.fields} fields`] }
  if (!isTexts(required) || !required.every((name) => Object.hasOwn(properties, name)))
    problems.push('must have in required a list of names that are in properties')
  problems.push(...problemsOfNames(names))
  for (const name of names)
    problems.push(...problemsOfField(properties[name]).map((words) => `${clipped(name)} ${words}`))
  if (problems.length > 0) return { problems }
  // The boundary: every field of it was looked at.
  const fields = {
    type: 'object',
    properties,
    ...(isTexts(required) && required.length > 0 && { required }),
  } as FieldsSchema
  const size = JSON.stringify(fields).length
  return size > MAX.all ? { problems: [`is longer than ${MAX.all} characters`] } : { fields }
}

const ROOT = 'type, properties and required'

function isOfRoot(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === false
  return ['type', 'properties', 'required', '$schema', 'title', 'description'].includes(key)
}

/** Names become keys of objects and names of form fields. */
function problemsOfNames(names: readonly string[]): string[] {
  const known = new Set<string>()
  return names.flatMap((name) => {
    const folded = name.normalize('NFKC').toLowerCase()
    const isTwin = known.has(folded)
    known.add(folded)
    if (isTwin) return `${clipped(name)} differs from another name by its letter case only`
    const isSound = /^[^\p{C}<>"'`&]{1,64}$/u.test(name) && !(name in Object.prototype)
    return isSound ? [] : `${clipped(name)} can't be a name: take letters, digits and _`
  })
}

const WORDS = ['type', 'title', 'description', 'default']

/** The keywords of a field; null where its type is none. */
function keywordsOf(field: Raw): readonly string[] | null {
  switch (field['type']) {
    case 'string':
      if (Object.hasOwn(field, 'enum')) return [...WORDS, 'enum', 'enumNames']
      if (Object.hasOwn(field, 'oneOf')) return [...WORDS, 'oneOf']
      return [...WORDS, 'minLength', 'maxLength', 'format']
    case 'number':
    case 'integer':
      return [...WORDS, 'minimum', 'maximum']
    case 'boolean':
      return WORDS
    case 'array':
      return [...WORDS, 'items', 'minItems', 'maxItems']
    default:
      return null
  }
}

function problemsOfField(field: unknown): string[] {
  if (!isObject(field)) return ['must be an object with a type']
  const keywords = keywordsOf(field)
  if (!keywords) return ['must have the type string, number, integer, boolean or array']
  const problems = Object.entries(field).flatMap(([key, value]) => {
    if (!keywords.includes(key))
      return `has ${clipped(key)}; a field of its type may have ${keywords.join(', ')}`
    return isKeyword(key, value) ? [] : `has a wrong ${key}: ${EXPECTED[key] ?? ''}`
  })
  if (field['type'] === 'array' && !Object.hasOwn(field, 'items'))
    problems.push(`has no items: ${EXPECTED['items'] ?? ''}`)
  // The boundary: all its keywords were looked at.
  return problems.length > 0 ? problems : contradictions(field as Raw & FieldSchema)
}

/** What each keyword must be, for whoever wrote something else. */
const EXPECTED: { readonly [keyword: string]: string } = {
  title: `a text of ${MAX.text} characters at most`,
  description: `a text of ${MAX.text} characters at most`,
  minLength: 'a whole number from 0',
  maxLength: 'a whole number from 0',
  minItems: 'a whole number from 0',
  maxItems: 'a whole number from 0',
  minimum: 'a number',
  maximum: 'a number',
  format: 'email, uri, date or date-time',
  enum: `a list of 1 to ${MAX.choices} texts`,
  enumNames: `a list of 1 to ${MAX.choices} texts`,
  oneOf: `a list of 1 to ${MAX.choices} objects { const, title }`,
  items: `{ type: 'string', enum } or { anyOf } with 1 to ${MAX.choices} choices`,
}

function isKeyword(key: string, value: unknown): boolean {
  switch (key) {
    case 'title':
    case 'description':
      return isText(value)
    case 'minLength':
    case 'maxLength':
    case 'minItems':
    case 'maxItems':
      return Number.isSafeInteger(value) && Number(value) >= 0
    case 'minimum':
    case 'maximum':
      return Number.isFinite(value)
    case 'format':
      return ['email', 'uri', 'date', 'date-time'].some((format) => format === value)
    case 'enum':
    case 'enumNames':
      return isTexts(value) && isSome(value)
    case 'oneOf':
      return isChoices(value)
    case 'items':
      if (!isObject(value)) return false
      if (Object.hasOwn(value, 'anyOf'))
        return hasOnly(value, ['anyOf']) && isChoices(value['anyOf'])
      return (
        hasOnly(value, ['type', 'enum']) &&
        value['type'] === 'string' &&
        isKeyword('enum', value['enum'])
      )
    // The type was looked at before, and the default is among the contradictions.
    default:
      return true
  }
}

/** Where the keywords are right one by one, and no answer or none of the choices would be. */
function contradictions(field: Raw & FieldSchema): string[] {
  const problems: string[] = []
  const { default: preset, ...bounds }: Raw = field
  for (const [low, high] of BOUNDS)
    if (Number(bounds[low] ?? -Infinity) > Number(bounds[high] ?? Infinity))
      problems.push(`has a ${low} above its ${high}`)
  const choices = choicesOf(field)
  if (choices && isRepeated(choices.map((choice) => choice.const)))
    problems.push('offers the same value twice')
  else if (choices && isRepeated(choices.map(({ title }) => title)))
    problems.push('offers two values of the same title')
  if (Number(bounds['minItems'] ?? 0) > (choices?.length ?? Infinity))
    problems.push('has a minItems above the number of its choices')
  const { enum: values, enumNames } = bounds
  if (isTexts(values) && isTexts(enumNames) && values.length !== enumNames.length)
    problems.push('has more or fewer enumNames than values')
  const wrong = problems.length > 0 || preset === undefined ? null : problemOf(field, preset)
  return wrong === null ? problems : [`has a wrong default: it ${wrong}`]
}

const BOUNDS = [
  ['minLength', 'maxLength'],
  ['minimum', 'maximum'],
  ['minItems', 'maxItems'],
] as const

interface Raw {
  readonly [key: string]: unknown
}

function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX.text
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

function isSome(list: readonly unknown[]): boolean {
  return list.length > 0 && list.length <= MAX.choices
}

function isChoices(value: unknown): boolean {
  if (!Array.isArray(value) || !isSome(value)) return false
  return value.every(
    (choice) =>
      isObject(choice) &&
      hasOnly(choice, ['const', 'title']) &&
      isText(choice['const']) &&
      isText(choice['title']),
  )
}

function hasOnly(value: Raw, keys: readonly string[]): boolean {
  return Object.keys(value).every((key) => keys.includes(key))
}

function isRepeated(texts: readonly string[]): boolean {
  return new Set(texts).size < texts.length
}

/** A name in quotation marks, shortened to fit words. */
function clipped(name: string): string {
  return `'${name.length > 40 ? `${name.slice(0, 39)}…` : name}'`
}
