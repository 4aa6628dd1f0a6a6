import { html, type TemplateResult } from 'lit'
import { problemKey } from '../local-keys.ts'
import { attach, getAttachments, setAttachments } from '../attachments.ts'
import type { ChatContext } from '../context.ts'
import type { FilePart } from '../../../index.ts'
import { iconButton } from './icon.ts'

/** Attaches files to the draft, and reports a failure. */
function attachTo({ local, words, snapshot }: ChatContext, files: readonly File[]): void {
  local.set(problemKey('composer'), undefined)
  attach(local, snapshot.conversationId, files).catch((thrown: Error) => {
    const isTooLarge = thrown instanceof RangeError
    const why = isTooLarge ? words.tooLarge : `${words.states.failed}: ${thrown.message}`
    local.set(problemKey('composer'), why)
  })
}

/** Shows the files of the draft, each with a button to remove it. */
export function attachedView(
  { words, local, snapshot }: ChatContext,
  files: readonly FilePart[],
): TemplateResult {
  const remove = (file: FilePart): void =>
    setAttachments(
      local,
      snapshot.conversationId,
      getAttachments(local, snapshot.conversationId).filter((attached) => attached !== file),
    )
  return html`<ul class="attachments">
    ${files.map((file) => {
      const name = file.filename ?? file.mediaType
      return html`<li>
        ${fileView(file, name)}
        ${iconButton('close', words.removeAttached(name), { press: () => remove(file) })}
      </li>`
    })}
  </ul>`
}

export function attachButton(context: ChatContext): TemplateResult {
  const { words } = context
  const choose = ({ currentTarget: button }: Event): void =>
    ((button as HTMLElement).nextElementSibling as HTMLElement).click()
  const onChoose = ({ target }: Event): void => {
    const field = target as HTMLInputElement
    attachTo(context, [...(field.files ?? [])])
    field.value = ''
  }
  return html`
    ${iconButton('attach', words.attach, { press: choose })}
    <input type="file" multiple hidden @change=${onChoose} />
  `
}

/** Shows a picture, or the file's name. Pictures come from the conversation, so no request is sent. */
export function fileView({ mediaType, data }: FilePart, name: string): TemplateResult {
  const isPicture = /^image\/(png|jpeg|gif|webp|avif)$/.test(mediaType)
  return isPicture
    ? html`<img class="attached" alt=${name} src="data:${mediaType};base64,${data}" />`
    : html`<span class="file">${name}</span>`
}

/** Handles a drop on the chat: attaches files, and leaves anything else to the browser. */
export function onDrop(context: ChatContext, event: DragEvent): void {
  markDrop(event, false)
  attachFrom(context, event, event.dataTransfer)
}

/** Attaches the files of a drop or paste, if it has any. */
export function attachFrom(context: ChatContext, event: Event, data: DataTransfer | null): void {
  const files = [...(data?.files ?? [])]
  if (files.length === 0) return
  event.preventDefault()
  attachTo(context, files)
}

/** Lets files be dropped, and shows that they can be. */
export function onDragOver(event: DragEvent): void {
  if (!event.dataTransfer?.types.includes('Files')) return
  event.preventDefault()
  markDrop(event, true)
}

export function onDragLeave(event: DragEvent): void {
  const { currentTarget: chat, relatedTarget: entered } = event
  if (!(chat as Node).contains(entered as Node | null)) markDrop(event, false)
}

function markDrop({ currentTarget: chat }: DragEvent, isOver: boolean): void {
  ;(chat as Element).toggleAttribute('data-drop', isOver)
}
