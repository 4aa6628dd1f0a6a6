import { html, nothing, type TemplateResult } from 'lit'
import type { ShownMessage } from '../../index.ts'
import type { MessageContext } from '../context.ts'
import { editKey, editSendingKey } from '../edit-keys.ts'
import { textOf } from '../parts/text-of.ts'
import { problemKey } from '../problem-key.ts'

export function isEdited({ local }: MessageContext, message: ShownMessage): boolean {
  return local.get(editKey(message)) !== undefined
}

/** Starts to edit one of the person's messages. The pressed button gets the focus, which then moves to the field. */
export function edit(
  { local }: MessageContext,
  message: ShownMessage,
  { currentTarget }: Event,
): void {
  // Some browsers don't focus a button on click.
  if (currentTarget instanceof HTMLElement) currentTarget.focus({ preventScroll: true })
  local.set(editKey(message), textOf(message))
}

/** Shows a message as a field. Sending starts a new branch; the field stays until that succeeds. */
export function editorView(context: MessageContext, message: ShownMessage): TemplateResult {
  const { words, local, actions } = context
  const text = local.get<string>(editKey(message)) ?? ''
  const isSending = local.get(editSendingKey(message)) === true
  const problem = local.get<string>(problemKey(message.id))
  const close = (): void => {
    local.set(problemKey(message.id), undefined)
    local.set(editKey(message), undefined)
  }
  const save = (event: Event): void => {
    event.preventDefault()
    actions.edit(message, text)
  }
  return html`
    <form class="message own editor" tabindex="-1" data-message=${message.id} @submit=${save}>
      <textarea
        aria-label=${words.messageLabel}
        ?readonly=${isSending}
        .value=${text}
        @input=${(event: InputEvent) =>
          local.set(editKey(message), (event.target as HTMLTextAreaElement).value)}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key !== 'Escape') return
          // Escape must not also close a bubble.
          event.preventDefault()
          close()
        }}
      ></textarea>
      ${problem === undefined ? nothing : html`<p class="problem" role="alert">${problem}</p>`}
      <div class="buttons">
        <button class="primary" aria-disabled=${isSending}>${words.send}</button>
        <button type="button" @click=${close}>${words.cancel}</button>
      </div>
    </form>
  `
}
