import { OffstageError } from '../protocol/error.ts'
import { createDatabaseStore, type EntryStore, createInMemoryStore } from './rows.ts'

/** Scope and storage of a memory. Wrong values throw `invalid-config`. */
export interface MemoryOptions {
  /** Default `'origin'`. */
  readonly scope?: MemoryScope
  /** Name of the database, or `'memory'`, which is lost when the page closes. Default `{ name: 'offstage' }`. */
  readonly storage?: { readonly name: string } | 'memory'
}

/** Maximum characters of an entry. */
export const MAX_TEXT = 2_000

export const DEFAULT_STORAGE = { name: 'offstage' }

/** Opens the storage that the options choose. Throws `invalid-config`. */
export function openEntryStore({
  scope = 'origin',
  storage = DEFAULT_STORAGE,
}: MemoryOptions): EntryStore {
  const isNamed = typeof scope === 'object' && typeof scope.agent === 'string' && scope.agent !== ''
  if (scope !== 'origin' && scope !== 'conversation' && !isNamed)
    throw badConfig("scope of a memory must be 'origin', 'conversation' or { agent: name }.")
  if (storage === 'memory') return createInMemoryStore()
  if (typeof storage?.name !== 'string' || storage.name === '')
    throw badConfig("storage of a memory must be 'memory' or { name }.")
  return createDatabaseStore(storage.name)
}

export function badConfig(message: string): OffstageError {
  return new OffstageError('invalid-config', message)
}

export function badInput(message: string): OffstageError {
  return new OffstageError('invalid-input', message)
}

/**
 * Scope of a memory: shared by all agents of the page's origin, shared by agents that give this name, or limited to one
 * conversation.
 */
export type MemoryScope = 'origin' | 'conversation' | { readonly agent: string }

/** Conversation whose entries to use. Methods reject with `invalid-input` if the scope needs a conversation. */
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
  throw badInput('This memory belongs to one conversation. Pass { conversationId }.')
}

/** Name and description of a scope's entries, for the model. */
export function describeScope(scope: MemoryScope): {
  readonly name: string
  readonly description: string
} {
  if (scope === 'origin') return { name: 'site', description: 'for all conversations' }
  return scope === 'conversation'
    ? { name: scope, description: 'for this conversation only' }
    : { name: scope.agent, description: 'for this agent' }
}
