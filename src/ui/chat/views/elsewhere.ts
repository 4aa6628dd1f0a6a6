import { html, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ChatContext } from '../context.ts'
import { askedTogether } from '../parts/rows.ts'
import { problemView, sourceView, stateIcon, titleOf } from './call.ts'
import { waitingView } from './approval.ts'

/** Shows waiting calls of child agents, one by one. */
export function elsewhereView(context: ChatContext): TemplateResult {
  const { snapshot, words, renderers } = context
  const together = askedTogether(snapshot, (toolName) => Object.hasOwn(renderers, toolName))
  const calls = snapshot.pending.filter(
    (call) =>
      call.conversationId !== undefined &&
      call.conversationId !== snapshot.conversationId &&
      !together.includes(call),
  )
  return html`${repeat(
    calls,
    ({ toolCallId }) => toolCallId,
    (call) => {
      const title = titleOf(context, call)
      return html`<div
        class="call waiting"
        part="call call-waiting"
        role="group"
        tabindex="-1"
        aria-label=${title}
      >
        <p class="summary">
          ${stateIcon('waiting')}
          <span class="call-title">${title}</span>
          <span class="call-state">${words.states.waiting}</span>
        </p>
        ${sourceView(context, call)} ${waitingView(context, call)}
        ${problemView(context, call, true)}
      </div>`
    },
  )}`
}
