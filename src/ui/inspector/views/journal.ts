import { html, nothing, type TemplateResult } from 'lit'
import type { Row } from '../../../conversation/index.ts'
import { type Detail, DETAILS, type InspectorContext, positionOf } from '../context.ts'
import { toVisibleText, timeOfDay } from './format.ts'
import { regionView, tableView } from './table.ts'
import { treeView } from './tree.ts'
import type { ConversationSnapshot, ShownCall, ShownMessage } from '../../../index.ts'

/** Lists rows as they are stored. The selected row is the current position. */
export function journalView(context: InspectorContext): TemplateResult {
  const { recording, choose, list } = context
  const rows = recording?.journal.rows ?? []
  if (rows.length === 0) return html`<p class="empty">Nothing is stored yet.</p>`
  return tableView({
    label: 'Journal',
    name: 'journal',
    columns: ['Row', 'Time', 'Fact', 'What'],
    rows,
    list,
    selected: positionOf(context) - 1,
    cells: (row) => [String(row.seq), timeOfDay(row.at), row.type, aboutRow(row)],
    select: (index) => choose({ position: index + 1 }),
  })
}

/** Summarizes a row in one line. */
function aboutRow(row: Row): string {
  const {
    format: _f,
    conversationId: _c,
    seq: _s,
    runId: _r,
    at: _a,
    appendId: _p,
    type: _t,
    ...rest
  } = row
  return JSON.stringify(rest).slice(0, 300)
}

const TITLES: Readonly<Record<Detail, string>> = {
  row: 'Row',
  shown: 'What a page shows',
  state: 'State',
}

/** Shows the row at the current position, and the state that all rows up to it result in. */
export function rowDetail(context: InspectorContext): TemplateResult | typeof nothing {
  const { recording, chosen, choose } = context
  const count = positionOf(context)
  const row = recording?.journal.rows[count - 1]
  if (!recording || !row) return nothing
  return html`
    <div class="detail-head" role="group" aria-label="Details">
      ${DETAILS.map(
        (detail) =>
          html`<button
            type="button"
            aria-pressed=${chosen.detail === detail}
            @click=${() => choose({ detail })}
          >
            ${TITLES[detail]}
          </button>`,
      )}
      <button
        type="button"
        class="end"
        @click=${() => context.copy(detailText(context, row), 'JSON')}
      >
        Copy
      </button>
    </div>
    ${regionView(`${TITLES[chosen.detail]}, row ${count}`, contentOf(context, row))}
  `
}

function contentOf(context: InspectorContext, row: Row): TemplateResult {
  const { recording, chosen } = context
  const count = positionOf(context)
  switch (chosen.detail) {
    case 'row':
      return html`${callOf(row, recording?.snapshotAt(count))}${treeView(row, 'row', context)}`
    case 'shown':
      return shownView(recording?.snapshotAt(count) ?? null)
    case 'state':
      return treeView(recording?.journal.stateAt(count), 'state', context)
    default:
      return chosen.detail satisfies never
  }
}

/** Shows the call of a row, with its input. */
function callOf(
  row: Row,
  snapshot: ConversationSnapshot | null | undefined,
): TemplateResult | undefined {
  const id = 'path' in row ? row.path?.at(-1) : undefined
  const calls = snapshot?.messages.flatMap(({ calls }) => calls ?? [])
  const call = calls?.find(({ toolCallId }) => toolCallId === id)
  return call && callView(call)
}

function detailText(context: InspectorContext, row: Row): string {
  const { recording, chosen } = context
  const count = positionOf(context)
  const value =
    chosen.detail === 'row'
      ? row
      : chosen.detail === 'shown'
        ? recording?.snapshotAt(count)
        : recording?.journal.stateAt(count)
  return JSON.stringify(value, null, 2)
}

/** Maximum number of messages drawn; older ones are left out. */
const MOST_MESSAGES = 60

/** Shows the snapshot that the page would get, as plain text without the chat's styles. */
function shownView(snapshot: ConversationSnapshot | null): TemplateResult {
  if (!snapshot) return html`<p class="problem">Nothing can be shown for these rows.</p>`
  const { messages, status, ended, pending } = snapshot
  const shown = messages.slice(-MOST_MESSAGES)
  return html`
    <p class="quiet">
      ${toVisibleText(status)}${ended ? `, ${toVisibleText(ended.outcome)}` : ''}${pending.length > 0 ? `, ${pending.length} waiting` : ''}
    </p>
    ${
      shown.length < messages.length
        ? html`<p class="quiet">${messages.length - shown.length} earlier messages</p>`
        : nothing
    }
    ${shown.map(messageView)}
  `
}

function messageView(message: ShownMessage): TemplateResult | typeof nothing {
  if (message.role === 'tool') return nothing
  return html`<div class="message ${message.role}">
    <strong>${toVisibleText(message.role)}</strong>
    ${message.parts.map((part) => {
      if (part.type === 'text') return html`<p>${toVisibleText(part.text)}</p>`
      if (part.type === 'reasoning') return html`<p class="quiet">${toVisibleText(part.text)}</p>`
      return part.type === 'file'
        ? html`<p class="quiet">${toVisibleText(part.mediaType)}</p>`
        : nothing
    })}
    ${(message.calls ?? []).map(callView)}
  </div>`
}

function callView({ title, toolName, status, input, output, error }: ShownCall): TemplateResult {
  const result = output ?? error
  return html`<p class="call-line">
    <code>${toVisibleText(title ?? toolName)}</code>
    <span class="status ${status}">${toVisibleText(status)}</span>
    <code class="quiet">${toVisibleText(JSON.stringify(input)?.slice(0, 400) ?? '')}</code>
    ${result ? html`<code>${toVisibleText(JSON.stringify(result).slice(0, 400))}</code>` : nothing}
  </p>`
}
