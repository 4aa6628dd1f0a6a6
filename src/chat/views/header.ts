import { html, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'

export function headerView({ snapshot, words, actions }: ChatContext): TemplateResult {
  return html`
    <header class="header" part="header">
      <h2>${words.heading}</h2>
      <span class="title">${snapshot.title ?? ''}</span>
      <button type="button" @click=${() => actions.startNew()}>${words.newConversation}</button>
    </header>
  `
}
