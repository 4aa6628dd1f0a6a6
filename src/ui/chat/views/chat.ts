import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { type ChatRow, rowsOf } from '../parts/rows.ts'
import { handleMessageKeys, isComposing } from '../walk-messages.ts'
import { childCallsView } from './call.ts'
import {
  attachButton,
  attachedView,
  attachFrom,
  onDragLeave,
  onDragOver,
  onDrop,
} from './attached.ts'
import { iconButton, iconView } from './icon.ts'
import { noticesView, stateViews, waitingOf, askBeforeLeaving } from './notices.ts'
import { rowView } from './row.ts'
import { loadedView } from './loaded-view.ts'
import { problemLine } from './problem.ts'
import type { ConversationSnapshot } from '../../../index.ts'
import type { DiscussedCall } from '../parts/call-ref.ts'
import { messageText } from '../parts/text-of.ts'
import { problemKey } from '../local-keys.ts'
import { getAttachments, filesBeingRead, setAttachments } from '../attachments.ts'

/** Loads the sheets that replace the messages: the list of conversations, or the memories. */
const sheetView = loadedView<[]>({ name: 'sheets', box: 'list' }, () =>
  import('./sheets.ts').then(({ sheetView }) => sheetView),
)

/** Loads the button that reports a problem. */
const reportView = loadedView<[]>({ name: 'report' }, () =>
  import('./report.ts').then(({ reportView }) => reportView),
)

const announcements = html`<div
  class="announcements unseen"
  role="status"
  aria-atomic="false"
></div>`

/** Shows the whole element: a bubble's button, or the chat. */
export function chatView(context: ChatContext): TemplateResult {
  const { words, placement, isOpen } = context
  if (placement === 'bubble' && !isOpen) return bubbleView(context)
  return html`
    <section
      class="chat"
      part="chat"
      role=${placement === 'bubble' ? 'dialog' : nothing}
      aria-label=${words.heading}
      @keydown=${(event: KeyboardEvent) => onKey(context, event)}
      @dragover=${onDragOver}
      @dragleave=${onDragLeave}
      @drop=${(event: DragEvent) => onDrop(context, event)}
    >
      ${placement === 'panel' ? edgeView(context) : nothing} ${headerView(context)}
      ${context.local.get('list') === undefined ? logView(context) : sheetView(context)}
      ${announcements}
    </section>
  `
}

/** Shows a closed bubble, with the number of calls that wait for the person, or a spinner during a run. */
function bubbleView({ words, snapshot, locale, actions }: ChatContext): TemplateResult {
  const waiting = waitingOf(snapshot).length
  const count = numberFormat(locale).format(waiting)
  const isWorking = waiting === 0 && snapshot.runId !== undefined
  const state = isWorking ? words.states.running : waiting > 0 && words.waitingCalls(count)
  return html`<button
      type="button"
      class="bubble primary round"
      part="bubble"
      title=${words.heading}
      aria-label=${[words.open, state].filter(Boolean).join(' – ')}
      @click=${() => actions.openBubble()}
    >
      ${iconView('chat')} ${isWorking ? html`<span class="ring"></span>` : nothing}
      ${waiting > 0 ? html`<span class="badge">${count}</span>` : nothing}</button
    >${announcements}`
}

function onKey({ placement, actions }: ChatContext, event: KeyboardEvent): void {
  const { key, defaultPrevented } = event
  if (isComposing(event) || defaultPrevented) return
  const chat = event.currentTarget as Element
  // Escape closes an open sheet first, by clicking the button that opened it.
  const opener = chat.querySelector<HTMLElement>('.header [aria-expanded=true]')
  if (key === 'Escape' && opener) {
    event.preventDefault()
    opener.focus()
    opener.click()
  } else if (key === 'Escape' && placement === 'bubble') actions.closeBubble()
  else if (handleMessageKeys(chat, event)) event.preventDefault()
}

/** Shows the edge of a panel, which changes its width. */
function edgeView({ words, width }: ChatContext): TemplateResult {
  return html`<div
    class="edge"
    part="edge"
    role="separator"
    aria-orientation="vertical"
    aria-label=${words.resize}
    aria-valuenow=${width.share()}
    tabindex="0"
    @pointerdown=${(event: PointerEvent) => width.drag(event)}
    @keydown=${(event: KeyboardEvent) => width.press(event)}
  ></div>`
}

function logView(context: ChatContext): TemplateResult {
  const { snapshot, words, isFollowing, actions, history, renderers, failures } = context
  const shown = history.cut(
    rowsOf(snapshot, { alone: (toolName) => Object.hasOwn(renderers, toolName), failures }),
  )
  const rows: readonly (ChatRow | typeof LATER)[] =
    shown.later > 0 ? [...shown.rows, LATER, ...shown.waiting] : shown.rows
  const isLoading = snapshot.status === 'loading' || snapshot.older > 0
  return html`
    <div
      class="log"
      part="log"
      role="log"
      aria-live="off"
      aria-busy=${snapshot.status === 'running'}
      aria-label=${words.log}
      tabindex="0"
      @click=${(event: Event) => askBeforeLeaving(context, event)}
      @auxclick=${(event: Event) => askBeforeLeaving(context, event)}
    >
      ${isLoading ? html`<p class="note">${words.loading}</p>` : nothing}
      ${shown.earlier > 0 ? moreView(context, 'earlier', shown.earlier) : nothing}
      ${rows.length === 0 && !isLoading ? emptyView(context) : nothing}
      ${repeat(
        rows,
        ({ key }) => key,
        (row) =>
          row.type === 'later' ? moreView(context, 'later', shown.later) : rowView(context, row),
      )}
      ${childCallsView(context)} ${shown.later > 0 ? nothing : stateViews(context, 'log')}
      ${shown.later > 0 ? nothing : context.additions?.followUpsView(context)}
    </div>
    ${
      isFollowing
        ? nothing
        : iconButton('down', words.jumpToLatest, {
            press: () => actions.scrollToLatest(),
            type: 'latest',
          })
    }
    ${noticesView(context)} ${composerView(context)}
  `
}

