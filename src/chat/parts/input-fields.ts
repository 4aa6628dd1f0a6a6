import { showInput, visibleText } from '../../conversation/index.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../index.ts'

/** A field of an input, for the person who is asked about it. Nothing in it is out of sight. */
export interface InputField {
  readonly key: string
  /** By the tool's schema; else the key in words. */
  readonly label: string
  readonly hint?: string
  readonly text: string
}

/**
 * The fields of an input, labelled as its tool's schema says (null: it isn't known). Null for an input that is no record with
 * fields.
 */
export function inputFields(
  input: JsonValue,
  schema: JsonSchema | null,
): readonly InputField[] | null {
  if (!isRecord(input)) return null
  const entries = Object.entries(input as JsonObject)
  if (entries.length === 0) return null
  const fields = entries.map(([key, value]) => fieldOf(key, value, describedIn(schema, key)))
  const labels = new Set(fields.map(({ label }) => label))
  // What two fields are called names neither.
  return labels.size === fields.length
    ? fields
    : fields.map((field) => ({ ...field, label: visibleText(field.key) }))
}

function fieldOf(
  key: string,
  value: JsonValue,
  { title, description }: Readonly<Record<string, unknown>>,
): InputField {
  const label = isWord(title) ? title : inWords(key)
  return {
    key,
    label: visibleText(label),
    ...(isWord(description) && { hint: visibleText(description) }),
    text: textOf(value),
  }
}

/** Its names are a model's: `constructor` is one, too. */
function describedIn(schema: JsonSchema | null, key: string): Readonly<Record<string, unknown>> {
  const properties = schema?.['properties']
  const described =
    isRecord(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined
  return isRecord(described) ? described : {}
}

/** A text as it stands, in its lines, unless it could be taken for something else, or for less than it is. */
function textOf(value: JsonValue): string {
  const isPlain = typeof value === 'string' && value.trim() === value && !isJson(value)
  return isPlain ? visibleText(value) : showInput(value)
}

/** Nothing, a number, `true`: what has another meaning without quotes. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return text === ''
  }
}

/** `deliveryAddress`, `delivery_address`: "Delivery address". */
function inWords(key: string): string {
  const words = key
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-.\s]+/g, ' ')
    .trim()
  const [first = '', ...rest] = words.split(' ')
  const plain = rest.map((word) => (/^\p{Lu}\p{Ll}/u.test(word) ? word.toLowerCase() : word))
  const whole = [first.charAt(0).toUpperCase() + first.slice(1), ...plain].join(' ')
  return whole === '' ? key : whole
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
