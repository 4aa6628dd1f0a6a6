import { originOfTools } from '../../../conversation/taint-walk.ts'
import { taintOf, taintOfRequest } from '../../../conversation/taint.ts'
import type { CallState, ConversationState } from '../../../protocol/state.ts'
import type { Taint } from '../../../protocol/taint.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'

/**
 * What tainted the request that a call comes from: what was read beside it, by another call of the same output, or within
 * it, counts from the next request on.
 */
function taintOfCall(
  state: ConversationState,
  { path: [root] }: Pick<CallState, 'path'>,
): readonly Taint[] {
  const holder = state.path.findLast(({ calls }) => calls.some((each) => each.toolCallId === root))
  return holder ? taintOfRequest(state, holder.id) : taintOf(state)
}

/**
 * Whether what a call is given may hold words of others, for tools that hand it on: what a composite tool has read since
 * it began counts, too, for the calls within it.
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
 * Taint that decides whether a call needs approval. `call`: absent while the output that it is of isn't stored. Leaves out
 * the descriptions of the tool's own source, whose calls need approval in any case unless the app frees them.
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
