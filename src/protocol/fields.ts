/**
 * Fields of a question: a flat object of simple fields, in the restricted JSON Schema of MCP's elicitation
 * (`requestedSchema` and `PrimitiveSchemaDefinition` of its schema 2026-07-28). A model writes all texts: show them as
 * text, never as markup.
 */
export interface FieldsSchema {
  readonly type: 'object'
  /** Fields by name. */
  readonly properties: { readonly [name: string]: FieldSchema }
  /** Names of required fields. Default: none. */
  readonly required?: readonly string[]
}

/** Schema of one field in a question's form, told apart by `type`. */
export type FieldSchema = TextField | NumberField | BooleanField | ChoiceField | ChoicesField

interface FieldWords {
  /** Display name. Default: the field's name. */
  readonly title?: string
  readonly description?: string
}

/** Field for a text. Its answer is checked by length and format. */
export interface TextField extends FieldWords {
  readonly type: 'string'
  /** Length in code points. */
  readonly minLength?: number
  readonly maxLength?: number
  readonly format?: FieldFormat
  /** Initial value in the form. Not added to an answer that lacks the field. */
  readonly default?: string
}

/** Formats of a text field: `date` is `2026-07-28`, and `date-time` adds a time with its offset. */
export type FieldFormat = 'email' | 'uri' | 'date' | 'date-time'

/** Field for a number, or for a whole number (`integer`). */
export interface NumberField extends FieldWords {
  readonly type: 'number' | 'integer'
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: number
}

/** Field for yes or no. */
export interface BooleanField extends FieldWords {
  readonly type: 'boolean'
  readonly default?: boolean
}

/** A choice of exactly one value. */
export type ChoiceField = FieldWords & {
  readonly type: 'string'
  readonly default?: string
} & (
    | {
        readonly enum: readonly string[]
        /** Display names of the values, in the same order. */
        readonly enumNames?: readonly string[]
      }
    | { readonly oneOf: readonly FieldChoice[] }
  )

/** A choice of any number of values, each at most once. */
export interface ChoicesField extends FieldWords {
  readonly type: 'array'
  readonly items:
    | { readonly type: 'string'; readonly enum: readonly string[] }
    | { readonly anyOf: readonly FieldChoice[] }
  readonly minItems?: number
  readonly maxItems?: number
  readonly default?: readonly string[]
}

/** Value that a person can choose, with the name that is shown. */
export interface FieldChoice {
  /** Value in the answer if a person chooses this. */
  readonly const: string
  /** Display name. */
  readonly title: string
}

/** Value of one field in an answer. An array holds the choices of a `ChoicesField`. */
export type FieldValue = string | number | boolean | readonly string[]

/** Values by field name. */
export interface FieldValues {
  readonly [name: string]: FieldValue
}

/** A person's answer to a question: MCP's `ElicitResult`. */
export type QuestionAnswer =
  | {
      readonly action: 'accept'
      /** Default: no values. */
      readonly content?: FieldValues
    }
  /** The person refused to answer. */
  | { readonly action: 'decline' }
  /** The person closed the question without a choice. */
  | { readonly action: 'cancel' }

/** Returns whether a text has one of JSON Schema's formats, which most validators don't check. */
export function hasFormat(text: string, format: FieldFormat): boolean {
  switch (format) {
    case 'email':
      return isEmail(text)
    case 'uri':
      return isUri(text)
    case 'date':
      return isDate(text)
    case 'date-time':
      return TIME.test(text.slice(10)) && isDate(text.slice(0, 10))
    default:
      return format satisfies never
  }
}

/** Accepts RFC 5321's mailbox without quoted names and address literals, with RFC 6531's non-ASCII letters. */
function isEmail(text: string): boolean {
  const [local = '', domain = '', more] = text.split('@')
  return (
    more === undefined &&
    text.length <= 254 &&
    local.length <= 64 &&
    /^(?!\.)(?:\.?[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-])+$/u.test(local) &&
    domain.split('.').every((label) => /^(?!-)[\p{L}\p{M}\p{N}-]{1,63}$(?<!-)/u.test(label))
  )
}

