import { html, nothing, type TemplateResult } from 'lit'
import type { FieldSchema, JsonObject, JsonValue, PendingCall } from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import { inputKey, problemKey } from '../local-keys.ts'
import { toCallRef } from '../parts/call-ref.ts'
import { onEscape } from '../walk-messages.ts'
import { schemaOfKey, labelOf, isRecord } from '../parts/input-fields.ts'
import { readFormValues } from '../parts/form-content.ts'
import { fieldView } from './ask.ts'
import { formKey, type OpenForm, schemaOf } from './input.ts'

/** A value of an input, or the whole input if it isn't an object. */
interface EditedField {
  /** Null for the whole input. */
  readonly key: string | null
  readonly value: JsonValue | undefined
  readonly title: string
  readonly hint?: string | undefined
  /** Null if the value is edited as JSON. */
  readonly schema: FieldSchema | null
  readonly isRequired: boolean
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement

/**
 * A form that edits the input of a call that waits for approval. Each change is saved in the call's edited input; other
 * values stay as the model wrote them. The call can be approved once the form is closed and the card shows the new
 * input.
 */
export function editInputView(context: ChatContext, call: PendingCall): TemplateResult {
  const { words, local } = context
  const key = inputKey(toCallRef(context, call))
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
    const result = field && readControl(field, control, currentTarget as HTMLFormElement)
    control.setCustomValidity(result ? '' : words.notJson)
    showProblem(control)
    if (!result) return
    draft = applyChange(draft, { fields, field, value: result.value })
    local.set(key, JSON.stringify(draft))
  }
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const controls = controlsIn(event.currentTarget as HTMLFormElement)
    for (const control of controls) showProblem(control)
    const invalid = controls.find(({ validity }) => !validity.valid)
    if (invalid) invalid.focus()
    else close(draft)
  }
  const cancel = (): void => close(call.input)
  return html`<form
    class="edit"
    novalidate
    @input=${change}
    @submit=${submit}
    @keydown=${onEscape(cancel)}
  >
    ${fields.map(
      (field, at) =>
        html`<div>
          ${editedFieldView(context, field, `${at}`)}
          <p class="problem" role="alert" .textContent=${refusalOf(context, call, field)}></p>
        </div>`,
    )}
    <div class="buttons">
      <button class="primary">${words.states.done}</button>
      <button type="button" class="quiet" @click=${cancel}>${words.cancel}</button>
    </div>
  </form>`
}

/** Returns the input's fields, then those that only the schema has. */
function fieldsOf(
  context: ChatContext,
  call: PendingCall,
  input: JsonValue,
): readonly EditedField[] {
  const { words } = context
  if (!isRecord(input))
    return [{ key: null, value: input, title: words.input, schema: null, isRequired: true }]
  const record = input as JsonObject
  const schema = schemaOf(context, call)
  const { properties, required } = schema ?? {}
  const describedKeys = isRecord(properties) ? Object.keys(properties) : []
  return [...new Set([...Object.keys(record), ...describedKeys])].map((key) => {
    const value = Object.hasOwn(record, key) ? record[key] : undefined
    const keySchema = schemaOfKey(schema, key)
    const { label, isOfSchema, hint } = labelOf(key, keySchema)
    return {
      key,
      value,
      title: label,
      hint: isOfSchema ? hint : words.namedByModel,
      schema: simpleSchema(keySchema, value),
      isRequired: Array.isArray(required) && required.includes(key),
    }
  })
}

/** Maximum characters of a choice. A longer choice would be cut in its control. */
const LONGEST_CHOICE = 40

/** Types that have a control, with the `typeof` of their values. */
const TYPES = { string: 'string', number: 'number', integer: 'number', boolean: 'boolean' }

/** Schema keywords that a control checks. Excludes `format`, which would change how the value is entered. */
const LIMITS = ['minimum', 'maximum', 'minLength', 'maxLength']

/** Returns a schema for a text, number, choice or boolean control. Null for anything else. */
function simpleSchema(
  keySchema: Readonly<Record<string, unknown>> | null,
  value: JsonValue | undefined,
): FieldSchema | null {
  const { type = typeof value, enum: choices, ...limits } = keySchema ?? {}
  // Allows a text or number without a value, because its control can be empty. A checkbox can't.
  const isOfType =
    value === undefined ? type !== 'boolean' : typeof value === TYPES[type as keyof typeof TYPES]
  if (!isOfType || !Object.hasOwn(TYPES, String(type))) return null
  const isChoice = type === 'string' && Array.isArray(choices)
  if (isChoice && !(choices.every(isShort) && (value === undefined || choices.includes(value))))
    return null
  return {
    type,
    ...Object.fromEntries(Object.entries(limits).filter(([name]) => LIMITS.includes(name))),
    ...(isChoice && { enum: choices }),
    ...(value !== undefined && { default: value }),
  } as FieldSchema
}

function isShort(choice: unknown): boolean {
  return typeof choice === 'string' && choice.length <= LONGEST_CHOICE
}

/** `name` is the field's index. A name chosen by the model, such as `submit`, could hide a method of the form. */
function editedFieldView(
  { words }: ChatContext,
  { value, title, hint, schema, isRequired }: EditedField,
  name: string,
): TemplateResult {
  if (schema)
    return fieldView(words, name, {
      schema: { ...schema, title, ...(hint !== undefined && { description: hint }) },
      // Accepts an empty text if the model also left it empty.
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

/** Reads a control. Null if its text is invalid JSON. `value: undefined`: the field is removed from the input. */
function readControl(
  { schema, value: before }: EditedField,
  { name, value: text }: Control,
  form: HTMLFormElement,
): { readonly value: JsonValue | undefined } | null {
  if (schema) {
    const { [name]: value } = readFormValues(
      { type: 'object', properties: { [name]: schema } },
      form,
    )
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

function applyChange(draft: JsonValue, { fields, field, value }: Change): JsonValue {
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
  const { validationMessage: text } = control
  // Sets only a changed text, because a screen reader would otherwise read it again after each letter.
  if (problem && problem.textContent !== text) problem.textContent = text
  control.ariaInvalid = `${!control.validity.valid}`
}

/** Returns why an approval with this input was refused, if the reason names this field. Otherwise empty. */
function refusalOf(
  { local }: ChatContext,
  { toolCallId }: PendingCall,
  { key }: EditedField,
): string {
  const parts = local.get<string>(problemKey(toolCallId))?.split(/: |; |\. Expected/) ?? []
  return parts.find((part) => part.startsWith(`'${key}'`) || part.startsWith(`'${key}.`)) ?? ''
}

const focusedForms = new WeakSet<OpenForm>()

/** Focuses the first control of a form, only when it first appears. */
function focusFirst(form: OpenForm): void {
  if (focusedForms.has(form)) return
  focusedForms.add(form)
  const { card } = form
  void Promise.resolve().then(() =>
    card?.querySelector<Control>('.edit :is(input, select, textarea)')?.focus(),
  )
}
