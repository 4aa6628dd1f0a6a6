import type { ToolMessage, ToolResultPart } from '../protocol/message.ts'
import type { MessageNode } from '../protocol/state.ts'
import type { Draft } from './draft.ts'
import { callParts } from './propose-call.ts'

/** Adds a result to the tool message after the call's message, in the order of the calls. */
export function addResult(
  draft: Draft,
  { id, message }: MessageNode,
  { toolCallId, output, note }: Pick<ToolResultPart, 'toolCallId' | 'output' | 'note'>,
): void {
  const order = callParts(message)
  const call = order.find((part) => part.toolCallId === toolCallId)
  // Nested calls are not in the model's messages.
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

/** Adds a note for the model to the result of a call, after any earlier note. */
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
