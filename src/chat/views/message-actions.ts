import { html, nothing, type TemplateResult } from 'lit'
import type { ShownBranch, ShownMessage } from '../../index.ts'
import type { MessageContext } from '../context.ts'
import { copyText } from '../../stage/copy-text.ts'
import { numberFormat, timeFormat } from '../formats.ts'
import { textOf } from '../parts/text-of.ts'
import { runBegun } from '../run-begun.ts'
import { ownActionsView } from './answer.ts'
import { iconButton } from './icon.ts'
import { edit } from './message-editor.ts'

/** How long a message is shown as copied. Milliseconds. */
const COPIED_FOR = 2000

/** Shows the actions on a complete message. */
export function messageActionsView(
  context: MessageContext,
  message: ShownMessage,
): TemplateResult | typeof nothing {
  const { snapshot, words, local, actions, conversation } = context
  if (message.at === undefined) return nothing
  const isOwn = message.role === 'user'
  const branch = snapshot.branches[message.id]
  const copiedKey = `copied:${message.id}`
  const isCopied = local.get<boolean>(copiedKey) ?? false
  const copy = (): void => {
    copyText(textOf(message), () => {
      local.set(copiedKey, true)
      setTimeout(() => local.set(copiedKey, undefined), COPIED_FOR)
    })
  }
  const regenerate = (): void =>
    void actions.perform({ name: 'regenerate', detail: { message } }, () =>
      runBegun(conversation.regenerate(message.id)),
    )
  const isDisabled = snapshot.runId !== undefined
  return html`
    <div class="actions" part="actions">
      ${branch ? branchView(context, branch) : nothing}
      ${iconButton(isCopied ? 'done' : 'copy', isCopied ? words.copied : words.copy, { press: copy })}
      ${
        isOwn
          ? message.trigger
            ? nothing
            : iconButton('edit', words.edit, {
                press: (event) => edit(context, message, event),
                isDisabled,
              })
          : iconButton('again', words.regenerate, { press: regenerate, isDisabled })
      }
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
      ${iconButton('previous', words.previousBranch, { press: show(index - 1), isDisabled: isOpen || index === 0 })}
      <span aria-label=${words.branchOf(number.format(index + 1), number.format(ids.length))}>
        ${number.format(index + 1)}/${number.format(ids.length)}
      </span>
      ${iconButton('next', words.nextBranch, { press: show(index + 1), isDisabled: isOpen || index === ids.length - 1 })}
    </span>
  `
}

/** Shows feedback buttons. The page gets `offstage-feedback`; the button pressed last stays pressed. */
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
  const button = (value: 'good' | 'bad', label: string): TemplateResult =>
    iconButton('good', label, {
      press: give(value),
      type: `quiet ${value}`,
      isPressed: given === value,
    })
  return html`${button('good', words.goodAnswer)}${button('bad', words.badAnswer)}`
}
