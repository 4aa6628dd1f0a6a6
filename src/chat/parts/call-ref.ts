import type { ChatContext } from '../context.ts'

/** The call as answers to it name it, in whatever conversation it is. */
export function refOf(
  { snapshot }: Pick<ChatContext, 'snapshot'>,
  call: { readonly toolCallId: string; readonly conversationId?: string },
): { readonly conversationId: string; readonly toolCallId: string } {
  const { toolCallId, conversationId = snapshot.conversationId } = call
  return { conversationId, toolCallId }
}