/** Placeholder for the rows after those that are drawn. */
const LATER = { type: 'later', key: 'later' } as const

/** A button that draws more of a long conversation. */
function moreView(
  { words, locale, history }: ChatContext,
  side: 'earlier' | 'later',
  count: number,
): TemplateResult {
  const show = (): void => (side === 'later' ? history.showLater() : history.showEarlier())
  return html`<button type="button" class="quiet ${side}" @click=${show}>
    ${words[side](numberFormat(locale).format(count))}
  </button>`
}

/** Shown while there are no messages: a greeting, and suggestions as buttons. */
function emptyView({ suggestions, actions, words }: ChatContext): TemplateResult {
  return html`
    <div class="empty" part="empty">
      <slot name="greeting"><p class="greeting">${words.greeting}</p></slot>
      ${suggestions.map(
        (text) =>
          html`<button type="button" class="suggestion" @click=${() => actions.send(text)}>
            ${text}
          </button>`,
      )}
    </div>
  `
}

/** Shows the names of the assistant and the conversation, and the button that lists the others. */
function headerView(context: ChatContext): TemplateResult {
  const { snapshot, words, local, actions, placement } = context
  const isListOpen = local.get('list') !== undefined
  const toggleList = (): void => {
    // Clears errors of earlier actions in the lists.
    for (const key of ['list', 'sheets']) local.set(problemKey(key), undefined)
    local.set('list', isListOpen ? undefined : 'conversations')
  }
  return html`
    <header class="header" part="header">
      <h2>${words.heading}</h2>
      <span class="title">${titleOf(snapshot)}</span>
      ${iconButton('list', words.conversations, { press: toggleList, isExpanded: isListOpen })}
      ${context.report ? reportView(context) : nothing}
      ${iconButton('add', words.newConversation, { press: () => actions.startNew() })}
      <slot name="header"></slot>
      ${
        placement === 'bubble'
          ? iconButton('close', words.close, { press: () => actions.closeBubble() })
          : nothing
      }
    </header>
  `
}

/** Returns the title. Empty if it is the beginning of the first message, which is visible below. */
function titleOf({ title = '', messages: [first] }: ConversationSnapshot): string {
  const text = first ? messageText(first).trim().replace(/\s+/g, ' ') : ''
  return text.startsWith(title.replace(/…$/, '')) ? '' : title
}

/**
 * Shows the message field and its buttons. Enter sends, except when it ends an input method's composition. During a
 * run, sent messages steer it.
 */
function composerView(context: ChatContext): TemplateResult {
  const { snapshot, words, local, actions } = context
  const isOpen = snapshot.runId !== undefined
  const text = local.get<string>('draft') ?? ''
  const { conversationId } = snapshot
  const files = getAttachments(local, conversationId)
  // A message about a card can't have files.
  const about = files.length > 0 ? undefined : local.get<DiscussedCall>('about')
  const isEmpty = text.trim() === '' && files.length === 0
  const send = (event: Event): void => {
    event.preventDefault()
    if (isEmpty || filesBeingRead(local, conversationId).length > 0 || !actions.send(text, files))
      return
    local.set('draft', undefined)
    setAttachments(local, conversationId, [])
  }
  const onKey = (event: KeyboardEvent): void => {
    const { key, shiftKey, altKey } = event
    if (key === 'Enter' && !shiftKey && !altKey && !isComposing(event)) send(event)
  }
  const onPaste = (event: ClipboardEvent): void => {
    const { clipboardData: data } = event
    // Prefers text, because copied spreadsheet cells also contain a picture.
    const isText = data?.getData('text/plain') && data.getData('text/html')
    if (!isText) attachFrom(context, event, data)
  }
  return html`
    <form class="composer" part="composer">
      ${problemLine(local.get(problemKey('composer')))}
      ${isOpen && !about && !isEmpty ? html`<p class="note">${words.steerHint}</p>` : nothing}
      ${files.length > 0 ? attachedView(context, files) : nothing}
      <div class="compose">
        <slot name="composer-start"></slot>
        ${attachButton(context)}
        <textarea
          class="prompt"
          part="prompt"
          dir="auto"
          rows="1"
          aria-label=${words.messageLabel}
          placeholder=${about?.placeholder ?? words.messagePlaceholder}
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
  const isSendDisabled = isEmpty || filesBeingRead(local, snapshot.conversationId).length > 0
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
            isDisabled: isSendDisabled,
          })
    }
  `
}
