import { html, type TemplateResult } from 'lit'
import type { ChatContext } from '../context.ts'
import { dayFormat } from '../formats.ts'
import type { ChatRow } from '../parts/rows.ts'
import { approvalsView } from './approvals.ts'
import { callView } from './call.ts'
import { callsView } from './calls.ts'
import { messageView } from './message.ts'

export function rowView(context: ChatContext, row: ChatRow): TemplateResult {
  switch (row.type) {
    case 'day':
      return html`<p class="day" part="day">${dayOf(row.at, context.locale)}</p>`
    case 'message':
      return messageView(context, row.message)
    case 'call':
      return callView(context, row.call)
    case 'calls':
      return callsView(context, row.key, row.calls)
    case 'approvals':
      return approvalsView(context, row.calls)
    case 'compaction':
      return html`<p class="note">${context.words.compacted}</p>`
  }
}

function dayOf(at: number, locale: string): string {
  return dayFormat(locale).format(at)
}
