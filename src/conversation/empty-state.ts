import type { ConversationState, MessageNode } from '../protocol/state.ts'
import type { Row } from '../protocol/fact.ts'

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

/**
 * Gives an empty state a placeholder for the row's parent message, of which only the id is known. Later rows can
 * then be folded. The result is a windowed state.
 */
export function rooted(state: ConversationState, row: Row): ConversationState {
  const parentId = 'parentId' in row ? row.parentId : null
  if (parentId === null || state.path.length > 0) return state
  const root: MessageNode = {
    id: parentId,
    parentId: null,
    seq: 0,
    runId: null,
    step: null,
    kind: 'imported',
    at: 0,
    message: { role: 'assistant', id: parentId, parts: [] },
    calls: [],
  }
  return { ...state, path: [root], older: Math.max(1, state.older) }
}
