import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import { problemKey } from '../problem-key.ts'
import { attachedTo, beingRead, setAttached } from '../attachments.ts'
import type { ChatContext } from '../context.ts'
import { attachButton, attachedView, attachTo } from './attached.ts'
import { iconButton } from './icon.ts'

/**
 * The message field and its buttons. Enter sends, except when it ends an input method's composition. During a run, a sent
 * message steers it.
 */
export function composerView(context: ChatContext): TemplateResult {
  const { snapshot, words, local, actions } = context
  const isOpen = snapshot.runId !== undefined
  const text = local.get<string>('draft') ?? ''
  const { conversationId } = snapshot
  const files = attachedTo(local, conversationId)
  const isEmpty = text.trim() === '' && files.length === 0
  const problem = local.get<string>(problemKey('composer'))
  const send = (event: Event): void => {
    event.preventDefault()
    if (isEmpty || beingRead(local, conversationId) > 0 || !actions.send(text, files)) return
    local.set('draft', undefined)
    setAttached(local, conversationId, [])
  }
  const onKey = (event: KeyboardEvent): void => {
    // Safari fires `compositionend` before the keydown that caused it, but marks that keydown with code 229.
    const isComposing = event.isComposing || event.keyCode === 229
    if (event.key === 'Enter' && !event.shiftKey && !event.altKey && !isComposing) send(event)
  }
  const onPaste = (event: ClipboardEvent): void => {
    const pasted = [...(event.clipboardData?.files ?? [])]
    if (pasted.length === 0) return
    event.preventDefault()
    attachTo(context, pasted)
  }
  return html`
    <form class="composer" part="composer">
      ${problem ? html`<p class="problem" role="alert">${problem}</p>` : nothing}
      ${isOpen && !isEmpty ? html`<p class="note">${words.steerHint}</p>` : nothing}
      ${files.length > 0 ? attachedView(context, files) : nothing}
      <div class="compose">
        <slot name="composer-start"></slot>
        ${attachButton(context)}
        <textarea
          class="prompt"
          part="prompt"
          rows="1"
          aria-label=${words.messageLabel}
          placeholder=${words.messagePlaceholder}
          .value=${live(text)}
          @input=${({ target }: Event) => local.set('draft', (target as HTMLTextAreaElement).value)}
          @keydown=${onKey}
          @paste=${onPaste}
        ></textarea>
        <slot name="composer-end"></slot>
        ${buttonsView(context, isEmpty, send)}
      </div>
    </form>
  `
}

/** The send button and, during a run, the stop button. With nothing to send, a run shows only the stop button. */
function buttonsView(
  context: ChatContext,
  isEmpty: boolean,
  send: (event: Event) => void,
): TemplateResult {
  const { snapshot, words, local, actions } = context
  const isOpen = snapshot.runId !== undefined
  const isHeldBack = isEmpty || beingRead(local, snapshot.conversationId) > 0
  return html`
    ${
      isOpen
        ? iconButton('stop', words.stop, {
            press: () => actions.stop(),
            type: isEmpty ? 'primary stop' : 'stop',
          })
        : nothing
    }
    ${
      isOpen && isEmpty
        ? nothing
        : iconButton('send', words.send, {
            press: send,
            type: 'primary send',
            isDisabled: isHeldBack,
          })
    }
  `
}
