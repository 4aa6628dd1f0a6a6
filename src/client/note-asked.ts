import type { Row } from '../protocol/fact.ts'
import { pageActs } from '../protocol/page-acts.ts'

/** Keeps the `turns` of the page tools at which a person was asked about a call, as long as it waits. */
export function noteAsked(asked: Map<string, number>, row: Row): void {
  switch (row.type) {
    case 'approval-requested':
    case 'call-interrupted':
    case 'question-asked': {
      const toolCallId = row.path.at(-1) ?? ''
      // Ids can be equal in two conversations: the older one counts.
      if (!asked.has(toolCallId)) asked.set(toolCallId, pageActs().turns)
      return
    }
    case 'approval-answered':
    case 'call-started':
    case 'call-settled':
      asked.delete(row.path.at(-1) ?? '')
      return
    default:
  }
}
