import type { ConversationSnapshot, JsonValue } from '../../../index.ts'

interface Ref {
  readonly toolCallId: string
  readonly conversationId?: string
  readonly input?: JsonValue
}

/** Identifies a call for `approve`, `deny` and other answers. Includes the input that the card shows. */
export function toCallRef(
  { snapshot }: { readonly snapshot: Pick<ConversationSnapshot, 'conversationId'> },
  call: Ref,
): Ref & { readonly conversationId: string } {
  const { toolCallId, conversationId = snapshot.conversationId, input } = call
  return { conversationId, toolCallId, ...(input !== undefined && { input }) }
}

/** A key of a waiting call. Calls of two conversations may share an id. */
export function callKey({ conversationId = '', toolCallId }: Ref): string {
  return `${conversationId}/${toolCallId}`
}

/** The waiting call that the next message is about, with the placeholder of the message field. Local state `about`. */
export interface DiscussedCall {
  readonly call: ReturnType<typeof toCallRef>
  readonly placeholder: string
}

/** Whether the reference names the call. Calls of two conversations may share an id. */
export function isSameCall({ toolCallId, conversationId }: Ref, call: Ref): boolean {
  return (
    toolCallId === call.toolCallId &&
    (conversationId === undefined || conversationId === call.conversationId)
  )
}
