import { OffstageError } from '../protocol/error.ts'

/**
 * Scope of a memory: shared by all agents of the page's origin, shared by agents that give this name, or limited to one
 * conversation.
 */
export type MemoryScope = 'origin' | 'conversation' | { readonly agent: string }

export interface Where {
  /** Id of the conversation, for a memory with the scope `conversation`. */
  readonly conversationId?: string | undefined
}

/** Properties of a text that is written. */
export interface Written extends Where {
  /** True if the text may contain untrusted content. Default false. */
  readonly untrusted?: boolean | undefined
}

/** Name of the space that holds the entries. Throws `invalid-input` if the conversation is missing. */
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
