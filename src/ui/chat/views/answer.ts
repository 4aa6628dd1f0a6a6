import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../../conversation/index.ts'
import type { ShownMessage } from '../../../index.ts'
import type { AnswerAction, AnswerSource, ChatContext, MessageContext } from '../context.ts'
import { followUpsOf } from '../follow-ups.ts'
import { hostOf, safeAddress } from '../markdown/safe-address.ts'

type Maybe = TemplateResult | typeof nothing

/** Shows texts that a person may want to send next, as buttons. */
export function followUpsView(context: ChatContext): Maybe {
  const texts = followUpsOf(context)
  if (texts.length === 0) return nothing
  const { words, actions } = context
  return html`<div class="follow-ups" part="follow-ups" role="group" aria-label=${words.followUps}>
    ${texts.map(
      (text) =>
        html`<button type="button" class="suggestion" @click=${() => actions.send(text)}>
          ${visibleText(text)}
        </button>`,
    )}
  </div>`
}

/** Shows the sources of an answer, as the page provides them. */
export function sourcesView({ words, answers }: MessageContext, answer: ShownMessage): Maybe {
  if (answer.role !== 'assistant' || answer.at === undefined) return nothing
  const sources = attempt(() => sourcesIn(answers.sources?.(answer))) ?? []
  if (sources.length === 0) return nothing
  return html`<details class="sources" part="sources">
    <summary>${words.sources} (${sources.length})</summary>
    <ol>
      ${sources.map((source) => html`<li>${sourceView(source)}</li>`)}
    </ol>
  </details>`
}

/** Throws if page code returned anything but a list of sources. */
function sourcesIn(given: unknown): readonly AnswerSource[] {
  if (given === undefined || given === null) return []
  if (Array.isArray(given) && given.every(isSource)) return given
  throw new TypeError('sources of a chat must return a list of { title, url }, both strings.')
}

/** Data from elsewhere may have null for a missing value. */
function isSource(given: unknown): given is AnswerSource {
  const { title, url } = (given ?? {}) as Record<string, unknown>
  return typeof title === 'string' && (url === undefined || url === null || typeof url === 'string')
}

function sourceView({ title, url }: AnswerSource): TemplateResult {
  const address = url ? safeAddress(url) : null
  const text = visibleText(title)
  if (!address) return html`${text}`
  return html`<a href=${address.href} target="_blank" rel="noopener noreferrer">${text}</a>
    <span class="target">(${hostOf(address)})</span>`
}

/** Shows buttons that the page adds. */
export function ownActionsView(
  { answers }: MessageContext,
  answer: ShownMessage,
): TemplateResult[] {
  return (answers.actions ?? []).map(
    (action) =>
      html`<button type="button" class="quiet" @click=${() => press(action, answer)}>
        ${action.label}
      </button>`,
  )
}

function press(action: AnswerAction, answer: ShownMessage): void {
  const acted: unknown = attempt(() => action.act(answer))
  if (acted instanceof Promise) acted.catch(reportError)
}

/** Reports errors of the page's own functions to the page; the chat goes on. */
export function attempt<Value>(act: () => Value): Value | undefined {
  try {
    return act()
  } catch (thrown) {
    reportError(thrown)
    return undefined
  }
}
