import { OffstageError } from '../../protocol/error.ts'
import type { Conversation } from '../conversation.ts'
import type { Leases } from './leases.ts'

export function elsewhere(conversationId: string, where = 'in another tab'): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `Conversation ${conversationId} is being worked on ${where}.`,
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

/** Somebody outside of this browser has claimed the conversation since its tabs did. */
export async function isClaimedElsewhere(
  { conversationId, claims }: Pick<Conversation, 'conversationId' | 'claims'>,
  leases: Leases,
): Promise<boolean> {
  if (!claims.isShared) return false
  const claimed = await claims.newest()
  if (claimed <= leases.newestClaim(conversationId)) return false
  return !(await claims.isOwn(claimed))
}
