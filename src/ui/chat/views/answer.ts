import { html, nothing, type TemplateResult } from 'lit'
import { visibleText } from '../../../conversation/index.ts'
import type { ShownMessage } from '../../../index.ts'
import type {
  AnswerAction,
  AnswerAdditions,
  AnswerSource,
  ChatContext,
  MessageContext,
} from '../context.ts'
import { hostOf, safeAddress } from '../markdown/safe-address.ts'
import { attempt } from '../markdown/elements.ts'
import type { Maybe } from './problem.ts'
import { iconButton } from './icon.ts'

/** Creates the part of an element that shows the page's additions to answers. */
export function createAdditions(): AnswerAdditions {
  const followUps = new FollowUps()
  return {
    update: (context) => followUps.update(context),
    followUpsView,
    sourcesView,
    actionsView: (context, answer) =>
      html`${context.answers.feedback ? feedbackView(context, answer) : nothing}
      ${ownActionsView(context, answer)}`,
  }
}

/** Shows suggested next messages as buttons. */
function followUpsView(context: ChatContext): Maybe {
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
function sourcesView({ words, answers }: MessageContext, answer: ShownMessage): Maybe {
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
function sourcesIn(value: unknown): readonly AnswerSource[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every(isSource)) return value
  throw new TypeError('sources of a chat must return a list of { title, url }, both strings.')
}

/** Accepts null for a missing `url`, because the page's data may come from elsewhere. */
function isSource(value: unknown): value is AnswerSource {
  const { title, url } = (value ?? {}) as Record<string, unknown>
  return typeof title === 'string' && (url === undefined || url === null || typeof url === 'string')
}

function sourceView({ title, url }: AnswerSource): TemplateResult {
  const address = url ? safeAddress(url) : null
  const text = visibleText(title)
  if (!address) return html`${text}`
  return html`<a href=${address.href} target="_blank" rel="noopener noreferrer">${text}</a>
    <span class="target">(${hostOf(address)})</span>`
}

/** Shows the page's own buttons below an answer. */
function ownActionsView({ answers }: MessageContext, answer: ShownMessage): TemplateResult[] {
  return (answers.actions ?? []).map(
    (action) =>
      html`<button type="button" class="quiet" @click=${() => runAction(action, answer)}>
        ${action.label}
      </button>`,
  )
}

function runAction(action: AnswerAction, answer: ShownMessage): void {
  const result: unknown = attempt(() => action.act(answer))
  if (result instanceof Promise) result.catch(reportError)
}

/** Shows the feedback buttons, which emit `offstage-feedback`. The button that was pressed last stays pressed. */
function feedbackView(
  { words, local, actions }: MessageContext,
  message: ShownMessage,
): TemplateResult {
  const key = `feedback:${message.id}`
  const current = local.get<string>(key)
  const rate = (value: 'good' | 'bad') => (): void =>
    void actions.perform({ name: 'feedback', detail: { message, value } }, async () => {
      local.set(key, value)
    })
  const button = (value: 'good' | 'bad', label: string): TemplateResult =>
    iconButton('good', label, {
      press: rate(value),
      type: `quiet ${value}`,
      isPressed: current === value,
    })
  return html`${button('good', words.goodAnswer)}${button('bad', words.badAnswer)}`
}

type Context = Pick<ChatContext, 'snapshot' | 'answers' | 'local'>

/** Gets the page's suggested next messages, once per answer. */
export class FollowUps {
  #requestedId: string | null = null

  /** Runs after each drawing. */
  update({ snapshot, answers, local }: Context): void {
    const answer = answers.followUps && finishedAnswer(snapshot)
    const id = answer?.id ?? null
    if (id === this.#requestedId) return
    this.#requestedId = id
    const isKnown = answer && local.get(followUpsKey(answer)) !== undefined
    if (answer && !isKnown) void this.#requestFollowUps(answer, { answers, local })
  }

  async #requestFollowUps(
    answer: ShownMessage,
    { answers, local }: Omit<Context, 'snapshot'>,
  ): Promise<void> {
    try {
      const texts = textsIn(await answers.followUps?.(answer))
      // Drops late results: they don't belong to the newest answer.
      if (this.#requestedId === answer.id) local.set(followUpsKey(answer), texts)
    } catch (thrown) {
      reportError(thrown)
    }
  }
}

/** Throws if page code returned anything but a list of texts. */
function textsIn(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (Array.isArray(value) && value.every((text) => typeof text === 'string')) return value
  throw new TypeError('followUps of a chat must return a list of strings.')
}

/** Returns the suggested next messages. */
export function followUpsOf({ snapshot, local }: Omit<Context, 'answers'>): readonly string[] {
  const answer = finishedAnswer(snapshot)
  return (answer && local.get<readonly string[]>(followUpsKey(answer))) ?? []
}

/** Returns the newest message if it is the complete answer of a run. */
function finishedAnswer({ messages, runId, ended }: Context['snapshot']): ShownMessage | null {
  const last = messages.at(-1)
  const isWhole = ended?.outcome === 'completed' && ended.finishReason === undefined
  const isDone = runId === undefined && isWhole && last?.at !== undefined
  return isDone && last.role === 'assistant' ? last : null
}

function followUpsKey({ id }: ShownMessage): string {
  return `follow-ups:${id}`
}
