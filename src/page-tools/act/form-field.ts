import type { JsonObject } from '../../protocol/json.ts'
import { cleanText, shorten } from '../clean-text.ts'
import { isTag } from '../dom.ts'

/** `choice`: one of several, by its label; `choices`: any of them; `box`: true or false. */
export type FieldKind = 'text' | 'number' | 'box' | 'choice' | 'choices'

/** Parameter of a form's tool: a field, or the radio buttons or checkboxes of one name. */
export interface FormField {
  readonly key: string
  readonly elements: readonly HTMLElement[]
  /** Labels of the elements, in their order. */
  readonly labels: readonly string[]
  readonly kind: FieldKind
  readonly schema: JsonObject
  readonly isRequired: boolean
}

const TEXTLESS = /^(hidden|submit|button|reset|image|file)$/
const MAX_OPTIONS = 100
const LABEL_LIMIT = 100
const PATTERN_LIMIT = 200

/** Returns null for a field that no call fills. */
export function kindOf(elements: readonly HTMLElement[]): FieldKind | null {
  const [element] = elements
  if (!element) return null
  if (isTag(element, 'textarea')) return 'text'
  if (isTag(element, 'select')) return element.multiple ? 'choices' : 'choice'
  if (!isTag(element, 'input') || TEXTLESS.test(element.type)) return null
  switch (element.type) {
    case 'radio':
      return 'choice'
    case 'checkbox':
      return elements.length > 1 ? 'choices' : 'box'
    case 'number':
    case 'range':
      return 'number'
    default:
      return 'text'
  }
}

interface Said {
  readonly label: string
  readonly labels: readonly string[]
  /** The field's content is kept from the model. */
  readonly masked: boolean
  /** Removes secrets. */
  readonly clean: (text: string) => string
}

/**
 * Schema of a parameter, from the field's own constraints. Leaves current values out: they are the person's. Null: no
 * call fills it.
 */
export function fieldSchema(
  elements: readonly HTMLElement[],
  said: Said,
): Pick<FormField, 'kind' | 'schema'> | null {
  const kind = kindOf(elements)
  const [element] = elements
  return kind && element ? { kind, schema: schemaOf(kind, element, said) } : null
}

function schemaOf(kind: FieldKind, element: HTMLElement, said: Said): JsonObject {
  const { label, masked } = said
  switch (kind) {
    case 'box':
      return { type: 'boolean', ...described(label) }
    case 'number':
      return {
        ...(masked ? { type: 'number' } : numberSchema(element as HTMLInputElement)),
        ...described(label),
      }
    case 'text': {
      const rule = masked ? {} : textRules(element as HTMLInputElement, said.clean)
      return {
        type: 'string',
        ...rule,
        ...described(label, isTag(element, 'input') ? FORMATS[element.type] : ''),
      }
    }
    case 'choice':
      return { type: 'string', ...choiceRule(element, said), ...described(label) }
    case 'choices':
      return {
        type: 'array',
        items: { type: 'string', ...choiceRule(element, said) },
        ...described(label),
      }
    default:
      return kind satisfies never
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  date: 'As 2026-03-09',
  time: 'As 14:30',
  'datetime-local': 'As 2026-03-09T14:30',
  month: 'As 2026-03',
  week: 'As 2026-W11',
  color: 'As #ff8800',
  email: 'An e-mail address',
  url: 'An address with https://',
}

function described(label: string, format = ''): JsonObject {
  const description = [label, format].filter(Boolean).join('. ')
  return description ? { description } : {}
}

function numberSchema({ min, max, step }: HTMLInputElement): JsonObject {
  const isWhole =
    step !== 'any' && Number.isInteger(Number(step || 1)) && Number.isInteger(Number(min || 0))
  return {
    type: isWhole ? 'integer' : 'number',
    ...(min !== '' && Number.isFinite(Number(min)) && { minimum: Number(min) }),
    ...(max !== '' && Number.isFinite(Number(max)) && { maximum: Number(max) }),
  }
}

function textRules(
  { minLength, maxLength, pattern }: HTMLInputElement,
  clean: (text: string) => string,
): JsonObject {
  const plain = (pattern ?? '').replace(/\\/g, '')
  const isSecret = [pattern ?? '', plain].some((text) => clean(text) !== text)
  return {
    ...(minLength > 0 && { minLength }),
    ...(maxLength >= 0 && { maxLength }),
    ...(!isSecret && isSound(pattern) && { pattern: `^(?:${pattern})$` }),
  }
}

function isSound(pattern: string | undefined): pattern is string {
  if (!pattern || pattern.length > PATTERN_LIMIT) return false
  try {
    return Boolean(new RegExp(`^(?:${pattern})$`, 'u'))
  } catch {
    return false
  }
}

/** Lists the choices, up to 100: more cost more than they help, and labels work without a list. */
function choiceRule(element: HTMLElement, { labels, masked, clean }: Said): JsonObject {
  const shown = isTag(element, 'select') ? optionsOf(element).map(clean) : labels
  const choices = [...new Set(shown)]
  return masked || choices.length === 0 || choices.length > MAX_OPTIONS ? {} : { enum: choices }
}

function optionsOf(select: HTMLSelectElement): readonly string[] {
  return [...select.options]
    .filter(({ disabled, value }) => !disabled && !(select.required && value === ''))
    .map(({ label }) => shorten(cleanText(label), LABEL_LIMIT))
    .filter(Boolean)
}
