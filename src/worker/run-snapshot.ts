import type { RunEventBody } from '../protocol/event.ts'
import type { ParkReason } from '../protocol/run.ts'
import type { Conversation } from './conversation.ts'
import { pendingCalls, type RunState } from './state.ts'

/** Why the newest run rests, as the journal says or because a commit waits. */
export function parkedBy({ run, patience }: Conversation): ParkReason | null {
  return run === null || run.end !== null ? null : (run.parked ?? patience.reason)
}

/** What somebody who comes late needs: the run's own messages so far. */
export function runSnapshot(
  conversation: Conversation,
  run: RunState,
  stepText = '',
): RunEventBody {
  const { messages, runEntries } = conversation
  const parked = parkedBy(conversation)
  const start = runEntries[0]
  const begun = start?.type === 'run-started' ? start.message : null
  const from = begun === null ? messages.length : messages.indexOf(begun)
  return {
    type: 'run-snapshot',
    messages: messages.slice(from === -1 ? messages.length : from),
    pending: pendingCalls(run),
    step: stepText === '' ? run.steps : run.steps + 1,
    text: stepText,
    ...(parked && { parked }),
  }
}
