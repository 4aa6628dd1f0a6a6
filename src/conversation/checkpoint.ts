import type { ConversationState, Fork, MessageNode, OlderMessages } from '../protocol/state.ts'
import { contextOn } from './context.ts'
import { pendingAt } from './pending.ts'
import { nextRequestTaint } from './taint.ts'
import { headId } from './tree.ts'

/** Messages in a checkpoint, unless the open run has more. */
const WINDOW = 50

/**
 * The state that a new viewer gets: the newest `size` messages of the path (default 50). It has more when the open
 * run, or a call that waits for a person, begins earlier. The result is plain data; facts are folded into it as into
 * a complete state. `isStale` means that a fact needed the missing part: make a new window then.
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
    ...(older + from > 0 && { taintBefore: { seq: state.seq, taint: nextRequestTaint(state) } }),
    isStale: false,
    isWindow: true,
  }
}

function isOpen({ run }: ConversationState, node: MessageNode): boolean {
  return (run?.end === null && node.runId === run.runId) || pendingAt(run, node).length > 0
}

/** At most `count` messages before `messageId`, from a complete state. Null when it is not on the path. */
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

/** Prepends older messages to a windowed state. Returns the same state if they don't directly precede its own. */
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

/** The forks that these messages are children of, and the fork at the head. */
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
