import { html, type TemplateResult } from 'lit'
import { problemKey } from '../problem-key.ts'
import { attach, attachedTo, setAttached } from '../attachments.ts'
import type { ChatContext } from '../context.ts'
import type { FilePart } from '../../index.ts'

/** Attaches files to the message that is being written, and says when that can't be. */
export function attachTo({ local, words, snapshot }: ChatContext, files: readonly File[]): void {
  local.set(problemKey('composer'), undefined)
  attach(local, snapshot.conversationId, files).catch((thrown: unknown) => {
    const why = thrown instanceof RangeError ? words.tooLarge : String(thrown)
    local.set(problemKey('composer'), why)
  })
}

/** The files of the message that is being written, each with a button that takes it away. */
export function attachedView(
  { words, local, snapshot }: ChatContext,
  files: readonly FilePart[],
): TemplateResult {
  const remove = (file: FilePart): void =>
    setAttached(
      local,
      snapshot.conversationId,
      attachedTo(local, snapshot.conversationId).filter((one) => one !== file),
    )
  return html`<ul class="attachments">
    ${files.map((file) => {
      const name = file.filename ?? file.mediaType
      return html`<li>
        <span>${name}</span>
        <button
          type="button"
          class="quiet"
          aria-label=${words.removeAttached(name)}
          @click=${() => remove(file)}
        >
          ×
        </button>
      </li>`
    })}
  </ul>`
}

export function attachButton(context: ChatContext): TemplateResult {
  const { words } = context
  const choose = ({ currentTarget }: Event): void => {
    const field = (currentTarget as HTMLElement).nextElementSibling
    if (field instanceof HTMLInputElement) field.click()
  }
  const chosen = ({ target }: Event): void => {
    const field = target as HTMLInputElement
    attachTo(context, [...(field.files ?? [])])
    field.value = ''
  }
  return html`
    <button type="button" class="attach" aria-label=${words.attach} @click=${choose}>+</button>
    <input type="file" multiple hidden aria-label=${words.attach} @change=${chosen} />
  `
}

/** Of a drop on the chat: files are attached, anything else is the browser's. */
export function onDrop(context: ChatContext, event: DragEvent): void {
  const files = [...(event.dataTransfer?.files ?? [])]
  if (files.length === 0) return
  event.preventDefault()
  attachTo(context, files)
}

/** Lets files be dropped. */
export function onDragOver(event: DragEvent): void {
  if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
}
