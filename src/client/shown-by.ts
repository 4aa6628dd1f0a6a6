import { emptySnapshot } from '../conversation/empty-snapshot.ts'
import type { ConversationSnapshot } from '../conversation/snapshot.ts'
import type { AgentParts } from './agent-parts.ts'
import { loadPart } from './load-part.ts'
import { createSnapshotStore, type SnapshotStore } from './snapshot-store.ts'

/** An agent's view of a conversation, for use inside the client. */
export function shownBy(
  parent: AgentParts,
  conversationId: string,
): SnapshotStore<ConversationSnapshot> {
  return createSnapshotStore(emptySnapshot(conversationId, 'loading'), {
    isStarted: () => true,
    open: async (listeners, first) => {
      const { ShownConversation } = await loadPart(() => import('./lazy-views.ts'))
      return new ShownConversation(parent, first, listeners)
    },
    failed: () => emptySnapshot(conversationId, 'idle'),
  })
}
