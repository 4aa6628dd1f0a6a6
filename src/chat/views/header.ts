import { html, nothing, type TemplateResult } from 'lit'
import type { ConversationSnapshot } from '../../index.ts'
import type { ChatContext } from '../context.ts'
import { textOf } from '../parts/text-of.ts'
import { problemKey } from '../problem-key.ts'
import { iconButton } from './icon.ts'

/** Shows the names of the assistant and the conversation, and the button that lists the others. */
export function headerView(context: ChatContext): TemplateResult {
  const { snapshot, words, local, actions, placement } = context
  const isListOpen = local.get('list') !== undefined
  const toggleList = (): void => {
    // Clears errors of earlier actions there.
    for (const key of ['list', 'sheets']) local.set(problemKey(key), undefined)
    local.set('list', isListOpen ? undefined : 'conversations')
  }
  return html`
    <header class="header" part="header">
      <h2>${words.heading}</h2>
      <span class="title">${titleOf(snapshot)}</span>
      ${iconButton('list', words.conversations, { press: toggleList, isExpanded: isListOpen })}
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

/** Returns the title, unless it is the beginning of the first message, which is in view below it. */
function titleOf({ title = '', messages: [first] }: ConversationSnapshot): string {
  const text = first ? textOf(first).trim().replace(/\s+/g, ' ') : ''
  return text.startsWith(title.replace(/…$/, '')) ? '' : title
}
