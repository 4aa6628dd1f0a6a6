import { html, nothing, type TemplateResult } from 'lit'
import { showInput } from '../../../conversation/index.ts'
import type { JsonSchema, JsonValue, PendingCall } from '../../../index.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { beginningOf, type InputField, inputFields } from '../parts/input-fields.ts'

/** An open form that edits a call's input. */
export interface OpenForm {
  /** The input before editing. */
  readonly from: JsonValue
  /** The card that contains the form. */
  readonly card: Element | null
}

/** Returns the key of a call's `OpenForm` from the key of its edited input. */
export function formKey(inputKey: string): string {
  return `form-${inputKey}`
}

/** Returns the schema of a call's tool. Null for a call of another agent, whose tools may have the same names. */
export function schemaOf({ agent }: ChatContext, call: PendingCall): JsonSchema | null {
  return call.conversationId === undefined ? agent.inputSchema(call.toolName) : null
}

/**
 * Shows the input of a call that waits for approval: every field, or JSON. Long texts are shortened and can be
 * expanded.
 */
export function inputView(context: ChatContext, call: PendingCall): TemplateResult {
  const { words } = context
  const fields = inputFields(call.input, schemaOf(context, call))
  if (fields === null)
    return html`<pre class="asked" aria-label=${words.input}>${showInput(call.input)}</pre>`
  return html`<div class="asked" role="group" aria-label=${words.input}>
    <dl>
      ${fields.map((field, at) => fieldView(context, field, `field-${at}:${call.toolCallId}`))}
    </dl>
  </div>`
}

function fieldView(
  { words, local, locale }: ChatContext,
  { label, isOfSchema, hint, text, isText }: InputField,
  key: string,
): TemplateResult {
  const beginning = local.get<boolean>(key) ? text : beginningOf(text)
  return html`<div class="asked-field">
    <dt>
      ${isOfSchema ? label : html`<code dir="auto">${label}</code> <small>${words.namedByModel}</small>`}
    </dt>
    <dd>
      <span class=${isText ? nothing : 'data'}>${beginning === text ? text : `${beginning}…`}</span>
      ${
        beginning === text
          ? nothing
          : html`<button type="button" @click=${() => local.set(key, true)}>
              ${words.showAll(numberFormat(locale).format(text.length))}
            </button>`
      }
      ${isOfSchema && hint !== undefined ? html`<small>${hint}</small>` : nothing}
    </dd>
  </div>`
}
