import type { ErrorData } from './error.ts'
import type { ConversationRecord } from './journal.ts'
import type { Message } from './message.ts'
import type { ParkReason, PendingCall } from './run.ts'

/** A conversation with its messages, as read from the store. */
export interface StoredConversation extends ConversationRecord {
  readonly messages: readonly Message[]
  readonly pending: readonly PendingCall[]
  /** Why the open run rests until somebody lets it go on. */
  readonly parked?: ParkReason
}

/** How the journal is kept. `'memory'` forgets at the end of the worker. */
export type StorageConfig = 'memory' | { readonly name: string }

/**
 * Where the journal is kept now. `'blocked'` (another tab holds an older database open), `'newer'`
 * (a newer version of the package has written it) and `'failed'` refuse writes until it opens.
 */
export interface StorageState {
  readonly mode: 'durable' | 'memory' | 'blocked' | 'newer' | 'failed'
  readonly reason?: ErrorData
}
