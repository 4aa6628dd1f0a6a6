import type { StoredConversation } from '../protocol/conversation.ts'
import type { RunEvent } from '../protocol/event.ts'
import { isOfRun } from './is-of-run.ts'
import type { ConversationSnapshot } from './snapshot.ts'
import { emptySnapshot } from './snapshot.ts'

/** What the store has, without the runs that the events tell from their beginning. */
export function fromStored(
  conversationId: string,
  stored: StoredConversation | null,
  events: readonly RunEvent[],
): ConversationSnapshot {
  const empty = emptySnapshot(conversationId, 'idle')
  if (!stored) return empty
  const told = events.flatMap(({ type, runId }) =>
    type === 'run-start' || type === 'run-snapshot' ? runId : [],
  )
  const { broken, parked } = stored
  return {
    ...empty,
    status: stored.pending.length || parked ? 'waiting' : 'idle',
    ...(parked && { parked }),
    ...(broken && {
      error: { code: 'conversation-broken' as const, message: broken, retryable: false },
    }),
    pending: stored.openRunId && told.includes(stored.openRunId) ? [] : stored.pending,
    messages: stored.messages.filter(
      (message) => message.parts.length && !told.some((runId) => isOfRun(message, runId)),
    ),
  }
}
