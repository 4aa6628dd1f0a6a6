import type {
  ChoiceField,
  ChoicesField,
  FieldChoice,
  FieldSchema,
  FieldValue,
  NumberField,
  TextField,
} from 'offstage'
import { el, type Props } from '../lib/dom.ts'

/** A control of a form, and what was put into it: undefined for nothing. */
export interface Field {
  readonly element: HTMLElement
  readonly value: () => FieldValue | undefined
}

interface FieldMarks {
  readonly isRequired: boolean
  readonly isSensitive: boolean
}

export function createField(
  name: string,
  schema: FieldSchema,
  { isRequired, isSensitive }: FieldMarks,
): Field {
  const { control, value, isGroup = false } = controlOf(schema, isRequired)
  const title = `${schema.title ?? name}${isRequired ? ' *' : ''}`
  const hints = [
    ...(schema.description === undefined ? [] : [el('small', {}, schema.description)]),
    ...(isSensitive
      ? [el('small', { class: 'notice' }, 'This looks like a secret. Never tell an assistant one.')]
      : []),
  ]
  const element = isGroup
    ? el('fieldset', {}, el('legend', {}, title), control, ...hints)
    : el('label', {}, el('span', {}, title), control, ...hints)
  return { element, value }
}

interface Control {
  readonly control: HTMLElement
  readonly value: () => FieldValue | undefined
  readonly isGroup?: boolean
}

function controlOf(schema: FieldSchema, isRequired: boolean): Control {
  switch (schema.type) {
    case 'boolean': {
      const control = el('input', { type: 'checkbox' })
      control.checked = schema.default === true
      return { control, value: () => control.checked }
    }
    case 'number':
    case 'integer':
      return numberControl(schema, isRequired)
    case 'array':
      return choicesControl(schema, isRequired)
    case 'string':
      if ('enum' in schema || 'oneOf' in schema) return choiceControl(schema, isRequired)
      return textControl(schema, isRequired)
  }
}

const INPUT_TYPES = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
} as const

function textControl(
  { format, minLength, maxLength, default: preset = '' }: TextField,
  required: boolean,
): Control {
  const control = el('input', {
    type: format ? INPUT_TYPES[format] : 'text',
    autocomplete: 'off',
    required,
    ...(minLength !== undefined && { minlength: minLength }),
    ...(maxLength !== undefined && { maxlength: maxLength }),
  })
  const isTime = format === 'date-time'
  control.value = isTime && preset !== '' ? localTime(new Date(preset)) : preset
  return {
    control,
    value() {
      if (control.value === '') return undefined
      // The control knows no offset.
      return isTime ? new Date(control.value).toISOString() : control.value
    },
  }
}

/** As `datetime-local` has it. */
function localTime(time: Date): string {
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function numberControl(
  { type, minimum, maximum, default: preset }: NumberField,
  required: boolean,
): Control {
  const control = el('input', {
    type: 'number',
    step: type === 'integer' ? 1 : 'any',
    required,
    ...(minimum !== undefined && { min: minimum }),
    ...(maximum !== undefined && { max: maximum }),
  })
  control.value = preset === undefined ? '' : String(preset)
  return { control, value: () => (control.value === '' ? undefined : control.valueAsNumber) }
}

function choiceControl(field: ChoiceField, required: boolean): Control {
  const choices = 'oneOf' in field ? field.oneOf : named(field.enum, field.enumNames)
  const options = choices.map(({ const: value, title }) => option(value, title))
  // By its place: '' may be one of the values.
  const control = el('select', { required }, option('', '—'), ...options)
  control.selectedIndex = choices.findIndex((choice) => choice.const === field.default) + 1
  return { control, value: () => choices[control.selectedIndex - 1]?.const }
}

function choicesControl(
  { items, default: preset = [] }: ChoicesField,
  isRequired: boolean,
): Control {
  const choices = 'anyOf' in items ? items.anyOf : named(items.enum)
  const boxes = choices.map(({ const: value }) => {
    const box = el('input', { type: 'checkbox' } satisfies Props)
    box.checked = preset.includes(value)
    return box
  })
  const labels = choices.map(({ title }, at) => el('label', {}, boxes[at] ?? '', title))
  return {
    control: el('div', { class: 'choices' }, ...labels),
    isGroup: true,
    value() {
      const chosen = choices.filter((_, at) => boxes[at]?.checked).map((choice) => choice.const)
      return chosen.length > 0 || isRequired ? chosen : undefined
    },
  }
}

function named(values: readonly string[], names: readonly string[] = values): FieldChoice[] {
  return values.map((value, at) => ({ const: value, title: names[at] ?? value }))
}

function option(value: string, title: string): HTMLOptionElement {
  return el('option', { value }, title)
}
