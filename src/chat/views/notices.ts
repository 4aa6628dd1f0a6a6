import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../conversation/index.ts'
import { problemKey } from '../problem-key.ts'
import type { ConversationSnapshot, ErrorData, PendingCall } from '../../index.ts'
import type { ChatContext, LocalState } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { goneKey } from '../deletion-watch.ts'
import { loadingShown } from '../parts/engine-loading.ts'
import { isLetGo } from '../parts/call-state.ts'
import { endingWords } from '../parts/ending-words.ts'
import { failureWords } from '../parts/failure-words.ts'
import { askedTogether } from '../parts/rows.ts'
import { textOf } from '../parts/text-of.ts'
import { isReturned, takeBack, unsentOf } from '../unsent.ts'
import { goTo, waitingIn } from '../walk-messages.ts'
import { consentsView, leavingView, planView, queueView, taintView } from './run-state.ts'

/** What is to be said of the run and its conversation, between messages and composer. */
export function noticesView(context: ChatContext): TemplateResult {
  return html`
    <div class="notices" part="notices">
      ${waitingCallsView(context)} ${planView(context)} ${taintView(context)}
      ${consentsView(context)} ${queueView(context)} ${leavingView(context)} ${placeView(context)}
      ${outcomeView(context)} ${unsentView(context)} ${problemView(context)}
    </div>
  `
}

