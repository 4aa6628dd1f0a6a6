import { html, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'

/** Shown while there are no messages: a greeting, and suggestions as buttons. */
export function emptyView({ suggestions, actions, words }: ChatContext): TemplateResult {
  return html`
    <div class="empty" part="empty">
      <slot name="greeting"><p class="greeting">${words.greeting}</p></slot>
      ${suggestions.map(
        (text) =>
          html`<button type="button" class="suggestion" @click=${() => actions.send(text)}>
            ${text}
          </button>`,
      )}
    </div>
  `
}