/** Accepts RFC 3986 with a scheme. Non-ASCII letters may be unescaped, because people copy addresses that way. */
function isUri(text: string): boolean {
  try {
    new URL(text)
  } catch {
    return false
  }
  return /^[a-z][a-z\d+.-]*:(?:%[\da-f]{2}|[^%\s<>"\\^`{|}\p{Cc}])+$/iu.test(text)
}

/** Returns whether the text is an existing day in RFC 3339's full-date format. */
function isDate(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Time part of RFC 3339's date-time, with seconds (including leap seconds) and an offset. */
const TIME =
  /^t(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** A problem with one field of an answer. */
interface FieldProblem {
  readonly field: string
  /** Text to append to the field's name: `must be a date …`. */
  readonly problem: string
}

/** Returns the problems of an answer to these fields; empty if it is valid. Pure. */
export function checkContent(
  { properties, required = [] }: FieldsSchema,
  content: { readonly [name: string]: unknown },
): FieldProblem[] {
  const missing = required.filter((name) => !Object.hasOwn(content, name))
  return [
    ...missing.map((field) => ({ field, problem: 'is missing' })),
    ...Object.entries(content).flatMap(([field, value]) => {
      const schema = Object.hasOwn(properties, field) ? properties[field] : undefined
      const problem = schema ? problemOf(schema, value) : 'is none of the fields'
      return problem === null ? [] : [{ field, problem }]
    }),
  ]
}

/** Returns the choices of a field, or null for other fields. */
export function choicesOf(field: FieldSchema): readonly FieldChoice[] | null {
  if (field.type === 'array')
    return 'anyOf' in field.items ? field.items.anyOf : named(field.items.enum)
  if (field.type !== 'string') return null
  if ('oneOf' in field) return field.oneOf
  return 'enum' in field ? named(field.enum, field.enumNames) : null
}

function named(values: readonly string[], names: readonly string[] = values): FieldChoice[] {
  return values.map((value, at) => ({ const: value, title: names[at] ?? value }))
}

/** Returns the problem with a field's value, or null if it is valid. */
export function problemOf(field: FieldSchema, value: unknown): string | null {
  switch (field.type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'number':
    case 'integer':
      return problemOfNumber(field, value)
    case 'array':
      return problemOfList(field, value)
    case 'string': {
      if (typeof value !== 'string') return 'must be a text'
      const choices = choicesOf(field)
      if (choices) return isChoice(choices, value) ? null : notOffered
      return problemOfText(field, value)
    }
    default:
      return field satisfies never
  }
}

const notOffered = 'must be one of the values that are offered'

function isChoice(choices: readonly FieldChoice[], value: unknown): boolean {
  return choices.some((choice) => choice.const === value)
}

type Kind<Type extends FieldSchema['type']> = Extract<FieldSchema, { readonly type: Type }>

function problemOfNumber(
  { type, minimum = -Infinity, maximum = Infinity }: Kind<'number' | 'integer'>,
  value: unknown,
): string | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
  if (type === 'integer' && !Number.isInteger(value)) return 'must be a whole number'
  if (value < minimum) return `must be ${minimum} or more`
  return value > maximum ? `must be ${maximum} or less` : null
}

function problemOfList(field: Kind<'array'>, value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list'
  const { minItems = 0, maxItems = Infinity } = field
  const choices = choicesOf(field) ?? []
  if (!value.every((item) => isChoice(choices, item))) return notOffered
  if (new Set(value).size < value.length) return 'must have each value once'
  if (value.length < minItems) return `must have ${minItems} or more values`
  return value.length > maxItems ? `must have ${maxItems} values or fewer` : null
}

const FORMATS: Readonly<Record<FieldFormat, string>> = {
  email: 'must be an e-mail address',
  uri: 'must be a web address or another URI, with its scheme (https:)',
  date: 'must be a date, as in 2026-02-28',
  'date-time': 'must be a date and time with an offset, as in 2026-02-28T09:30:00Z',
}

function problemOfText(field: Kind<'string'>, value: string): string | null {
  if (!('format' in field || 'minLength' in field || 'maxLength' in field)) return null
  const { format, minLength = 0, maxLength = Infinity } = field
  // JSON Schema counts code points.
  const length = Array.from(value).length
  if (length < minLength) return `must have ${minLength} characters or more`
  if (length > maxLength) return `must have ${maxLength} characters or fewer`
  return format === undefined || hasFormat(value, format) ? null : FORMATS[format]
}
