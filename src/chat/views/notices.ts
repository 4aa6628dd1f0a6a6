import { html, nothing, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'

/** What is to be said of the run and its conversation, between messages and composer. */
export function noticesView({
  snapshot,
  words,
  conversation,
  actions,
}: ChatContext): TemplateResult {
  const takeOver = (): void => actions.perform({ name: 'take-over' }, () => conversation.takeOver())
  return html`
    <div class="notices" part="notices">
      ${
        snapshot.ownership === 'other-tab'
          ? html`<p class="notice">
              ${words.otherTab}
              <button type="button" @click=${takeOver}>${words.takeOver}</button>
            </p>`
          : nothing
      }
      ${
        snapshot.error
          ? html`<p class="notice problem" role="alert">
              ${words.failed} ${snapshot.error.message}
            </p>`
          : nothing
      }
    </div>
  `
}
