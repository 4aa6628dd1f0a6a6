import type { ConversationState, Fork, MessageNode, OlderMessages } from '../protocol/state.ts'
import { contextOn } from './context.ts'
import { pendingAt } from './pending.ts'
import { nextRequestTaint } from './taint.ts'
import { headId } from './tree.ts'

/** Number of messages in a checkpoint. The open run may need more. */
const WINDOW = 50

/**
 * Returns the state for a new viewer, with the newest `size` messages of the path (default 50). If the open run or a
 * pending call begins earlier, has all messages from there on. Facts can be folded into the result as into a complete
 * state. If `isStale` becomes true, a fact needed the missing part: make a new window then.
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

/**
 * Returns at most `count` messages before `messageId`, from a complete state. Null if that message is not on the path.
 */
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

/**
 * Prepends older messages to a windowed state. Returns the same state if they don't directly precede the state's
 * messages.
 */
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

/** The forks at the parents of these messages, and the fork at the head. */
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
