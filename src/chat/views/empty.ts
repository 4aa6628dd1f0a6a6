import { html, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'

/** What stands in place of messages: the suggestions, as buttons. */
export function emptyView({ suggestions, actions }: ChatContext): TemplateResult {
  return html`
    <div class="empty" part="empty">
      ${suggestions.map(
        (text) =>
          html`<button type="button" class="suggestion" @click=${() => actions.send(text)}>
            ${text}
          </button>`,
      )}
    </div>
  `
}
