import { html, type TemplateResult } from 'lit'
import type { ShownMessage } from '../../index.ts'
import type { MessageContext } from '../context.ts'
import { textOf } from '../parts/text-of.ts'

const keyOf = ({ id }: ShownMessage): string => `edit:${id}`

export function isEdited({ local }: MessageContext, message: ShownMessage): boolean {
  return local.get(keyOf(message)) !== undefined
}

/** Begins to edit a message of the person's. */
export function edit({ local }: MessageContext, message: ShownMessage): void {
  local.set(keyOf(message), textOf(message))
}

/** The message as a field. Sent, it begins a branch beside the message. */
export function editorView(context: MessageContext, message: ShownMessage): TemplateResult {
  const { words, local, actions, conversation } = context
  const text = local.get<string>(keyOf(message)) ?? ''
  const close = (): void => local.set(keyOf(message), undefined)
  const save = (event: Event): void => {
    event.preventDefault()
    if (text.trim() === '') return
    const isDone = actions.perform({ name: 'edit', detail: { message, text } }, async () => {
      conversation.edit(message.id, text)
    })
    if (isDone) close()
  }
  return html`
    <form class="message own editor" @submit=${save}>
      <textarea
        aria-label=${words.messageLabel}
        .value=${text}
        @input=${(event: InputEvent) =>
          local.set(keyOf(message), (event.target as HTMLTextAreaElement).value)}
        @keydown=${(event: KeyboardEvent) => {
          if (event.key !== 'Escape') return
          // A bubble stays open.
          event.preventDefault()
          close()
        }}
      ></textarea>
      <div class="buttons">
        <button class="primary">${words.save}</button>
        <button type="button" @click=${close}>${words.cancel}</button>
      </div>
    </form>
  `
}
