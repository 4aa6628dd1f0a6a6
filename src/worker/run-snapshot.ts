import type { RunEventBody } from '../protocol/event.ts'
import type { Conversation } from './conversation.ts'
import { pendingCalls, type RunState } from './state.ts'

/** What somebody who comes late needs: the run's own messages so far. */
export function runSnapshot(
  { messages, runEntries }: Conversation,
  run: RunState,
  stepText = '',
): RunEventBody {
  const start = runEntries[0]
  const begun = start?.type === 'run-started' ? start.message : null
  const from = begun === null ? messages.length : messages.indexOf(begun)
  return {
    type: 'run-snapshot',
    messages: messages.slice(from === -1 ? messages.length : from),
    pending: pendingCalls(run),
    step: stepText === '' ? run.steps : run.steps + 1,
    text: stepText,
  }
}
