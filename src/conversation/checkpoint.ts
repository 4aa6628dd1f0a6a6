import type { ConversationState, Fork, MessageNode, OlderMessages } from '../protocol/state.ts'
import { contextOn } from './context.ts'
import { pendingAt } from './pending.ts'
import { taintOf } from './taint.ts'
import { headId } from './tree.ts'

/** How many messages a checkpoint has, unless the open run has more. */
const WINDOW = 50

/**
 * The state as whoever joins gets it: the newest `size` messages of its path (default 50), or more where the
 * open run, or something that waits for a person, begins before them. Plain data, folded on like a whole one;
 * when it becomes `isStale`, a fact concerned what it lacks, and a new one is to be made.
 */
export function windowed(state: ConversationState, size: number = WINDOW): ConversationState {
  const { path, older } = state
  const needed = path.findIndex((node) => isOpen(state, node))
  const newest = Math.max(0, path.length - size)
  const from = needed < 0 ? newest : Math.min(needed, newest)
  const nodes = path.slice(from)
  return {
    ...state,
    path: nodes,
    older: older + from,
    others: [],
    forks: forksAt(state, nodes, headId(state)),
    leaves: [],
    context: contextOn(state),
    ...(older + from > 0 && { taintBefore: { seq: state.seq, taint: taintOf(state) } }),
    isStale: false,
    isWindow: true,
  }
}

function isOpen({ run }: ConversationState, node: MessageNode): boolean {
  return (run?.end === null && node.runId === run.runId) || pendingAt(run, node).length > 0
}

/** The messages of a whole state before one, `count` at most. Null when that is not on the path. */
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
  return { nodes, older: state.older + from, forks: forksAt(state, nodes) }
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

/** The forks that messages of the path are children of, and the one at the head. */
function forksAt(
  { forks }: ConversationState,
  nodes: readonly MessageNode[],
  head?: string | null,
): readonly Fork[] {
  if (forks.length === 0) return forks
  const ids = new Set(nodes.map(({ id }) => id))
  return forks.filter(
    ({ parentId, children }) => parentId === head || children.some((id) => ids.has(id)),
  )
}
