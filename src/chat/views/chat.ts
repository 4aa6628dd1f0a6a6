import { html, nothing, type TemplateResult } from 'lit'
import { repeat } from 'lit/directives/repeat.js'
import type { ChatContext } from '../context.ts'
import { numberFormat } from '../formats.ts'
import { type ChatRow, rowsOf } from '../parts/rows.ts'
import { walkMessages } from '../walk-messages.ts'
import { followUpsView } from './answer.ts'
import { composerView } from './composer.ts'
import { elsewhereView } from './elsewhere.ts'
import { emptyView } from './empty.ts'
import { headerView } from './header.ts'
import { onDragLeave, onDragOver, onDrop } from './attached.ts'
import { iconButton, iconView } from './icon.ts'
import { noticesView, stateViews, waitingOf } from './notices.ts'
import { rowView } from './row.ts'
import { loadedView } from './loaded-view.ts'
import { askBeforeLeaving } from './leaving.ts'

/** Loads the sheets that replace the messages: the list of conversations, or the memories. */
const sheetView = loadedView<[]>({ name: 'sheets', box: 'list' }, async () => {
  const { sheetView } = await import('./sheets.ts')
  return sheetView
})

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
      <div class="announcements unseen" role="status" aria-atomic="false"></div>
    </section>
  `
}

/** Shows a closed bubble, with the number of calls that wait for the person, or a spinner while it works. */
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
    @click=${() => actions.show()}
  >
    ${iconView('chat')} ${isWorking ? html`<span class="ring"></span>` : nothing}
    ${waiting > 0 ? html`<span class="badge">${count}</span>` : nothing}
  </button>`
}

function onKey({ placement, actions }: ChatContext, event: KeyboardEvent): void {
  const { key, isComposing, defaultPrevented, currentTarget: chat } = event
  if (isComposing || defaultPrevented || !(chat instanceof Element)) return
  // Escape first closes a sheet, by the button that opened it.
  const opener = chat.querySelector<HTMLElement>('.header [aria-expanded=true]')
  if (key === 'Escape' && opener) {
    event.preventDefault()
    opener.focus()
    opener.click()
  } else if (key === 'Escape' && placement === 'bubble') actions.close()
  else if (walkMessages(chat, event)) event.preventDefault()
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
      ${elsewhereView(context)} ${shown.later > 0 ? nothing : stateViews(context, 'log')}
      ${shown.later > 0 ? nothing : followUpsView(context)}
    </div>
    ${
      isFollowing
        ? nothing
        : iconButton('down', words.jumpToLatest, {
            press: () => actions.toLatest(),
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
