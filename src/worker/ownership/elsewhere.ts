import { OffstageError } from '../../protocol/error.ts'

export function elsewhere(conversationId: string): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `Conversation ${conversationId} is being worked on in another tab.`,
    { retryable: true },
  )
}

/** Somebody else works on the conversation, or deleted it. */
export function isElsewhere(thrown: unknown): boolean {
  return (
    OffstageError.is(thrown) &&
    (thrown.code === 'conversation-busy' ||
      thrown.code === 'conversation-not-found' ||
      thrown.code === 'ownership-lost')
  )
}
