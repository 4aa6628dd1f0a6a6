import { choicesOf, type FieldSchema, type FieldsSchema, problemOf } from './fields.ts'

/** A schema that is safe to show, or the reasons why not. */
export type FieldsReading =
  | { readonly fields: FieldsSchema }
  /** Problems, each with the name of its field. */
  | { readonly problems: readonly string[] }

/** More than people fill in, and too little to slow the page down. */
const MAX = { fields: 50, choices: 500, text: 1000, all: 100_000 } as const

/**
 * Reads an untrusted schema. The result has only the keywords of `FieldsSchema`, has limited size, and every field can
 * be answered. Drops annotations of the root (`$schema`, `title`, `description`) and `additionalProperties: false`,
 * which always applies. Pure.
 */
export function readFields(value: unknown): FieldsReading {
  const root = isObject(value) ? value : {}
  const { type, properties, required = [] } = root
  // Checked first, because inspecting a million names takes seconds.
  if ([root, properties, required].some(isWide))
    return { problems: [`has more than ${MAX.fields} fields`] }
  const problems = Object.keys(root).flatMap((key) =>
    isOfRoot(key, root[key])
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
    problems.push(...problemsOfField(properties[name]).map((words) => `${clipped(name)} ${words}`))
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

function isOfRoot(key: string, value: unknown): boolean {
  if (key === 'additionalProperties') return value === false
  return ['type', 'properties', 'required', '$schema', 'title', 'description'].includes(key)
}

/** Names become object keys and names of form fields. */
function problemsOfNames(names: readonly string[]): string[] {
  const known = new Set<string>()
  return names.flatMap((name) => {
    const folded = name.normalize('NFKC').toLowerCase()
    if (known.has(folded)) return `${clipped(name)} differs from another name by its case only`
    known.add(folded)
    const isSound = /^[^\p{C}<>"'`&]{1,64}$/u.test(name) && !(name in Object.prototype)
    return isSound ? [] : `${clipped(name)} can't be a name: take letters, digits and _`
  })
}

interface Raw {
  readonly [key: string]: unknown
}

/** Check of a keyword's value, and the expectation in an error message. */
type Rule = readonly [isRight: (value: unknown) => boolean, expected: string]

const WHOLE: Rule = [
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'a whole number from 0',
]
const NUMBER: Rule = [Number.isFinite, 'a number']
const TEXT: Rule = [isText, `a text of ${MAX.text} characters at most`]
const TEXTS: Rule = [(value) => isSome(value, isText), `a list of 1 to ${MAX.choices} texts`]
const CHOICES: Rule = [
  (value) => isSome(value, isChoice),
  `a list of 1 to ${MAX.choices} objects { const, title }`,
]
const FORMAT: Rule = [
  (value) => ['email', 'uri', 'date', 'date-time'].includes(String(value)) && isText(value),
  'email, uri, date or date-time',
]
const ITEMS: Rule = [
  (value) =>
    isObject(value) &&
    (has(value, { anyOf: CHOICES }) ||
      has(value, { type: [(type) => type === 'string', ''], enum: TEXTS })),
  `{ type: 'string', enum } or { anyOf } with 1 to ${MAX.choices} choices`,
]
const ANY: Rule = [() => true, '']

interface Rules {
  readonly [keyword: string]: Rule
}

const common: Rules = { type: ANY, title: TEXT, description: TEXT, default: ANY }
const number: Rules = { ...common, minimum: NUMBER, maximum: NUMBER }
const KINDS: ReadonlyMap<unknown, Rules> = new Map<string, Rules>([
  ['string', { ...common, minLength: WHOLE, maxLength: WHOLE, format: FORMAT }],
  ['enum', { ...common, enum: TEXTS, enumNames: TEXTS }],
  ['oneOf', { ...common, oneOf: CHOICES }],
  ['number', number],
  ['integer', number],
  ['boolean', common],
  ['array', { ...common, items: ITEMS, minItems: WHOLE, maxItems: WHOLE }],
])

const TYPES = ['string', 'number', 'integer', 'boolean', 'array']

function problemsOfField(field: unknown): string[] {
  if (!isObject(field)) return ['must be an object with a type']
  const { type } = field
  if (!TYPES.some((each) => each === type)) return [`must have a type of ${TYPES.join(', ')}`]
  const choice = type === 'string' && ['enum', 'oneOf'].find((each) => Object.hasOwn(field, each))
  const rules = KINDS.get(choice || type) ?? common
  const problems = Object.entries(field).flatMap(([key, value]) => {
    const [isRight, expected] = (Object.hasOwn(rules, key) && rules[key]) || []
    if (!isRight) return `has ${clipped(key)}; it may have ${Object.keys(rules).join(', ')}`
    return isRight(value) ? [] : `has a wrong ${key}: it must be ${expected}`
  })
  if (type === 'array' && !Object.hasOwn(field, 'items')) problems.push(`has no items: ${ITEMS[1]}`)
  // The cast is safe: all keywords were checked.
  return problems.length > 0 ? problems : contradictions(field as Raw & FieldSchema)
}

/** Finds keywords that are valid by themselves but together allow no answer, or no choice. */
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
  const wrong = problems.length > 0 || preset === undefined ? null : problemOf(field, preset)
  return wrong === null ? problems : [`has a wrong default: it ${wrong}`]
}

function isObject(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX.text
}

function isList(value: unknown, isOne: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne)
}

function isSome(value: unknown, isOne: (item: unknown) => boolean): boolean {
  return (
    Array.isArray(value) && value.length > 0 && value.length <= MAX.choices && isList(value, isOne)
  )
}

function isChoice(value: unknown): boolean {
  return isObject(value) && has(value, { const: TEXT, title: TEXT })
}

/** Returns whether the object has exactly these keys. */
function has(value: Raw, rules: Rules): boolean {
  const keys = Object.keys(rules)
  return (
    Object.keys(value).length === keys.length && keys.every((key) => rules[key]?.[0](value[key]))
  )
}

/** Returns a name in quotation marks, shortened for messages. */
function clipped(name: string): string {
  return `'${name.length > 40 ? `${name.slice(0, 39)}…` : name}'`
}
