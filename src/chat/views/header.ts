import { html, nothing, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'
import { problemKey } from '../problem-key.ts'

/** What the assistant and the conversation are called, and the way to the others. */
export function headerView(context: ChatContext): TemplateResult {
  const { snapshot, words, local, actions, placement } = context
  const isListOpen = local.get('list') !== undefined
  const toggleList = (): void => {
    // Of what was done there before.
    for (const key of ['list', 'sheets']) local.set(problemKey(key), undefined)
    local.set('list', isListOpen ? undefined : 'conversations')
  }
  return html`
    <header class="header" part="header">
      <h2>${words.heading}</h2>
      <span class="title">${snapshot.title ?? nothing}</span>
      <button type="button" class="quiet" aria-expanded=${isListOpen} @click=${toggleList}>
        <span class="sign" aria-hidden="true">☰</span>
        <span class="sign-words">${words.conversations}</span>
      </button>
      <button type="button" class="quiet" @click=${() => actions.startNew()}>
        <span class="sign" aria-hidden="true">+</span>
        <span class="sign-words">${words.newConversation}</span>
      </button>
      <slot name="header"></slot>
      ${
        placement === 'bubble'
          ? html`<button type="button" class="quiet" @click=${() => actions.close()}>
              <span class="sign" aria-hidden="true">×</span>
              <span class="sign-words">${words.close}</span>
            </button>`
          : nothing
      }
    </header>
  `
}
