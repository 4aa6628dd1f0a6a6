import { html, nothing, type TemplateResult } from 'lit'
import type { ShownMessage } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { markdown } from '../markdown/directive.ts'

/** A message of the person or the model. Its calls are rows of their own. */
export function messageView(
  context: ChatContext,
  message: ShownMessage,
): TemplateResult | typeof nothing {
  const { words } = context
  const isOwn = message.role === 'user'
  const parts = message.parts.filter(({ type }) => type !== 'tool-call')
  if (parts.length === 0) return nothing
  return html`
    <article
      class="message ${isOwn ? 'own' : 'reply'}"
      part="message ${isOwn ? 'own-message' : 'reply'}"
      aria-label=${isOwn ? words.you : words.assistant}
      tabindex="-1"
    >
      ${parts.map((part) => {
        switch (part.type) {
          case 'text':
            return isOwn
              ? html`<p class="plain">${part.text}</p>`
              : html`<div class="markdown">${markdown(part.text, context.markdown, words)}</div>`
          case 'reasoning':
            return html`<details class="reasoning">
              <summary>${words.reasoning}</summary>
              <p class="plain">${part.text}</p>
            </details>`
          case 'file':
            return html`<p class="file">${words.attachment(part.filename ?? part.mediaType)}</p>`
          default:
            return nothing
        }
      })}
    </article>
  `
}
