import { taintOf, taintOfRequest } from '../../../conversation/taint.ts'
import type { CallState, ConversationState } from '../../../protocol/state.ts'
import type { Taint } from '../../../protocol/taint.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'
import type { ApprovalContext } from './is-asked.ts'
import { originOfTools } from '../take-descriptions.ts'

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

/** For a call of a message that is stored. */
export function approvalContextOf(
  state: ConversationState,
  call: Pick<CallState, 'path'>,
  tool: ToolDescriptor,
): ApprovalContext {
  return { taint: othersThan(tool, taintOfCall(state, call)), isAllowed: isAllowed(state, tool) }
}

/** For calls of an output that is yet to be stored. */
export function approvalContextOfNext(
  state: ConversationState,
  tool: ToolDescriptor,
): ApprovalContext {
  return { taint: othersThan(tool, taintOf(state)), isAllowed: isAllowed(state, tool) }
}

/**
 * Without the descriptions of the tool's own source: a person is asked about its calls in any case, unless the app says
 * of them that nobody is.
 */
function othersThan({ remote }: ToolDescriptor, taint: readonly Taint[]): readonly Taint[] {
  if (!remote) return taint
  const own = originOfTools(remote)
  return taint.filter(({ origin }) => origin !== own)
}

/** The tool as it is now. */
function isAllowed({ path, others }: ConversationState, tool: ToolDescriptor): boolean {
  if (tool.whileTainted !== 'once') return false
  return [path, others].some((nodes) =>
    nodes.some(({ calls }) =>
      calls.some(
        (call) =>
          call.isAllowed === true &&
          call.toolName === tool.name &&
          call.decidedBy?.definition === tool.definition,
      ),
    ),
  )
}
