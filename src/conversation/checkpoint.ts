import type { ConversationState, Fork, MessageNode, OlderMessages } from '../protocol/state.ts'

/** How many messages a checkpoint has, unless the open run has more. */
export const WINDOW = 50

/** The state as whoever joins gets it: the newest messages of its path, and the open run's. Plain data. */
export function windowed(state: ConversationState, size: number = WINDOW): ConversationState {
  const { path, run } = state
  const begin = run?.end === null ? path.findIndex(({ runId }) => runId === run.runId) : -1
  const newest = Math.max(0, path.length - size)
  const from = begin < 0 ? newest : Math.min(begin, newest)
  const nodes = path.slice(from)
  return {
    ...state,
    path: nodes,
    older: state.older + from,
    others: [],
    forks: forksAt(state, nodes, from === 0),
    leaves: [],
    context: state.context.filter(({ after }) => !state.others.some(({ id }) => id === after)),
  }
}

/** Those before a message, `count` at most. Null when it is not on the path. */
export function olderThan(
  state: ConversationState,
  messageId: string,
  count: number,
): OlderMessages | null {
  const { path } = state
  const end = path.findIndex(({ id }) => id === messageId)
  if (end < 0) return null
  const from = Math.max(0, end - count)
  const nodes = path.slice(from, end)
  return { nodes, older: state.older + from, forks: forksAt(state, nodes, from === 0) }
}

/** A windowed state with older messages before its own; the same one when they don't lead to them. */
export function withOlder(state: ConversationState, page: OlderMessages): ConversationState {
  const first = state.path[0]
  if (!first || page.nodes.at(-1)?.id !== first.parentId || state.older === 0) return state
  return {
    ...state,
    path: [...page.nodes, ...state.path],
    older: page.older,
    forks: [...page.forks, ...state.forks],
  }
}

function forksAt(
  { forks }: ConversationState,
  nodes: readonly MessageNode[],
  isFirst: boolean,
): readonly Fork[] {
  if (forks.length === 0) return forks
  const ids = new Set(nodes.map(({ id }) => id))
  return forks.filter(({ parentId }) => (parentId === null ? isFirst : ids.has(parentId)))
}
