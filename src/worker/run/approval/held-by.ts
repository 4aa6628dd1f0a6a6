import type { CallState } from '../../../protocol/state.ts'
import type { ToolDescriptor } from '../../../protocol/tool.ts'
import type { RunContext } from '../run-context.ts'
import { mustAsk, type JudgedCall } from './must-ask.ts'

/**
 * Id of the earlier call of the same answer of the model whose approval would have nobody asked about this one: that of a
 * tool which is asked about once in a conversation. Null where there is none, or another reason to ask.
 */
export async function heldBy(
  context: RunContext,
  call: CallState,
  judged: JudgedCall,
): Promise<string | null> {
  const { tool, because, asked } = judged
  if (because === null || tool.whileTainted !== 'once' || call.path.length > 1) return null
  const calls = context.conversation.run?.calls ?? []
  const place = calls.findIndex(({ toolCallId }) => toolCallId === call.toolCallId)
  const earlier =
    calls.slice(0, Math.max(0, place)).find((each) => {
      const isWaiting = each.status === 'awaiting-approval' && each.because !== undefined
      return isWaiting && isOf(tool, each.toolName, each.decidedBy?.definition)
    }) ??
    asked.find((each) => each.because && isOf(tool, each.call.toolName, each.by.definition))?.call
  if (!earlier || (await mustAsk(context, call, { ...judged, because: null }))) return null
  return earlier.toolCallId
}

function isOf(tool: ToolDescriptor, toolName: string, definition: string | undefined): boolean {
  return tool.name === toolName && tool.definition === definition
}
