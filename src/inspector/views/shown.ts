import { html, nothing, type TemplateResult } from 'lit'
import type { ConversationSnapshot, ShownCall, ShownMessage } from '../../index.ts'
import { said } from './said.ts'

/** The newest messages that are drawn of a long conversation. */
const MOST_MESSAGES = 60

/** What a page shows, in plain words and without its looks. */
export function shownView(snapshot: ConversationSnapshot | null): TemplateResult {
  if (!snapshot) return html`<p class="problem">These rows come to nothing that can be shown.</p>`
  const { messages, status, ended, pending } = snapshot
  const shown = messages.slice(-MOST_MESSAGES)
  return html`
    <p class="quiet">
      ${said(status)}${ended ? `, ${said(ended.outcome)}` : ''}${pending.length > 0 ? `, ${pending.length} waiting` : ''}
    </p>
    ${
      shown.length < messages.length
        ? html`<p class="quiet">${messages.length - shown.length} earlier messages</p>`
        : nothing
    }
    ${shown.map(messageView)}
  `
}

function messageView(message: ShownMessage): TemplateResult | typeof nothing {
  if (message.role === 'tool') return nothing
  return html`<div class="message ${message.role}">
    <strong>${said(message.role)}</strong>
    ${message.parts.map((part) => {
      if (part.type === 'text') return html`<p>${said(part.text)}</p>`
      if (part.type === 'reasoning') return html`<p class="quiet">${said(part.text)}</p>`
      return part.type === 'file' ? html`<p class="quiet">${said(part.mediaType)}</p>` : nothing
    })}
    ${(message.calls ?? []).map(callView)}
  </div>`
}

function callView({ title, toolName, status, input, output }: ShownCall): TemplateResult {
  return html`<p class="call-line">
    <code>${said(title ?? toolName)}</code> <span class="status ${status}">${said(status)}</span>
    <code class="quiet">${said(JSON.stringify(input)?.slice(0, 400) ?? '')}</code>
    ${output ? html`<code>${said(JSON.stringify(output).slice(0, 400))}</code>` : nothing}
  </p>`
}
