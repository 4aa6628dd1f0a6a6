import type { JsonValue } from '../../../index.ts'
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

/** The waiting call that a message asks about, and the placeholder that says so. Local state `about`. */
export interface AskedAbout {
  readonly call: ReturnType<typeof toCallRef>
  readonly placeholder: string
}
