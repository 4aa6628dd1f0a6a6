import { html, nothing, type TemplateResult } from 'lit'
import { showInput } from '../../conversation/index.ts'
import type { ShownCall } from '../../index.ts'
import { problemKey } from '../actions.ts'
import type { ChatContext } from '../context.ts'
import { stateOf } from '../parts/call-state.ts'

/** A call of a tool: what it is called, how it stands, and what a person is asked about it. */
export function callView(context: ChatContext, call: ShownCall): TemplateResult {
  const { words, local } = context
  const { kind, word } = stateOf(call)
  const title = call.title ?? call.toolName
  const problem = local.get<string>(problemKey(call.toolCallId))
  return html`
    <div class="call ${kind}" part="call" role="group" aria-label=${title}>
      <details>
        <summary>
          <span class="call-title">${title}</span>
          <span class="call-state">${words.states[word]}</span>
        </summary>
        <h4>${words.input}</h4>
        <pre tabindex="0">
${call.inputText ?? (call.input === undefined ? '' : showInput(call.input))}</pre>
      </details>
      ${call.status === 'awaiting-approval' ? approval(context, call) : nothing}
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
    </div>
  `
}

function approval({ conversation, words, actions }: ChatContext, call: ShownCall): TemplateResult {
  const key = call.toolCallId
  const approve = (): void =>
    actions.perform({ name: 'approve', detail: { call }, key }, () => conversation.approve(call))
  const deny = (): void =>
    actions.perform({ name: 'deny', detail: { call }, key }, () => conversation.deny(call))
  return html`
    ${call.about ? html`<p class="about">${call.about.text}</p>` : nothing}
    <div class="buttons">
      <button type="button" class="primary" @click=${approve}>${words.approve}</button>
      <button type="button" @click=${deny}>${words.deny}</button>
    </div>
  `
}
