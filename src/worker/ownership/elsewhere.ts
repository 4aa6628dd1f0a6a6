import { OffstageError } from '../../protocol/error.ts'
import type { Conversation } from '../conversation.ts'
import type { Leases } from './leases.ts'
import type { NewestClaim } from './shared-claims.ts'

export function elsewhere(conversationId: string, where = 'in another tab'): OffstageError {
  return new OffstageError(
    'conversation-busy',
    `Conversation ${conversationId} is being worked on ${where}.`,
    { retryable: true },
  )
}

export function onOtherDevice(conversationId: string): OffstageError {
  return elsewhere(conversationId, 'on another device')
}

/** Whether the error means that another owner works on the conversation or deleted it. */
export function isElsewhere(thrown: unknown): boolean {
  return (
    OffstageError.is(thrown) &&
    (thrown.code === 'conversation-busy' ||
      thrown.code === 'conversation-not-found' ||
      thrown.code === 'ownership-lost')
  )
}

/** Whether another device has claimed the conversation since this browser's tabs did. */
export async function isClaimedElsewhere(
  { conversationId, claims }: Pick<Conversation, 'conversationId' | 'claims'>,
  leases: Leases,
  claimed?: NewestClaim,
): Promise<boolean> {
  if (!claims.isShared) return false
  const newest = claimed ?? (await claims.newest())
  return !(await claims.isOwn(newest, leases.newestClaim(conversationId)))
}
