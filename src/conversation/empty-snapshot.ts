import type { ConversationSnapshot } from './snapshot.ts'

/** Of a conversation of which nothing is known yet. */
export function emptySnapshot(
  conversationId: string,
  status: ConversationSnapshot['status'],
): ConversationSnapshot {
  return {
    conversationId,
    status,
    messages: [],
    older: 0,
    pending: [],
    ownership: 'none',
    branches: {},
    queued: [],
    taint: [],
    consents: [],
  }
}
