import { html, nothing, type TemplateResult } from 'lit'
import type { FieldSchema, JsonObject, JsonValue, PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { inputKey } from '../input-key.ts'
import { refOf } from '../parts/call-ref.ts'
import { inputFields } from '../parts/input-fields.ts'
import { isRecord } from '../parts/is-record.ts'
import { problemKey } from '../problem-key.ts'
import { contentOf, fieldView } from './ask.ts'
import { formKey, type OpenForm, schemaOf } from './input.ts'

/** A value of an input, or all of an input that is no record. */
interface EditedField {
  /** Null: the whole input. */
  readonly key: string | null
  readonly value: JsonValue | undefined
  readonly title: string
  readonly hint?: string
  /** Null: written as JSON. */
  readonly schema: FieldSchema | null
  readonly isRequired: boolean
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/**
 * A form for the input of a call that waits for an approval. What a person writes is kept as the call's edited input, value by
 * value; values that they leave alone stay as the model wrote them. The call is approved once the form is closed and the card
 * shows the new input.
 */
export function editInputView(context: ChatContext, call: PendingCall): TemplateResult {
  const { words, local } = context
  const key = inputKey(refOf(context, call))
  const form = local.get<OpenForm>(formKey(key))
  const from = form?.from ?? null
  if (form) focusFirst(form)
  const fields = fieldsOf(context, call, from)
  let draft = JSON.parse(local.get<string>(key) ?? JSON.stringify(from)) as JsonValue
  const close = (input: JsonValue): void => {
    const text = JSON.stringify(input)
    local.set(key, text === JSON.stringify(call.input) ? undefined : text)
    local.set(formKey(key), undefined)
  }
  const change = ({ target, currentTarget }: Event): void => {
    const control = target as Control
    const field = fields[Number(control.name)]
    const read = field && readControl(field, control, currentTarget as HTMLFormElement)
    control.setCustomValidity(read ? '' : words.notJson)
    showProblem(control)
    if (!read) return
    draft = changed(draft, { fields, field, value: read.value })
    local.set(key, JSON.stringify(draft))
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const controls = controlsIn(event.currentTarget as HTMLFormElement)
    for (const control of controls) showProblem(control)
    const wrong = controls.find(({ validity }) => !validity.valid)
    if (wrong) wrong.focus()
    else close(draft)
  }
  return html`<form class="edit" novalidate @input=${change} @submit=${submit}>
    ${fields.map(
      (field, at) =>
        html`<div>
          ${fieldOf(context, field, `${at}`)}
          <p class="problem" role="alert" .textContent=${refusalOf(context, call, field)}></p>
        </div>`,
    )}
    <div class="buttons">
      <button class="primary">${words.states.done}</button>
      <button type="button" class="quiet" @click=${() => close(call.input)}>${words.cancel}</button>
    </div>
  </form>`
}

/** The fields of the input, and those of the schema that it doesn't have. */
function fieldsOf(
  context: ChatContext,
  call: PendingCall,
  input: JsonValue,
): readonly EditedField[] {
  const { words } = context
  const schema = schemaOf(context, call)
  const properties = isRecord(schema?.['properties']) ? schema['properties'] : {}
  const required = Array.isArray(schema?.['required']) ? schema['required'] : []
  if (!isRecord(input))
    return [{ key: null, value: input, title: words.input, schema: null, isRequired: true }]
  const record = input as JsonObject
  return [...new Set([...Object.keys(record), ...Object.keys(properties)])].map((key) => {
    const value = Object.hasOwn(record, key) ? record[key] : undefined
    const described = Object.hasOwn(properties, key) ? properties[key] : undefined
    const [named] = inputFields({ [key]: null }, schema) ?? []
    const hint = named?.isOfSchema ? named.hint : words.namedByModel
    return {
      key,
      value,
      title: named?.label ?? key,
      ...(hint !== undefined && { hint }),
      schema: simpleSchema(described, value),
      isRequired: required.includes(key),
    }
  })
}

/** Longer choices are cut where they are shown. */
const LONGEST_CHOICE = 40

/** The schema of a control for a text, a number, a choice or a boolean; null for anything else. */
function simpleSchema(described: unknown, value: JsonValue | undefined): FieldSchema | null {
  const schema = isRecord(described) ? described : {}
  const { type = typeof value, enum: choices } = schema
  if (type === 'boolean') return typeof value === 'boolean' ? { type, default: value } : null
  if (type === 'number' || type === 'integer') {
    if (value !== undefined && typeof value !== 'number') return null
    const { minimum, maximum } = schema as { minimum?: number; maximum?: number }
    return {
      type,
      ...(minimum !== undefined && { minimum }),
      ...(maximum !== undefined && { maximum }),
      ...(value !== undefined && { default: value }),
    }
  }
  if (type !== 'string' || (value !== undefined && typeof value !== 'string')) return null
  const preset = value !== undefined && { default: value }
  if (Array.isArray(choices)) {
    const texts = choices.filter(
      (each) => typeof each === 'string' && each.length <= LONGEST_CHOICE,
    )
    const isWhole =
      texts.length === choices.length && (value === undefined || texts.includes(value))
    return isWhole ? { type, enum: texts as string[], ...preset } : null
  }
  const { minLength, maxLength } = schema as { minLength?: number; maxLength?: number }
  return {
    type,
    ...(minLength !== undefined && { minLength }),
    ...(maxLength !== undefined && { maxLength }),
    ...preset,
  }
}

/** Names of controls are places: one that a model has chosen could hide a method of the form. */
function fieldOf(
  { words }: ChatContext,
  { value, title, hint, schema, isRequired }: EditedField,
  name: string,
): TemplateResult {
  if (schema)
    return fieldView(words, name, {
      schema: { ...schema, title, ...(hint !== undefined && { description: hint }) },
      // A text that a model has left empty may stay so.
      isRequired: isRequired && value !== '',
      isSensitive: false,
    })
  return html`<label class="field"
    ><span>${title}</span>
    <textarea
      class="code-field"
      spellcheck="false"
      name=${name}
      ?required=${isRequired}
      .defaultValue=${value === undefined ? '' : JSON.stringify(value, null, 2)}
    ></textarea>
    ${hint === undefined ? nothing : html`<small>${hint}</small>`}
  </label>`
}

/** Null for what is no JSON; a value of undefined is left out of the input. */
function readControl(
  { schema, value: before }: EditedField,
  { name, value: text }: Control,
  form: HTMLFormElement,
): { readonly value: JsonValue | undefined } | null {
  if (schema) {
    const { [name]: value } = contentOf({ type: 'object', properties: { [name]: schema } }, form)
    return { value: value ?? (before === '' ? '' : undefined) }
  }
  try {
    return { value: text.trim() === '' ? undefined : (JSON.parse(text) as JsonValue) }
  } catch {
    return null
  }
}

interface Change {
  readonly fields: readonly EditedField[]
  readonly field: EditedField
  readonly value: JsonValue | undefined
}

function changed(draft: JsonValue, { fields, field, value }: Change): JsonValue {
  if (field.key === null) return value ?? null
  const before = draft as JsonObject
  const entries = fields.flatMap(({ key }): [string, JsonValue][] => {
    if (key === null) return []
    const now = key === field.key ? value : Object.hasOwn(before, key) ? before[key] : undefined
    return now === undefined ? [] : [[key, now]]
  })
  return Object.fromEntries(entries)
}

function controlsIn(form: HTMLFormElement): Control[] {
  return [...form.querySelectorAll<Control>('input, select, textarea')]
}

function showProblem(control: Control): void {
  const problem = control.closest('.edit > div')?.querySelector('.problem')
  if (problem) problem.textContent = control.validationMessage
  control.ariaInvalid = `${!control.validity.valid}`
}

/** Why an approval with this input was refused, if this field was the reason. */
function refusalOf(
  { local }: ChatContext,
  { toolCallId }: PendingCall,
  { key }: EditedField,
): string {
  const parts = local.get<string>(problemKey(toolCallId))?.split(/: |; |\. Expected/) ?? []
  return parts.find((part) => part.startsWith(`'${key}'`) || part.startsWith(`'${key}.`)) ?? ''
}

const begun = new WeakSet<OpenForm>()

/** Once a form is drawn that was not there before. */
function focusFirst(form: OpenForm): void {
  if (begun.has(form)) return
  begun.add(form)
  const { card } = form
  void Promise.resolve().then(() =>
    card?.querySelector<Control>('.edit :is(input, select, textarea)')?.focus(),
  )
}
