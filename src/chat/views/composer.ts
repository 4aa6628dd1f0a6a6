import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { problemKey } from '../actions.ts'
import type { ChatContext } from '../context.ts'

/**
 * Where a person writes. Enter sends, but not the one that ends a composition of an input method. While a run is open,
 * what is sent steers it.
 */
export function composerView(context: ChatContext): TemplateResult {
  const { snapshot, words, local, actions } = context
  const isOpen = snapshot.runId !== undefined
  const isLoading = snapshot.status === 'loading'
  const text = local.get<string>('draft') ?? ''
  const problem = local.get<string>(problemKey('composer'))
  const send = (event: Event): void => {
    event.preventDefault()
    if (text.trim() === '' || isLoading) return
    if (actions.send(text)) local.set('draft', undefined)
  }
  const onKey = (event: KeyboardEvent): void => {
    // 229: Safari ends a composition before the key that ended it.
    const isComposing = event.isComposing || event.keyCode === 229
    if (event.key === 'Enter' && !event.shiftKey && !isComposing) send(event)
  }
  return html`
    <form class="composer" part="composer" @submit=${send}>
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
      ${isOpen && text !== '' ? html`<p class="note">${words.steerHint}</p>` : nothing}
      <div class="compose">
        <slot name="composer-start"></slot>
        <textarea
          class="prompt"
          part="prompt"
          rows="1"
          aria-label=${words.messageLabel}
          placeholder=${words.messagePlaceholder}
          .value=${live(text)}
          @input=${({ target }: Event) => local.set('draft', (target as HTMLTextAreaElement).value)}
          @keydown=${onKey}
        ></textarea>
        <slot name="composer-end"></slot>
        ${
          isOpen
            ? html`<button type="button" class="stop" @click=${() => actions.stop()}>
                ${words.stop}
              </button>`
            : nothing
        }
        <button class="primary send" ?disabled=${isLoading || text.trim() === ''}>
          ${words.send}
        </button>
      </div>
    </form>
  `
}
