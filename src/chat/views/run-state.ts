import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../conversation/index.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat, timeFormat } from '../formats.ts'
import { textOf } from '../parts/text-of.ts'
import { onItsWay } from '../unsent.ts'

type Maybe = TemplateResult | typeof nothing

/** What the model means to do, and how far it is. */
export function planView({ snapshot, words, locale }: ChatContext): Maybe {
  const { plan } = snapshot
  if (!plan) return nothing
  const number = numberFormat(locale)
  const done = plan.filter(({ status }) => status === 'done').length
  return html`<details class="fold" part="plan">
    <summary>
      ${words.plan}: ${words.planDone(number.format(done), number.format(plan.length))}
    </summary>
    <ol>
      ${plan.map(({ content, status }) => html`<li class=${`step-${status}`}>${visibleText(content)}</li>`)}
    </ol>
  </details>`
}

/** Whose words the conversation holds. */
export function taintView({ snapshot, words, locale }: ChatContext): Maybe {
  const { taint } = snapshot
  if (taint.length === 0) return nothing
  const time = timeFormat(locale)
  return html`<details class="fold" part="taint">
    <summary>${words.tainted}</summary>
    <ul>
      ${taint.map(
        ({ origin, at }) => html`<li>${words.taintedBy(visibleText(origin), time.format(at))}</li>`,
      )}
    </ul>
  </details>`
}

/** A link to another site, pressed in a conversation that holds words of others, says where it leads before it does. */
export function leavingView({ words, local }: ChatContext): Maybe {
  const address = local.get<string>(LEAVING)
  if (address === undefined) return nothing
  const close = (): void => local.set(LEAVING, undefined)
  const open = (): void => {
    close()
    window.open(address, '_blank', 'noopener,noreferrer')
  }
  return html`<p class="notice" role="alert">
    ${words.leaving(visibleText(address))}
    <button type="button" @click=${open}>${words.openLink}</button>
    <button type="button" @click=${close}>${words.cancel}</button>
  </p>`
}

const LEAVING = 'leaving'

/** Has a press of such a link asked about. */
export function askBeforeLeaving({ snapshot, local }: ChatContext, event: Event): void {
  const { target } = event
  const link =
    target instanceof Element
      ? target.closest<HTMLAnchorElement>('.markdown a[href], .sources a[href]')
      : null
  if (!link || snapshot.taint.length === 0 || link.origin === location.origin) return
  event.preventDefault()
  local.set(LEAVING, link.href)
}

/** What a person has allowed beyond single calls, to take back. */
export function consentsView({ snapshot, words, actions, conversation }: ChatContext): Maybe {
  const { consents } = snapshot
  if (consents.length === 0) return nothing
  return html`<details class="fold" part="consents">
    <summary>${words.consents} (${consents.length})</summary>
    <ul>
      ${consents.map(
        ({ consentId, title, toolName, key }) =>
          html`<li>
            ${visibleText(title ?? toolName)} ${key === undefined ? nothing : visibleText(key)}
            <button
              type="button"
              class="quiet"
              @click=${() =>
                actions.perform({ name: 'revoke', detail: { consentId } }, () =>
                  conversation.revoke(consentId),
                )}
            >
              ${words.revoke}
            </button>
          </li>`,
      )}
    </ul>
  </details>`
}

/** What was written while the run is open, and has not reached the model. */
export function queueView({ snapshot, words, actions, conversation, local }: ChatContext): Maybe {
  const { queued, conversationId, status } = snapshot
  // Elsewhere it is shown at once as what it becomes.
  const sent = status === 'loading' ? onItsWay(local, conversationId) : []
  if (queued.length + sent.length === 0) return nothing
  return html`<ul class="queue" part="queue" aria-label=${words.queued}>
    ${queued.map(
      (content) =>
        html`<li>
          ${textOf(content)}
          <small
            >${content.when === 'after-run' && !content.orSooner ? words.queueHint : words.steerHint}</small
          >
          <button
            type="button"
            class="quiet"
            @click=${() =>
              actions.perform({ name: 'withdraw', detail: { messageId: content.id } }, () =>
                conversation.withdraw(content.id),
              )}
          >
            ${words.withdraw}
          </button>
        </li>`,
    )}
    ${sent.map((text) => html`<li>${text}</li>`)}
  </ul>`
}
