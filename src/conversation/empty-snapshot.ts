import type { ConversationSnapshot } from './snapshot.ts'

/** Snapshot of a conversation before anything is known about it. */
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
