import { showInput, visibleText } from '../../conversation/index.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../index.ts'
import { isRecord } from './is-record.ts'

/** A field of an input, for the person who is asked about it. Nothing in it is out of sight. */
export interface InputField {
  readonly key: string
  /** By the tool's schema: its title, else the key in words. Of a key that the schema doesn't have: the key, in quotes. */
  readonly label: string
  /** Whether the tool's schema has the key. Else a model has named it: it is to look like no label of the tool's. */
  readonly isOfSchema: boolean
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
    : fields.map((field) =>
        field.isOfSchema ? { ...field, label: visibleText(field.key) } : field,
      )
}

function fieldOf(
  key: string,
  value: JsonValue,
  described: Readonly<Record<string, unknown>> | null,
): InputField {
  const text = textOf(value)
  // A key may be written to read like a word of the card's.
  if (described === null) return { key, label: showInput(key), isOfSchema: false, text }
  const { title, description } = described
  return {
    key,
    label: visibleText(isWord(title) ? title : inWords(key)),
    isOfSchema: true,
    ...(isWord(description) && { hint: visibleText(description) }),
    text,
  }
}

/** Its names are a model's: `constructor` is one, too. Null: the schema has no such key. */
function describedIn(
  schema: JsonSchema | null,
  key: string,
): Readonly<Record<string, unknown>> | null {
  const properties = schema?.['properties']
  if (!isRecord(properties) || !Object.hasOwn(properties, key)) return null
  const described = properties[key]
  return isRecord(described) ? described : {}
}

/** A text as it stands, in its lines, unless it could be taken for something else, or for less than it is. */
function textOf(value: JsonValue): string {
  const isPlain = typeof value === 'string' && value.trim() === value && !isLikeJson(value)
  return isPlain ? visibleText(value) : showInput(value)
}

/** Nothing, a number, `true`, what begins like a text, list or record: what has another meaning without quotes. */
function isLikeJson(text: string): boolean {
  return /^(?:["[{]|(?:true|false|null|undefined|nan)$)/i.test(text) || !Number.isNaN(Number(text))
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
