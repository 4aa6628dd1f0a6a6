import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../../conversation/index.ts'
import type { ChatContext } from '../context.ts'
import { numberFormat, timeFormat } from '../formats.ts'
import { formatLoading } from '../parts/engine-loading.ts'
import { messageText } from '../parts/text-of.ts'
import { sentWhileLoading, prependToDraft, unsentMessage } from '../unsent-texts.ts'
import { goTo, findWaitingCard } from '../walk-messages.ts'
import { iconButton } from './icon.ts'
import type { Maybe } from './problem.ts'

export interface Details {
  /** Number of calls that wait for the person; 0 if all of them are in view. */
  readonly waiting: number
  /** Text about a model that loads in the browser. `cancel`: the button that stops loading. */
  readonly loading: string
  readonly cancel: Maybe
}

/** Notices that few conversations need. */
export function detailsView(context: ChatContext, details: Details): TemplateResult {
  return html`${waitingCallsView(context, details.waiting)} ${planView(context)}
  ${taintView(context)} ${consentsView(context)} ${leavingView(context)}
  ${loadingView(context, details)} ${queueView(context)} ${unsentView(context)}`
}

/** Shows a button that scrolls to waiting calls that are out of view. */
function waitingCallsView({ words, locale }: ChatContext, waiting: number): Maybe {
  if (waiting === 0) return nothing
  const count = numberFormat(locale).format(waiting)
  const show = ({ target }: Event): void => {
    const root = target instanceof Element ? target.closest('.chat') : null
    const card = root && findWaitingCard(root)
    if (card) goTo(card)
  }
  return html`<p class="notice">
    ${words.waitingCalls(count)}
    <button type="button" @click=${show}>${words.showWaiting}</button>
  </p>`
}

/** Keys of the words for a plan step's state. A pending step has none. */
const STEPS = { pending: null, 'in-progress': 'running', done: 'done', dropped: 'stopped' } as const

/** The model's plan, with its progress. */
function planView({ snapshot, words, locale }: ChatContext): Maybe {
  const { plan } = snapshot
  if (!plan) return nothing
  const number = numberFormat(locale)
  const done = plan.filter(({ status }) => status === 'done').length
  return html`<details class="fold" part="plan">
    <summary>
      ${words.plan}: ${words.planDone(number.format(done), number.format(plan.length))}
    </summary>
    <ol>
      ${plan.map(({ content, status }) => {
        const stateWord = STEPS[status]
        return html`<li>
          ${visibleText(content)} <small>${stateWord && words.states[stateWord]}</small>
        </li>`
      })}
    </ol>
  </details>`
}

/** Sources of untrusted content in the conversation. */
function taintView({ snapshot, words, locale }: ChatContext): Maybe {
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

/** Consents to later calls, each with a button that removes it. */
function consentsView({ snapshot, words, actions, conversation }: ChatContext): Maybe {
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

/** Shows a pressed link's full address before it opens, if the conversation has untrusted content. */
function leavingView({ words, local }: ChatContext): Maybe {
  const address = local.get<string>('leaving')
  if (address === undefined) return nothing
  const close = (): void => local.set('leaving', undefined)
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

/** Progress of a model that loads in the browser. */
function loadingView({ around, locale }: ChatContext, { loading: label, cancel }: Details): Maybe {
  if (!around.loading) return nothing
  const { ratio, percent, bytes } = formatLoading(around.loading, locale)
  return html`<p class="notice loading">
    ${label} <progress max="1" aria-label=${label} .value=${ratio ?? nothing}></progress>
    ${[percent, bytes, visibleText(around.loading.text ?? '')].filter(Boolean).join(' · ')}
    ${cancel}
  </p>`
}

/** Messages sent during the run that haven't reached the model. */
function queueView({ snapshot, words, actions, conversation, local }: ChatContext): Maybe {
  const { queued } = snapshot
  const sent = sentWhileLoading(snapshot, local)
  if (queued.length + sent.length === 0) return nothing
  return html`<ul class="queue" part="queue" aria-label=${words.queued}>
    ${queued.map(
      (content) =>
        html`<li>
          <span class="plain" dir="auto">${messageText(content)}</span>
          ${iconButton('close', words.withdraw, {
            press: () =>
              actions.perform({ name: 'withdraw', detail: { messageId: content.id } }, () =>
                conversation.withdraw(content.id),
              ),
          })}
          <small
            >${words.queued} –
            ${content.when === 'after-run' && !content.orSooner ? words.queueHint : words.steerHint}</small
          >
        </li>`,
    )}
    ${sent.map((text) => html`<li><span class="plain" dir="auto">${text}</span></li>`)}
  </ul>`
}

/** Shows a message that couldn't be sent. A button puts it back into the composer. */
function unsentView({ snapshot, words, local }: ChatContext): Maybe {
  const { text, files } = unsentMessage(local, snapshot)
  if (text === undefined) return nothing
  const { conversationId } = snapshot
  return html`<div class="notice problem" part="unsent">
    <p>${words.unsent}</p>
    <button type="button" @click=${() => prependToDraft(local, { conversationId, text, files })}>
      ${words.edit}
    </button>
    <blockquote class="plain" dir="auto">${text}</blockquote>
  </div>`
}
