import type { RunEvent } from '../protocol/event.ts'
import { pageActs } from '../protocol/page-acts.ts'

/** Keeps the `turns` of the page tools at which a person was asked about a call, as long as it waits. */
export function noteAsked(asked: Map<string, number>, events: readonly RunEvent[]): void {
  for (const event of events)
    switch (event.type) {
      case 'tool-approval-request':
      case 'tool-interrupted':
      case 'question':
        // Ids can be equal in two conversations: the older one counts.
        if (!asked.has(event.toolCallId)) asked.set(event.toolCallId, pageActs().turns)
        break
      case 'tool-approval-response':
      case 'tool-execution-start':
      case 'tool-result':
        asked.delete(event.toolCallId)
        break
      default:
    }
}
