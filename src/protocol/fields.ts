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

/** Schema of one field in a question's form. `type` selects the kind. */
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

/** Field for exactly one of several values. */
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

/** Field for any number of the values, each at most once. */
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
  /** Value in the answer if a person chooses this option. */
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
function choicesOf(field: FieldSchema): readonly FieldChoice[] | null {
  if (field.type === 'array')
    return 'anyOf' in field.items ? field.items.anyOf : toChoices(field.items.enum)
  if (field.type !== 'string') return null
  if ('oneOf' in field) return field.oneOf
  return 'enum' in field ? toChoices(field.enum, field.enumNames) : null
}

function toChoices(values: readonly string[], names: readonly string[] = values): FieldChoice[] {
  return values.map((value, index) => ({ const: value, title: names[index] ?? value }))
}

/** Returns the problem with a field's value, or null if it is valid. */
function problemOf(field: FieldSchema, value: unknown): string | null {
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

/** A schema that is safe to show, or the reasons why not. */
export type FieldsReading =
  | { readonly fields: FieldsSchema }
  /** Problems, each with the name of its field. */
  | { readonly problems: readonly string[] }

/** Maximum sizes: more than people fill in, but too little to slow the page down. */
const MAX = { fields: 50, choices: 500, text: 1000, all: 100_000 } as const

/**
 * Reads an untrusted schema. The result has only the keywords of `FieldsSchema`, has limited size, and every field can
 * be answered. Drops annotations of the root (`$schema`, `title`, `description`) and `additionalProperties: false`,
 * which always applies. Pure.
 */
export function readFields(value: unknown): FieldsReading {
  const root = isObject(value) ? value : {}
  const { type, properties, required = [] } = root
  // Counts the names first, because inspecting a million names takes seconds.
  if ([root, properties, required].some(isWide))
    return { problems: [`has more than ${MAX.fields} fields`] }
  const problems = Object.keys(root).flatMap((key) =>
    isAllowedAtRoot(key, root[key])
      ? []
      : `has ${clipped(key)}, and may have type, properties and required`,
  )
  if (type !== 'object') problems.push("must have type 'object'")
  if (!isObject(properties)) return { problems: [...problems, 'must have properties, by name'] }
  const names = Object.keys(properties)
  if (!isList(required, (name) => names.some((each) => each === name)))
    problems.push('must have in required a list of names that are in properties')
  problems.push(...problemsOfNames(names))
  for (const name of names)
    problems.push(
      ...problemsOfField(properties[name]).map((problem) => `${clipped(name)} ${problem}`),
    )
  if (problems.length > 0) return { problems }
  const isFree = Array.isArray(required) && required.length === 0
  // The cast is safe: every field was checked.
  const fields = { type, properties, ...(!isFree && { required }) } as FieldsSchema
  const size = JSON.stringify(fields).length
  return size > MAX.all ? { problems: [`is longer than ${MAX.all} characters`] } : { fields }
}

function isWide(value: unknown): boolean {
  return Object.keys(value ?? {}).length > MAX.fields
}

function isAllowedAtRoot(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === false
  return ['type', 'properties', 'required', '$schema', 'title', 'description'].includes(key)
}

/** Checks the names, which become object keys and names of form inputs. */
function problemsOfNames(names: readonly string[]): string[] {
  const seenNames = new Set<string>()
  return names.flatMap((name) => {
    const isValidName = /^[^\p{C}<>"'`&]{1,64}$/u.test(name) && !(name in Object.prototype)
    if (!isValidName) return `${clipped(name)} can't be a name: take letters, digits and _`
    // The name is short here. Normalizing a long run of combining marks would take quadratic time.
    const folded = name.normalize('NFKC').toLowerCase()
    if (seenNames.has(folded)) return `${clipped(name)} differs from another name by its case only`
    seenNames.add(folded)
    return []
  })
}

interface Raw {
  readonly [key: string]: unknown
}

/** Check of a keyword's value, and the expectation in an error message. */
type Rule = readonly [isRight: (value: unknown) => boolean, expected: string]

const COUNT: Rule = [
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'a whole number from 0',
]
const NUMBER: Rule = [Number.isFinite, 'a number']
const TEXT: Rule = [isText, `a text of ${MAX.text} characters at most`]
const TEXTS: Rule = [(value) => isFilledList(value, isText), `a list of 1 to ${MAX.choices} texts`]
const CHOICES: Rule = [
  (value) => isFilledList(value, isFieldChoice),
  `a list of 1 to ${MAX.choices} objects { const, title }`,
]
const FORMAT: Rule = [
  (value) => ['email', 'uri', 'date', 'date-time'].includes(String(value)) && isText(value),
  'email, uri, date or date-time',
]
const ITEMS: Rule = [
  (value) =>
    isObject(value) &&
    (hasExactly(value, { anyOf: CHOICES }) ||
      hasExactly(value, { type: [(type) => type === 'string', ''], enum: TEXTS })),
  `{ type: 'string', enum } or { anyOf } with 1 to ${MAX.choices} choices`,
]
const ANY: Rule = [() => true, '']

interface Rules {
  readonly [keyword: string]: Rule
}

const common: Rules = { type: ANY, title: TEXT, description: TEXT, default: ANY }
const number: Rules = { ...common, minimum: NUMBER, maximum: NUMBER }
const KINDS: ReadonlyMap<unknown, Rules> = new Map<string, Rules>([
  ['string', { ...common, minLength: COUNT, maxLength: COUNT, format: FORMAT }],
  ['enum', { ...common, enum: TEXTS, enumNames: TEXTS }],
  ['oneOf', { ...common, oneOf: CHOICES }],
  ['number', number],
  ['integer', number],
  ['boolean', common],
  ['array', { ...common, items: ITEMS, minItems: COUNT, maxItems: COUNT }],
])

const TYPES = ['string', 'number', 'integer', 'boolean', 'array']

function problemsOfField(field: unknown): string[] {
  if (!isObject(field)) return ['must be an object with a type']
  const { type } = field
  if (!TYPES.some((each) => each === type)) return [`must have a type of ${TYPES.join(', ')}`]
  const choice = type === 'string' && ['enum', 'oneOf'].find((each) => Object.hasOwn(field, each))
  const rules = KINDS.get(choice || type) ?? common
  const problems = Object.entries(field).flatMap(([key, value]) => {
    const [isValid, expected] = (Object.hasOwn(rules, key) && rules[key]) || []
    if (!isValid) return `has ${clipped(key)}; it may have ${Object.keys(rules).join(', ')}`
    return isValid(value) ? [] : `has a wrong ${key}: it must be ${expected}`
  })
  if (type === 'array' && !Object.hasOwn(field, 'items')) problems.push(`has no items: ${ITEMS[1]}`)
  // The cast is safe: all keywords were checked.
  return problems.length > 0 ? problems : contradictions(field as Raw & FieldSchema)
}

/** Finds keywords that are valid by themselves, but contradict each other. */
function contradictions(field: Raw & FieldSchema): string[] {
  const problems: string[] = []
  const { default: preset, enumNames, minItems = 0 }: Raw = field
  for (const kind of ['Length', 'imum', 'Items']) {
    const [low, high] = [`min${kind}`, `max${kind}`] as const
    if (Number(field[low] ?? -Infinity) > Number(field[high] ?? Infinity))
      problems.push(`has a ${low} above its ${high}`)
  }
  const choices = choicesOf(field) ?? []
  const isRepeated = (key: 'const' | 'title'): boolean =>
    new Set(choices.map((choice) => choice[key])).size < choices.length
  if (isRepeated('const') || isRepeated('title'))
    problems.push('offers the same value or title twice')
  if (Number(minItems) > choices.length) problems.push('has a minItems above its choices')
  if (Array.isArray(enumNames) && enumNames.length !== choices.length)
    problems.push('has more or fewer enumNames than values')
  const defaultProblem =
    problems.length > 0 || preset === undefined ? null : problemOf(field, preset)
  return defaultProblem === null ? problems : [`has a wrong default: it ${defaultProblem}`]
}

function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX.text
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  // `findIndex` also visits holes, which `every` skips.
  return Array.isArray(value) && value.findIndex((each) => !isItem(each)) < 0
}

function isFilledList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.length <= MAX.choices && isList(value, isItem)
  )
}

function isFieldChoice(value: unknown): boolean {
  return isObject(value) && hasExactly(value, { const: TEXT, title: TEXT })
}

/** Returns whether the object has exactly these keys. */
function hasExactly(value: Raw, rules: Rules): boolean {
  const keys = Object.keys(rules)
  return (
    Object.keys(value).length === keys.length && keys.every((key) => rules[key]?.[0](value[key]))
  )
}

/** Returns a name in quotation marks, shortened for messages. */
function clipped(name: string): string {
  return `'${name.length > 40 ? `${name.slice(0, 39)}…` : name}'`
}
