import type { ConversationSnapshot, JsonValue, PendingCall } from '../../../index.ts'
import type { ChatContext } from '../context.ts'

interface Ref {
  readonly toolCallId: string
  readonly conversationId?: string
  readonly input?: JsonValue
}

/** Identifies a call for `approve`, `deny` and other answers. Includes the input that the card shows. */
export function toCallRef(
  { snapshot }: Pick<ChatContext, 'snapshot'>,
  call: Ref,
): Ref & { readonly conversationId: string } {
  const { toolCallId, conversationId = snapshot.conversationId, input } = call
  return { conversationId, toolCallId, ...(input !== undefined && { input }) }
}

/** The waiting call that a message asks about: the one that the person chose, or the first. */
export function askedCall(
  { pending, status }: ConversationSnapshot,
  chosen: string | undefined,
): PendingCall | undefined {
  if (status !== 'waiting') return undefined
  const asked = pending.filter(({ kind }) => kind === 'approval')
  return asked.find(({ toolCallId }) => toolCallId === chosen) ?? asked[0]
}
