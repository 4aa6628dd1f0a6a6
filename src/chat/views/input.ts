import { html, nothing, type TemplateResult } from 'lit'
import { showInput } from '../../conversation/index.ts'
import type { PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { type InputField, inputFields } from '../parts/input-fields.ts'
import type { Words } from '../words/words.ts'

/** The input of a call that a person decides about: field by field, else as JSON. Nothing is left out: a long one scrolls. */
export function inputView({ agent, words }: ChatContext, call: PendingCall): TemplateResult {
  // Another agent's tools may have the same names.
  const schema = call.conversationId === undefined ? agent.inputSchema(call.toolName) : null
  const fields = inputFields(call.input, schema)
  if (fields === null)
    return html`<pre class="asked" tabindex="0" aria-label=${words.input}>
${showInput(call.input)}</pre>`
  return html`<div class="asked" role="group" tabindex="0" aria-label=${words.input}>
    <dl>${fields.map((field) => fieldView(words, field))}</dl>
  </div>`
}

function fieldView(words: Words, { label, isOfSchema, hint, text }: InputField): TemplateResult {
  const note = isOfSchema ? hint : words.namedByModel
  return html`<dt>
      ${isOfSchema ? label : html`<code dir="auto">${label}</code>`}${note === undefined ? nothing : html` <small>${note}</small>`}
    </dt>
    <dd>${text}</dd>`
}
