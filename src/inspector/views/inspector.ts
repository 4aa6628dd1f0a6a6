import { html, nothing, type TemplateResult } from 'lit'
import { TABS, type InspectorContext, type Tab } from '../context.ts'
import { eventDetail, eventsView } from './events.ts'
import { exportView } from './export.ts'
import { journalView, rowDetail } from './journal.ts'
import { requestDetail, requestsView } from './requests.ts'
import { said } from './said.ts'
import { scrubberView } from './scrubber.ts'
import { timelineView } from './timeline.ts'
import { toolDetail, toolsView } from './tools.ts'

/** The whole element. */
export function inspectorView(context: InspectorContext): TemplateResult {
  const { recording, chosen, hasAgent, file } = context
  return html`
    <section
      class="inspector"
      part="inspector"
      aria-label="Inspector"
      @dragover=${(event: DragEvent) => event.preventDefault()}
      @drop=${(event: DragEvent) => onDrop(context, event)}
    >
      ${toolbarView(context)} ${chosen.exporting === null ? nothing : exportView(context)}
      <p class="notice" role="status">${chosen.notice}</p>
      ${recording || (hasAgent && !file) ? bodyView(context) : EMPTY}
    </section>
  `
}

function toolbarView(context: InspectorContext): TemplateResult {
  const { conversations, recording, file, hasAgent, choose } = context
  const on = recording?.journal.conversationId
  return html`
    <header class="toolbar" part="toolbar">
      ${
        conversations.length === 0
          ? html`<strong>Inspector</strong>`
          : html`<select
              aria-label="Conversation"
              @change=${(event: Event) => context.toConversation((event.target as HTMLSelectElement).value)}
            >
              ${conversations.map(
                ({ conversationId, title }) =>
                  html`<option value=${conversationId} ?selected=${conversationId === on}>
                    ${said(title || conversationId)}
                  </option>`,
              )}
            </select>`
      }
      ${
        file
          ? html`<span
                class="source"
                title=${file.inspection ? said(file.inspection.browser) : nothing}
                >${said(file.name)}, format ${file.format}</span
              ><button type="button" @click=${() => context.closeFile()}>Close file</button>`
          : hasAgent
            ? html`<span class="source live">live</span
                ><button
                  type="button"
                  ?disabled=${!recording?.journal.rows.length}
                  @click=${() => choose({ exporting: recording?.journal.runIds().at(-1) ?? '', notice: '' })}
                >
                  Export…
                </button>`
            : nothing
      }
      <label class="file button"
        >Open file<input
          class="unseen"
          type="file"
          accept=".jsonl"
          @change=${(event: Event) => onFile(context, event.target as HTMLInputElement)}
      /></label>
    </header>
  `
}

function onFile(context: InspectorContext, input: HTMLInputElement): void {
  const file = input.files?.[0]
  if (file) context.openFile(file)
  input.value = ''
}

function onDrop(context: InspectorContext, event: DragEvent): void {
  event.preventDefault()
  const file = event.dataTransfer?.files[0]
  if (file) context.openFile(file)
}

const EMPTY: TemplateResult = html`<p class="empty">
  Set \`agent\`, or drop an exported file here.
</p>`

function bodyView(context: InspectorContext): TemplateResult {
  const { chosen, recording } = context
  const { list, detail: detailOf } = VIEWS[chosen.tab]
  const detail = detailOf(context)
  return html`
    <div
      class="tabs"
      role="tablist"
      aria-label="Views"
      @keydown=${(event: KeyboardEvent) => onTabKey(context, event)}
    >
      ${TABS.map(
        (tab) =>
          html`<button
            type="button"
            role="tab"
            id="tab-${tab}"
            aria-selected=${chosen.tab === tab}
            aria-controls="panel"
            tabindex=${chosen.tab === tab ? 0 : -1}
            @click=${() => context.choose({ tab })}
          >
            ${VIEWS[tab].title}<span class="count">${VIEWS[tab].count(context) ?? 0}</span>
          </button>`,
      )}
    </div>
    ${recording?.journal.fault ? html`<p class="problem">${recording.journal.fault}</p>` : nothing}
    <div class="body" id="panel" role="tabpanel" aria-labelledby="tab-${chosen.tab}">
      <div class="list">${list(context)}</div>
      ${detail === nothing ? nothing : html`<div class="detail" part="detail">${detail}</div>`}
    </div>
    ${scrubberView(context)}
  `
}

interface View {
  readonly title: string
  count(context: InspectorContext): number | undefined
  list(context: InspectorContext): TemplateResult
  detail(context: InspectorContext): TemplateResult | typeof nothing
}

const VIEWS: Readonly<Record<Tab, View>> = {
  timeline: {
    title: 'Timeline',
    count: ({ recording }) => recording?.timeline.count,
    list: timelineView,
    detail: rowDetail,
  },
  events: {
    title: 'Events',
    count: ({ recording }) => recording?.book.entries.length,
    list: eventsView,
    detail: eventDetail,
  },
  journal: {
    title: 'Journal',
    count: ({ recording }) => recording?.journal.rows.length,
    list: journalView,
    detail: rowDetail,
  },
  requests: {
    title: 'Requests',
    count: ({ recording }) => recording?.requests.length,
    list: requestsView,
    detail: requestDetail,
  },
  tools: {
    title: 'Tools',
    count: ({ tools }) => tools.length,
    list: toolsView,
    detail: toolDetail,
  },
}

function onTabKey(context: InspectorContext, event: KeyboardEvent): void {
  const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
  if (by === 0) return
  event.preventDefault()
  const at = TABS.indexOf(context.chosen.tab)
  const tab = TABS[(at + by + TABS.length) % TABS.length]
  if (!tab) return
  context.choose({ tab })
  const tabs = (event.currentTarget as HTMLElement).querySelectorAll<HTMLElement>('[role=tab]')
  tabs[TABS.indexOf(tab)]?.focus()
}
