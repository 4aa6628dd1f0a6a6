import { html, nothing, type TemplateResult } from 'lit'
import type { ShownBranch, ShownMessage } from '../../index.ts'
import type { MessageContext } from '../context.ts'
import { copyText } from '../../stage/copy-text.ts'
import { numberFormat, timeFormat } from '../formats.ts'
import { textOf } from '../parts/text-of.ts'
import { runBegun } from '../run-begun.ts'
import { ownActionsView } from './answer.ts'
import { edit } from './message-editor.ts'

/** What can be done with a message that is complete. */
export function messageActionsView(
  context: MessageContext,
  message: ShownMessage,
): TemplateResult | typeof nothing {
  const { snapshot, words, local, actions, conversation } = context
  if (message.at === undefined) return nothing
  const isIdle = snapshot.runId === undefined
  const isOwn = message.role === 'user'
  const branch = snapshot.branches[message.id]
  const copied = local.get<boolean>(`copied:${message.id}`)
  const copy = (): void => {
    copyText(textOf(message), () => local.set(`copied:${message.id}`, true))
  }
  const regenerate = (): void =>
    void actions.perform({ name: 'regenerate', detail: { message } }, () =>
      runBegun(conversation.regenerate(message.id)),
    )
  const button = (label: string, act: (event: Event) => void): TemplateResult =>
    html`<button type="button" class="quiet" @click=${act}>${label}</button>`
  return html`
    <div class="actions" part="actions">
      ${branch ? branchView(context, branch) : nothing}
      ${button(copied ? words.copied : words.copy, copy)}
      ${isOwn && isIdle && !message.trigger ? button(words.edit, (event) => edit(context, message, event)) : nothing}
      ${!isOwn && isIdle ? button(words.regenerate, regenerate) : nothing}
      ${!isOwn && context.answers.feedback ? feedbackView(context, message) : nothing}
      ${isOwn ? nothing : ownActionsView(context, message)}
      <time datetime=${new Date(message.at).toISOString()}>
        ${timeFormat(context.locale).format(message.at)}
      </time>
    </div>
  `
}

function branchView(context: MessageContext, { index, ids }: ShownBranch): TemplateResult {
  const { words, actions, conversation, locale, snapshot } = context
  const number = numberFormat(locale)
  const show = (at: number) => (): void => {
    const id = ids[at]
    if (id !== undefined)
      actions.perform({ name: 'branch', detail: { messageId: id } }, () =>
        conversation.switchBranch(id),
      )
  }
  const isOpen = snapshot.runId !== undefined
  return html`
    <span class="branches">
      <button
        type="button"
        class="quiet"
        aria-label=${words.previousBranch}
        ?disabled=${isOpen || index === 0}
        @click=${show(index - 1)}
      >
        ‹
      </button>
      <span aria-label=${words.branchOf(number.format(index + 1), number.format(ids.length))}>
        ${number.format(index + 1)}/${number.format(ids.length)}
      </span>
      <button
        type="button"
        class="quiet"
        aria-label=${words.nextBranch}
        ?disabled=${isOpen || index === ids.length - 1}
        @click=${show(index + 1)}
      >
        ›
      </button>
    </span>
  `
}

/** The page hears of it by `offstage-feedback`. The button that was pressed last stays pressed. */
function feedbackView(
  { words, local, actions }: MessageContext,
  message: ShownMessage,
): TemplateResult {
  const key = `feedback:${message.id}`
  const given = local.get<string>(key)
  const give = (value: 'good' | 'bad') => (): void =>
    void actions.perform({ name: 'feedback', detail: { message, value } }, async () => {
      local.set(key, value)
    })
  const button = (value: 'good' | 'bad', label: string, sign: string): TemplateResult => html`
    <button
      type="button"
      class="quiet"
      aria-label=${label}
      aria-pressed=${given === value}
      @click=${give(value)}
    >
      ${sign}
    </button>
  `
  return html`${button('good', words.goodAnswer, '+')}${button('bad', words.badAnswer, '−')}`
}
