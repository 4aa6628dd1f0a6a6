import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ChatContext } from '../context.ts'
import { rowsOf } from '../parts/rows.ts'
import { composerView } from './composer.ts'
import { conversationsView } from './conversations.ts'
import { elsewhereView } from './elsewhere.ts'
import { emptyView } from './empty.ts'
import { headerView } from './header.ts'
import { noticesView } from './notices.ts'
import { rowView } from './row.ts'
import { askBeforeLeaving } from './run-state.ts'

/** A whole element: a bubble's button, or the chat. */
export function chatView(context: ChatContext): TemplateResult {
  const { words, placement, isOpen, actions } = context
  if (placement === 'bubble' && !isOpen)
    return html`<button
      type="button"
      class="bubble primary"
      part="bubble"
      aria-label=${words.open}
      @click=${() => actions.show()}
    >
      ${words.heading}
    </button>`
  return html`
    <section
      class="chat"
      part="chat"
      role=${placement === 'bubble' ? 'dialog' : nothing}
      aria-label=${words.heading}
      @keydown=${({ key, isComposing, defaultPrevented }: KeyboardEvent) => {
        if (key === 'Escape' && placement === 'bubble' && !isComposing && !defaultPrevented)
          actions.close()
      }}
    >
      ${headerView(context)}
      ${context.local.get('list') === true ? conversationsView(context) : logView(context)}
      <div class="announcements unseen" aria-live="polite"></div>
    </section>
  `
}

function logView(context: ChatContext): TemplateResult {
  const { snapshot, words, isFollowing, actions } = context
  const rows = rowsOf(snapshot)
  const isLoading = snapshot.status === 'loading' || snapshot.older > 0
  return html`
    <div
      class="log"
      part="log"
      role="log"
      aria-live="off"
      aria-busy=${snapshot.status === 'running'}
      aria-label=${words.log}
      tabindex="0"
      @click=${(event: Event) => askBeforeLeaving(context, event)}
      @auxclick=${(event: Event) => askBeforeLeaving(context, event)}
    >
      ${isLoading ? html`<p class="note">${words.loading}</p>` : nothing}
      ${rows.length === 0 && !isLoading ? emptyView(context) : nothing}
      ${repeat(
        rows,
        ({ key }) => key,
        (row) => rowView(context, row),
      )}
      ${elsewhereView(context)}
    </div>
    ${
      isFollowing
        ? nothing
        : html`<button type="button" class="latest" @click=${() => actions.toLatest()}>
            ${words.jumpToLatest}
          </button>`
    }
    ${noticesView(context)} ${composerView(context)}
  `
}
