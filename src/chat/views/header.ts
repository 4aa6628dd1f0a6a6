import { html, nothing, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'
import { problemKey } from '../problem-key.ts'
import { iconButton, iconView } from './icon.ts'

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
      <button
        type="button"
        class="quiet round"
        title=${words.conversations}
        aria-label=${words.conversations}
        aria-expanded=${isListOpen}
        @click=${toggleList}
      >
        ${iconView('list')}
      </button>
      ${iconButton('add', words.newConversation, { press: () => actions.startNew() })}
      <slot name="header"></slot>
      ${
        placement === 'bubble'
          ? iconButton('close', words.close, { press: () => actions.close() })
          : nothing
      }
    </header>
  `
}
