import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ChatContext } from '../context.ts'
import { rowsOf } from '../parts/rows.ts'
import { composerView } from './composer.ts'
import { emptyView } from './empty.ts'
import { headerView } from './header.ts'
import { noticesView } from './notices.ts'
import { rowView } from './row.ts'

/** All of an element: head, messages, what is to be said of the run, and where to write. */
export function chatView(context: ChatContext): TemplateResult {
  const { snapshot, words } = context
  const rows = rowsOf(snapshot)
  const isEmpty = rows.length === 0 && snapshot.status !== 'loading'
  return html`
    <section class="chat" part="chat" aria-label=${words.heading}>
      ${headerView(context)}
      <div class="log" part="log" role="log" aria-live="off" aria-label=${words.log} tabindex="0">
        ${
          snapshot.status === 'loading' || snapshot.older > 0
            ? html`<p class="note">${words.loading}</p>`
            : nothing
        }
        ${isEmpty ? emptyView(context) : nothing}
        ${repeat(
          rows,
          ({ key }) => key,
          (row) => rowView(context, row),
        )}
      </div>
      ${noticesView(context)} ${composerView(context)}
    </section>
  `
}
