import { showInput, visibleText } from '../../../conversation/index.ts'
import type { JsonObject, JsonSchema, JsonValue } from '../../../index.ts'

/** A field of an input, for the person who approves the call. No character in it is hidden. */
export interface InputField {
  readonly key: string
  /** Title from the tool's schema, otherwise the key as words. A key that isn't in the schema is shown in quotes. */
  readonly label: string
  /**
   * Whether the tool's schema has the key. Other keys come from the model, and must not look like the tool's labels.
   */
  readonly isOfSchema: boolean
  readonly hint?: string
  readonly text: string
  /** Whether the value is a text. */
  readonly isText: boolean
}

/** Texts with more lines are shortened in the view. Records and lists with more lines become separate fields. */
const MOST_LINES = 8
const MOST_CHARACTERS = 400

/** Returns the part of a text that is shown before a person asks for all of it. */
export function beginningOf(text: string): string {
  const lines = text.split('\n', MOST_LINES).join('\n')
  return lines.length > MOST_CHARACTERS
    ? Array.from(lines).slice(0, MOST_CHARACTERS).join('')
    : lines
}

/**
 * Returns the fields of an input, with labels from the tool's schema (null: unknown). A long record or list within the
 * input becomes separate fields, so that no text can push another out of view. Null if the input is not an object with
 * fields.
 */
export function inputFields(
  input: JsonValue,
  schema: JsonSchema | null,
): readonly InputField[] | null {
  const fields = isRecord(input) ? fieldsIn(input as JsonObject, schema) : []
  return fields.length > 0 ? fields : null
}

function fieldsIn(
  container: JsonObject | readonly JsonValue[],
  schema: unknown,
): readonly InputField[] {
  const isList = Array.isArray(container)
  const items = Object.entries(container).map(([key, value]: [string, JsonValue]) => {
    const keySchema = isList ? isRecord(schema) && schema['items'] : schemaOfKey(schema, key)
    return { value, keySchema, name: isList ? itemLabel(key) : labelOf(key, keySchema) }
  })
  const labels = new Set(items.map(({ name }) => name.label))
  return items.flatMap(({ value, keySchema, name }) => {
    // If two fields have the same label, shows the keys of those in the schema instead.
    const isAmbiguous = labels.size < items.length && name.isOfSchema
    const field = {
      ...name,
      ...(isAmbiguous && { label: visibleText(name.key) }),
      text: fieldText(value),
      isText: typeof value === 'string',
    }
    if (typeof value !== 'object' || value === null || beginningOf(field.text) === field.text)
      return [field]
    return fieldsIn(value, keySchema).map((inner) => ({
      ...inner,
      key: `${field.key}.${inner.key}`,
      label: `${field.label} › ${inner.label}`,
      isOfSchema: field.isOfSchema && inner.isOfSchema,
    }))
  })
}

type FieldName = Omit<InputField, 'text' | 'isText'>

/** Label of a list's item. */
function itemLabel(key: string): FieldName {
  return { key, label: String(Number(key) + 1), isOfSchema: true }
}

/** Returns the label of a key. `keySchema` is the key's schema, or null if the tool's schema lacks the key. */
export function labelOf(key: string, keySchema: unknown): FieldName {
  // Quoted, because a key may imitate a label of the card.
  if (!isRecord(keySchema)) return { key, label: showInput(key), isOfSchema: false }
  const { title, description } = keySchema
  return {
    key,
    label: visibleText(hasText(title) ? title : labelFromKey(key)),
    isOfSchema: true,
    ...(hasText(description) && { hint: visibleText(description) }),
  }
}

/** Returns a key's schema; null if the schema lacks the key. Own properties only: a model may name `constructor`. */
export function schemaOfKey(
  schema: unknown,
  key: string,
): Readonly<Record<string, unknown>> | null {
  const properties = isRecord(schema) ? schema['properties'] : null
  if (!isRecord(properties) || !Object.hasOwn(properties, key)) return null
  const keySchema = properties[key]
  return isRecord(keySchema) ? keySchema : {}
}

/** Returns a text as it is. Quotes a text with outer spaces, or that could be mistaken for another value. */
function fieldText(value: JsonValue): string {
  const isPlain = typeof value === 'string' && value.trim() === value && !isLikeJson(value)
  return isPlain ? visibleText(value) : showInput(value)
}

/**
 * Whether an unquoted text could be mistaken for another value: nothing, a number, `true`, or the start of a text, list
 * or record.
 */
function isLikeJson(text: string): boolean {
  return /^(?:["[{]|(?:true|false|null|undefined|nan)$)/i.test(text) || !Number.isNaN(Number(text))
}

/** `deliveryAddress`, `delivery_address`: "Delivery address". */
function labelFromKey(key: string): string {
  const words = key
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replace(/[_\-.\s]+/g, ' ')
    .trim()
  const [first = '', ...rest] = words.split(' ')
  const plain = rest.map((word) => (/^\p{Lu}\p{Ll}/u.test(word) ? word.toLowerCase() : word))
  const whole = [first.charAt(0).toUpperCase() + first.slice(1), ...plain].join(' ')
  return whole === '' ? key : whole
}

export function hasText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return isRecord(value)
}
