import type { RunEvent } from 'offstage'

const MAX_LENGTH = 300
const ids = new Set(['type', 'runId', 'conversationId', 'seq', 'partId', 'toolCallId'])

/** An event's own data in one line. Ids are left out. */
export function describeEvent(event: RunEvent): string {
  switch (event.type) {
    case 'run-end': {
      const { outcome, steps, finishReason } = event.result
      return `${outcome}, ${steps} steps, ${finishReason}`
    }
    case 'run-snapshot':
      return `${event.messages.length} messages, ${event.pending.length} pending, step ${event.step}`
    case 'text-delta':
    case 'reasoning-delta':
    case 'tool-input-delta':
      return JSON.stringify(event.delta)
    // Whatever comes with later versions is shown as it is.
    default: {
      const text = Object.entries(event)
        .filter(([name]) => !ids.has(name))
        .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
        .join(', ')
      return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
    }
  }
}
