import { html, nothing, type TemplateResult } from 'lit'
import { showInput } from '../../conversation/index.ts'
import type { PendingCall } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { type InputField, inputFields } from '../parts/input-fields.ts'

/** The input of a call that a person decides about: field by field, else as JSON. Nothing is left out: a long one scrolls. */
export function inputView({ agent, words }: ChatContext, call: PendingCall): TemplateResult {
  // Another agent's tools may have the same names.
  const schema = call.conversationId === undefined ? agent.inputSchema(call.toolName) : null
  const fields = inputFields(call.input, schema)
  if (fields === null)
    return html`<pre class="asked" tabindex="0" aria-label=${words.input}>
${showInput(call.input)}</pre>`
  return html`<div class="asked" role="group" tabindex="0" aria-label=${words.input}>
    <dl>${fields.map(fieldView)}</dl>
  </div>`
}

function fieldView({ label, hint, text }: InputField): TemplateResult {
  return html`<dt>${label}${hint === undefined ? nothing : html` <small>${hint}</small>`}</dt>
    <dd>${text}</dd>`
}
