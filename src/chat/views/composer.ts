import { html, nothing, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'

/** Where a person writes. Enter sends, but not the one that ends a composition of an input method. */
export function composerView({ snapshot, words, local, actions }: ChatContext): TemplateResult {
  const isOpen = snapshot.runId !== undefined
  const text = local.get<string>('draft') ?? ''
  const send = (event: Event): void => {
    event.preventDefault()
    if (text.trim() === '') return
    actions.send(text)
    local.set('draft', undefined)
  }
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    send(event)
  }
  return html`
    <form class="composer" part="composer" @submit=${send}>
      <textarea
        rows="1"
        aria-label=${words.messageLabel}
        placeholder=${words.messagePlaceholder}
        .value=${text}
        @input=${(event: InputEvent) =>
          local.set('draft', (event.target as HTMLTextAreaElement).value)}
        @keydown=${onKey}
      ></textarea>
      <button class="primary" ?disabled=${snapshot.status === 'loading'}>${words.send}</button>
      ${
        isOpen
          ? html`<button type="button" @click=${() => actions.stop()}>${words.stop}</button>`
          : nothing
      }
    </form>
  `
}
