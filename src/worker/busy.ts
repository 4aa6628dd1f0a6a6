import { OffstageError } from '../protocol/error.ts'

export function busy(conversationId: string): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `Conversation ${conversationId} has an open run. Await or abort it, resume it, or pass ifBusy: 'queue' or 'replace'.`,
  )
}

/** The error for a child run that no call waits for any more. */
export function notAwaited(): OffstageError {
  return new OffstageError('invalid-input', 'The call that this run is for has ended.')
}

/** Several conversations have an open call with this id: some models restart their numbering in each. */
export function ambiguousCall(
  toolCallId: string,
  conversationIds: readonly string[],
): OffstageError {
  return new OffstageError(
    'ambiguous-call',
    `Several conversations have an open call ${toolCallId}: ${conversationIds.join(', ')}. Pass { conversationId, toolCallId }, or answer with the methods of agent.conversation(id).`,
    { details: { conversationIds: [...conversationIds] } },
  )
}

/** The error for a paused run. Waiting doesn't help: the user has to decide. */
export function parkedRun(conversationId: string, reason: string): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `The open run of conversation ${conversationId} is parked (${reason}). Let it go on with continue(), abort it, or pass ifBusy: 'replace'.`,
  )
}

export function callsPending(
  pending: readonly { readonly toolCallId: string; readonly toolName: string }[],
): OffstageError {
  const names = pending.map((call) => `${call.toolName} (${call.toolCallId})`).join(', ')
  return new OffstageError(
    'calls-pending',
    `These calls wait for their outputs: ${names}. Supply them with supplyOutput() before the next turn.`,
  )
}
