import type { ToolMessage, ToolResultPart } from '../protocol/message.ts'
import type { MessageNode } from '../protocol/state.ts'
import type { Draft } from './draft.ts'
import { callParts } from './propose-call.ts'

/** Puts a result into the tool message behind the call's message, in the order of the calls. */
export function addResult(
  draft: Draft,
  { id, message }: MessageNode,
  { toolCallId, output, note }: Pick<ToolResultPart, 'toolCallId' | 'output' | 'note'>,
): void {
  const order = callParts(message)
  const call = order.find((part) => part.toolCallId === toolCallId)
  // The model knows nothing of nested calls.
  if (call === undefined) return
  const { toolName, providerCallId } = call
  const result: ToolResultPart = {
    type: 'tool-result',
    toolCallId,
    toolName,
    ...(providerCallId && { providerCallId }),
    output,
    ...(note && { note }),
  }
  draft.changeNode(
    ({ parentId, message: { role } }) => role === 'tool' && parentId === id,
    (node) => ({ ...node, message: withResult(node.message as ToolMessage, order, result) }),
  )
}

function withResult(
  message: ToolMessage,
  order: readonly { readonly toolCallId: string }[],
  result: ToolResultPart,
): ToolMessage {
  const results = new Map(message.parts.map((part) => [part.toolCallId, part]))
  results.set(result.toolCallId, result)
  return { ...message, parts: order.flatMap(({ toolCallId }) => results.get(toolCallId) ?? []) }
}
