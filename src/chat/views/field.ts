import { html, nothing, type TemplateResult } from 'lit'
import { ifDefined } from 'lit/directives/if-defined.js'
import { visibleText } from '../../conversation/index.ts'
import type { ChoiceField, ChoicesField, FieldSchema, NumberField, TextField } from '../../index.ts'
import { choicesOf } from '../parts/choices-of.ts'
import type { Words } from '../words/words.ts'

export interface FieldOptions {
  readonly schema: FieldSchema
  readonly isRequired: boolean
  readonly isSensitive: boolean
}

/** A control of a question's form, named by its field. */
export function fieldView(
  words: Words,
  name: string,
  { schema, isRequired, isSensitive }: FieldOptions,
): TemplateResult {
  const title = html`${visibleText(schema.title ?? name)}${isRequired ? html` <small>(${words.required})</small>` : nothing}`
  const hints = html`
    ${schema.description === undefined ? nothing : html`<small>${visibleText(schema.description)}</small>`}
    ${isSensitive ? html`<small class="problem">${words.sensitive}</small>` : nothing}
  `
  if (schema.type === 'array')
    return html`<fieldset class="field">
      <legend>${title}</legend>
      ${boxes(name, schema)} ${hints}
    </fieldset>`
  return html`<label class="field"
    ><span>${title}</span>${control(name, schema, isRequired)}${hints}</label
  >`
}

function control(
  name: string,
  schema: Exclude<FieldSchema, ChoicesField>,
  isRequired: boolean,
): TemplateResult {
  switch (schema.type) {
    case 'boolean':
      return html`<input type="checkbox" name=${name} ?checked=${schema.default === true} />`
    case 'number':
    case 'integer':
      return numberControl(name, schema, isRequired)
    case 'string':
      return 'enum' in schema || 'oneOf' in schema
        ? select(name, schema, isRequired)
        : textControl(name, schema, isRequired)
  }
}

/** Longer default texts get a control with several lines. Characters. */
const LONG = 40

const INPUT_TYPES = {
  email: 'email',
  uri: 'url',
  date: 'date',
  'date-time': 'datetime-local',
} as const

function textControl(name: string, field: TextField, isRequired: boolean): TemplateResult {
  const { format, minLength, maxLength, default: preset = '' } = field
  // A one-line input would cut the text, or lose its line breaks.
  if (preset.length > LONG || preset.includes('\n'))
    return html`<textarea
      name=${name}
      ?required=${isRequired}
      minlength=${ifDefined(minLength)}
      maxlength=${ifDefined(maxLength)}
      .defaultValue=${preset}
    ></textarea>`
  const value = format === 'date-time' && preset !== '' ? localTime(new Date(preset)) : preset
  return html`<input
    name=${name}
    type=${format ? INPUT_TYPES[format] : 'text'}
    autocomplete="off"
    ?required=${isRequired}
    minlength=${ifDefined(minLength)}
    maxlength=${ifDefined(maxLength)}
    value=${value}
  />`
}

/** Formats a time for `datetime-local`; empty for an invalid date. */
function localTime(time: Date): string {
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

function numberControl(name: string, field: NumberField, isRequired: boolean): TemplateResult {
  const { type, minimum, maximum, default: preset } = field
  return html`<input
    name=${name}
    type="number"
    step=${type === 'integer' ? '1' : 'any'}
    ?required=${isRequired}
    min=${ifDefined(minimum)}
    max=${ifDefined(maximum)}
    value=${ifDefined(preset)}
  />`
}

function select(name: string, field: ChoiceField, isRequired: boolean): TemplateResult {
  return html`<select name=${name} ?required=${isRequired}>
    <option value="">—</option>
    ${choicesOf(field).map(
      ({ const: value, title }, at) =>
        html`<option value=${at} ?selected=${value === field.default}>
          ${visibleText(title)}
        </option>`,
    )}
  </select>`
}

function boxes(name: string, field: ChoicesField): TemplateResult[] {
  const { default: preset = [] } = field
  return choicesOf(field).map(
    ({ const: value, title }, at) =>
      html`<label>
        <input type="checkbox" name=${name} value=${at} ?checked=${preset.includes(value)} />
        ${visibleText(title)}
      </label>`,
  )
}
