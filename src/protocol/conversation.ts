import type { ConversationRecord } from './journal.ts'
import type { Message } from './message.ts'
import type { PendingCall } from './run.ts'

/** A conversation with its messages, as read from the store. */
export interface StoredConversation extends ConversationRecord {
  readonly messages: readonly Message[]
  readonly pending: readonly PendingCall[]
}

/** How the journal is kept. `'memory'` forgets at the end of the worker. */
export type StorageConfig = 'memory' | { readonly name: string }
