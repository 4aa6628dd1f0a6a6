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

/** Puts a note for the model beside the result of a call, behind one that is there. */
export function addNote(
  draft: Draft,
  { id }: MessageNode,
  { toolCallId, note }: Required<Pick<ToolResultPart, 'toolCallId' | 'note'>>,
): void {
  draft.changeNode(
    ({ parentId, message }) =>
      message.role === 'tool' &&
      parentId === id &&
      message.parts.some((part) => part.toolCallId === toolCallId),
    (node) => {
      const message = node.message as ToolMessage
      const parts = message.parts.map((part) =>
        part.toolCallId === toolCallId
          ? { ...part, note: part.note ? `${part.note} ${note}` : note }
          : part,
      )
      return { ...node, message: { ...message, parts } }
    },
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
