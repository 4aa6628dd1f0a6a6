import type { ConversationState } from '../protocol/state.ts'

/** A conversation without any rows, to fold into. */
export function emptyState(conversationId: string): ConversationState {
  return {
    conversationId,
    seq: 0,
    era: 0,
    title: null,
    path: [],
    older: 0,
    others: [],
    forks: [],
    leaves: [],
    run: null,
    queue: [],
    returned: [],
    context: [],
    consents: [],
    isStale: false,
  }
}
