import { html, nothing, type TemplateResult } from 'lit'
import { ifDefined } from 'lit/directives/if-defined.js'
import type {
  ChoiceField,
  ChoicesField,
  FieldSchema,
  NumberField,
  PendingCall,
  QuestionAnswer,
  TextField,
} from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import { visibleText } from '../../../conversation/index.ts'
import { visibleLines } from '../parts/failures.ts'
import { toCallRef } from '../parts/call-ref.ts'
import { inputView } from './input.ts'
import type { Maybe } from './problem.ts'
import { readFormValues, choicesOf } from '../parts/form-content.ts'
import type { Words } from '../words/words.ts'

/** Shows the agent's question, or asks what became of an interrupted call. */
export function askView(context: ChatContext, call: PendingCall): TemplateResult {
  return call.kind === 'answer' ? questionView(context, call) : interruptedView(context, call)
}

/** Asks the person whether an interrupted call took effect. */
function interruptedView(context: ChatContext, call: PendingCall): TemplateResult {
  const { agent, words, actions, locale, snapshot } = context
  const shownCall = snapshot.messages
    .flatMap(({ calls = [] }) => calls)
    .find(({ toolCallId }) => toolCallId === call.toolCallId)
  const resolve = (verdict: 'happened' | 'did-not-happen' | 'run-again') => (): void =>
    void actions.perform({ name: 'resolve', detail: { call, verdict }, key: call.toolCallId }, () =>
      agent.resolveInterrupted(toCallRef(context, call), verdict),
    )
  return html`
    <p>
      ${words.interruptedWords}
      ${shownCall?.startedAt === undefined ? nothing : words.beganAt(timeOf(shownCall.startedAt, locale))}
    </p>
    ${shownCall?.about ? html`<p class="about">${visibleText(shownCall.about.text)}</p>` : nothing}
    ${inputView(context, call)}
    <div class="buttons">
      <button type="button" @click=${resolve('happened')}>${words.happened}</button>
      <button type="button" @click=${resolve('did-not-happen')}>${words.didNotHappen}</button>
      <button type="button" @click=${resolve('run-again')}>${words.runAgain}</button>
    </div>
  `
}

function timeOf(at: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'medium' }).format(at)
}

/**
 * Shows the agent's question: a choice, a text or a form. A model wrote everything in it, so it is shown as plain text.
 */
function questionView(context: ChatContext, call: PendingCall): TemplateResult {
  const { agent, words, actions } = context
  const { question, toolCallId: key } = call
  const fields = question?.fields
  const send = (answer: string | QuestionAnswer): void =>
    void actions.perform({ name: 'answer', detail: { call, answer }, key }, () =>
      agent.answer(toCallRef(context, call), answer),
    )
  const submit = (event: SubmitEvent): void => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    if (fields) send({ action: 'accept', content: readFormValues(fields, form) })
    else send(String(new FormData(form).get('answer') ?? ''))
  }
  return html`
    <form class="question" part="question" @submit=${submit}>
      <p class="plain">${visibleLines(question?.question ?? '')}</p>
      ${
        fields
          ? Object.entries(fields.properties).map(([name, schema]) =>
              fieldView(words, name, {
                schema,
                isRequired: fields.required?.includes(name) === true,
                isSensitive: question?.sensitive?.includes(name) === true,
              }),
            )
          : html`
              ${optionsView(question?.options ?? [], send)}
              <input name="answer" required autocomplete="off" aria-label=${words.answer} />
            `
      }
      <div class="buttons">
        <button class="primary">${words.answer}</button>
        <button type="button" @click=${() => send({ action: 'decline' })}>
          ${words.ratherNot}
        </button>
      </div>
    </form>
  `
}

function optionsView(options: readonly string[], send: (answer: string) => void): Maybe {
  if (options.length === 0) return nothing
  return html`<div class="buttons">
    ${options.map(
      (option) =>
        html`<button type="button" @click=${() => send(option)}>${visibleText(option)}</button>`,
    )}
  </div>`
}

interface FieldOptions {
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
      ${checkboxes(name, schema)} ${hints}
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
        ? selectControl(name, schema, isRequired)
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
  // Uses several lines, because a one-line input would cut the text or drop its line breaks.
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

function selectControl(name: string, field: ChoiceField, isRequired: boolean): TemplateResult {
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

function checkboxes(name: string, field: ChoicesField): TemplateResult[] {
  const { default: preset = [] } = field
  return choicesOf(field).map(
    ({ const: value, title }, at) =>
      html`<label>
        <input type="checkbox" name=${name} value=${at} ?checked=${preset.includes(value)} />
        ${visibleText(title)}
      </label>`,
  )
}
