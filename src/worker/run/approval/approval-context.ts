import { originOfTools } from '../../../conversation/taint-walk.ts'
import { taintOf, taintOfRequest } from '../../../conversation/taint.ts'
import type { CallState, ConversationState } from '../../../protocol/state.ts'
import type { Taint } from '../../../protocol/taint.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'

/**
 * Taint of the request that a call comes from. Content read by calls of the same output, or within the call, counts
 * from the next request on.
 */
function taintOfCall(
  state: ConversationState,
  { path: [root] }: Pick<CallState, 'path'>,
): readonly Taint[] {
  const holder = state.path.findLast(({ calls }) => calls.some((each) => each.toolCallId === root))
  return holder ? taintOfRequest(state, holder.id) : taintOf(state)
}

/**
 * Whether a call's input may hold untrusted content, for tools that pass it on. For a nested call, content that its
 * composite tool has read since it began counts, too.
 */
export function isGivenWordsOfOthers(
  state: ConversationState,
  call: Pick<CallState, 'path'>,
): boolean {
  const { path } = call
  if (taintOfCall(state, call).length > 0) return true
  return (
    path.length > 1 &&
    state.context.some((row) => row.type === 'untrusted-taken-in' && row.path?.[0] === path[0])
  )
}

/**
 * Taint that decides whether a call needs approval. Omit `call` while its output isn't stored. Leaves out descriptions
 * from the tool's own source: calls to that source need approval anyway, unless the app exempts them.
 */
export function taintFor(
  state: ConversationState,
  { remote }: ToolDescriptor,
  call?: Pick<CallState, 'path'>,
): readonly Taint[] {
  const taint = call ? taintOfCall(state, call) : taintOf(state)
  const own = remote && originOfTools(remote.source)
  return taint.filter(({ origin }) => origin !== own)
}
