import { OffstageError } from '../protocol/error.ts'

/**
 * Who shares what is remembered: all agents of the page's origin, those that give this name, or one conversation.
 */
export type MemoryScope = 'origin' | 'conversation' | { readonly agent: string }

export interface Where {
  /** Of a memory with the scope `conversation`: which one. */
  readonly conversationId?: string | undefined
}

/** What is said of what is written. */
export interface Written extends Where {
  /** It may hold words of others. Default false. */
  readonly untrusted?: boolean | undefined
}

/** Names the space that entries are kept in. Throws `invalid-input` where the conversation is missing. */
export function spaceName(scope: MemoryScope, { conversationId }: Where = {}): string {
  if (scope === 'origin') return 'origin'
  if (scope !== 'conversation') return `agent:${scope.agent}`
  if (conversationId) return `conversation:${conversationId}`
  throw new OffstageError(
    'invalid-input',
    'This memory is of single conversations: say which, as { conversationId }.',
  )
}

/** Name and description of a scope's entries, for the model. */
export function placeName(scope: MemoryScope): {
  readonly name: string
  readonly description: string
} {
  if (scope === 'origin') return { name: 'site', description: 'for all conversations' }
  return scope === 'conversation'
    ? { name: scope, description: 'for this conversation only' }
    : { name: scope.agent, description: 'for this agent' }
}
