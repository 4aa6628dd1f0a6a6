import type { Row } from '../protocol/fact.ts'
import type { ConversationState, MessageNode } from '../protocol/state.ts'

/**
 * A state that has nothing of what a row's message hangs under: its path begins with a message of which
 * only the id is known, so that what follows is folded. It is a windowed state.
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