/** Why what was pressed last came to nothing. */
function problemView({ local }: ChatContext): Maybe {
  const problem = local.get<string>(problemKey('notices'))
  return problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`
}

/** The calls that wait for a person. */
export function waitingOf({
  pending,
}: Pick<ConversationSnapshot, 'pending'>): readonly PendingCall[] {
  return pending.filter(({ kind }) => kind !== 'output' && kind !== 'settlement')
}

/** Where calls wait for the person that are not all in view. */
function waitingCallsView({ snapshot, words, locale, isFollowing, renderers }: ChatContext): Maybe {
  const waiting = waitingOf(snapshot)
  const together = askedTogether(snapshot, (toolName) => Object.hasOwn(renderers, toolName))
  const cards = waiting.length - Math.max(0, together.length - 1)
  if (cards === 0 || (cards === 1 && isFollowing)) return nothing
  const count = numberFormat(locale).format(waiting.length)
  const show = ({ target }: Event): void => {
    const root = target instanceof Element ? target.closest('.chat') : null
    const card = root && waitingIn(root)
    if (card) goTo(card)
  }
  return html`<p class="notice">
    ${words.waitingCalls(count)}
    <button type="button" @click=${show}>${words.showWaiting}</button>
  </p>`
}

type Maybe = TemplateResult | typeof nothing

/** Where the run is: offline, in another tab, kept nowhere, resting, or taken up again. */
function placeView(context: ChatContext): Maybe {
  const { snapshot, words, conversation, actions, local, isOffline, isKept } = context
  const takeOver = (): void =>
    void actions.perform({ name: 'take-over' }, () => conversation.takeOver({ interrupted: 'ask' }))
  const goOn = (): void => void actions.perform({ name: 'continue' }, () => conversation.continue())
  return html`
    ${loadingView(context)} ${resumedView(context)}
    ${local.get(goneKey(snapshot.conversationId)) ? html`<p class="notice" role="status">${words.gone}</p>` : nothing}
    ${isLetGo(snapshot) ? html`<p class="notice" role="status">${words.letGo}</p>` : nothing}
    ${isOffline ? html`<p class="notice" role="status">${words.offline}</p>` : nothing}
    ${isKept ? nothing : html`<p class="notice">${words.inMemory}</p>`}
    ${snapshot.setAside ? html`<p class="notice">${words.setAside}</p>` : nothing}
    ${
      isElsewhere(snapshot)
        ? html`<p class="notice">
            ${snapshot.ownership === 'other-tab' ? words.otherTab : words.otherDevice}
            <button type="button" @click=${takeOver}>${words.takeOver}</button>
          </p>`
        : nothing
    }
    ${
      snapshot.parked
        ? html`<p class="notice">
            ${words.parked} <button type="button" @click=${goOn}>${words.goOn}</button>
          </p>`
        : nothing
    }
    ${snapshot.run?.retry ? retryView(context) : nothing}
  `
}

function isElsewhere({ ownership }: ConversationSnapshot): boolean {
  return ownership === 'other-tab' || ownership === 'other-device'
}

/** A model that is being loaded, until its run is stopped. */
function loadingView({ loading, snapshot, words, locale, actions }: ChatContext): Maybe {
  if (!loading) return nothing
  const { ratio, percent, bytes } = loadingShown(loading, locale)
  const label = words.engineLoading(visibleText(loading.model))
  return html`<p class="notice loading">
    ${label} <progress max="1" aria-label=${label} .value=${ratio ?? nothing}></progress>
    ${[percent, bytes, loading.text === undefined ? undefined : visibleText(loading.text)].filter(Boolean).join(' · ')}
    ${
      snapshot.runId === undefined
        ? nothing
        : html`<button type="button" @click=${() => actions.stop()}>${words.cancel}</button>`
    }
  </p>`
}

/** While a run that was interrupted is open again. */
function resumedView({ snapshot, words, local }: ChatContext): Maybe {
  const { runId, status } = snapshot
  if (runId === undefined || runId !== local.get<string>('resumed')) return nothing
  if (isElsewhere(snapshot) || status === 'waiting') return nothing
  return html`<p class="notice">${words.resumed}</p>`
}

function retryView({ snapshot, words, locale }: ChatContext): Maybe {
  const { retry } = snapshot.run ?? {}
  if (!retry) return nothing
  const seconds = numberFormat(locale).format(Math.ceil(retry.delayMs / 1000))
  const sentence = `${words.retryIn(seconds)}: ${failureWords(retry.error, words).text}`
  return html`<p class="notice">${sentence}</p>`
}

/** How the last run ended, where that needs a word, and what can be done. */
function outcomeView(context: ChatContext): Maybe {
  const { snapshot, words, conversation, actions, local, isOffline } = context
  const { ended, error, runId } = snapshot
  if (runId !== undefined) return nothing
  const goOn = (): void => void actions.perform({ name: 'continue' }, () => conversation.continue())
  const button = (label: string, act = goOn): TemplateResult =>
    html`<button type="button" @click=${act}>${label}</button>`
  if (error && !isSaid(local, error)) {
    const { text, details } = failureWords(error, words)
    // That the device is offline is said above.
    const isServer = isUnreachable(error) && !isOffline
    // What it may be due to is there for those who look for it, and is not read out.
    return html`<div class="notice problem">
      <p role="alert">${words.failed} ${text} ${isServer ? words.unreachable : nothing}</p>
      ${
        details &&
        html`<details>
          <summary>${words.details}</summary>
          <p class="plain">${details}</p>
        </details>`
      }
      ${button(words.tryAgain)}
    </div>`
  }
  switch (ended?.outcome) {
    case 'completed': {
      const sentence = endingWords(ended, words)
      if (!sentence) return nothing
      const send = (): void => void actions.send(words.goOn)
      const isCut = ended.finishReason === 'length'
      return html`<p class="notice">${sentence} ${isCut ? button(words.goOn, send) : nothing}</p>`
    }
    case 'max-steps':
      return html`<p class="notice">${words.maxSteps} ${button(words.goOn)}</p>`
    case 'limit':
      return html`<p class="notice">${words.limitReached(ended.limit)} ${button(words.goOn)}</p>`
    default:
      return nothing
  }
}

/** Where it was pressed, it is said already. */
function isSaid(local: LocalState, { message }: ErrorData): boolean {
  return ['composer', 'notices'].some((key) =>
    local.get<string>(problemKey(key))?.includes(message),
  )
}

/** Nothing has answered where the model should be. */
function isUnreachable({ code }: ErrorData): boolean {
  return code === 'network' || code === 'timeout'
}

/** A text that did not reach the conversation goes back to where it was written. */
function unsentView({ snapshot, words, local }: ChatContext): Maybe {
  const { unsent, conversationId } = snapshot
  const refused = unsent && textOf(unsent)
  const isBack = refused === undefined || isReturned(local, conversationId, refused)
  const parts = isBack || !unsent ? [] : unsent.parts
  const files = parts.filter((part) => part.type === 'file')
  const text = unsentOf(local, conversationId) ?? (isBack ? undefined : refused)
  if (text === undefined) return nothing
  return html`<p class="notice problem">
    ${words.unsent}
    <button type="button" @click=${() => takeBack(local, { conversationId, text, files })}>
      ${words.edit}
    </button>
  </p>`
}
