import type { Taint } from './taint.ts'
import type { ErrorData } from './error.ts'
import type { JsonValue } from './json.ts'
import type { Message } from './message.ts'
import type { ParkReason, PendingCall } from './run.ts'

/** A conversation as the store lists it. */
export interface ConversationRecord {
  /** Of the newest row. Newer than `FORMAT`: this version can list and delete it, and nothing else. */
  readonly format: number
  readonly conversationId: string
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastSeq: number
  /** Of the newest claim, by the store's one counter; an append with an older one is refused. */
  readonly epoch: number
  /** What the claim of this epoch was named by who made it. With another epoch than the record's it says nothing. */
  readonly claim?: { readonly id: string; readonly epoch: number }
  /** How often the history was cleared. */
  readonly era: number
  /** The run that has no end yet. */
  readonly openRunId: string | null
  /** Calls that have no outcome yet: of the newest run, or of imported messages. */
  readonly openCalls: readonly string[]
  /** The call that started this conversation. */
  readonly parent?: {
    readonly conversationId: string
    readonly runId: string
    readonly toolCallId: string
  }
  /** Of the import that made it: another one than before may have the same id. */
  readonly importId?: string
  /** What is wrong with the stored rows: readable up to the fault, deletable, and nothing else. */
  readonly broken?: string
}

/** What is `broken` of a conversation whose last rows are yet to be imported. */
export const UNFINISHED = 'Its import was not finished.'

/** A conversation with its messages, as read from the store. */
export interface StoredConversation extends ConversationRecord {
  /** Those that models get: of the head's branch, the ones that Offstage wrote included. */
  readonly messages: readonly Message[]
  readonly pending: readonly PendingCall[]
  /** Origins of the untrusted content in the next request. Absent: none. */
  readonly taint?: readonly Taint[]
  /** Why the open run rests until somebody lets it go on. */
  readonly parked?: ParkReason
  /** Stored rows that can't be read, and why. Neither people nor models get what they said. */
  readonly setAside?: readonly string[]
}

/** A store of your own worker (`startWorker({ stores })`), by its type, with whatever that takes: plain data, no secrets. */
export interface CustomStorage {
  readonly type: string
  readonly [option: string]: JsonValue
}

/**
 * Where conversations are kept: in IndexedDB, under a name, or in a store of your own worker. `'memory'` forgets at the
 * end of the worker.
 */
export type StorageConfig = 'memory' | { readonly name: string } | CustomStorage

/** Whether the storage is a store of the app's own worker. */
export function isCustomStorage(config: StorageConfig): config is CustomStorage {
  return config !== 'memory' && typeof (config as { type?: unknown }).type === 'string'
}

/** Names the store, among those of one worker. */
/** Of a store of the app's own. */
export function isCustomKey(key: string): boolean {
  return key.startsWith(CUSTOM)
}

export function storageKey(config: StorageConfig): string {
  if (config === 'memory') return 'memory:'
  if (!isCustomStorage(config)) return `durable:${config.name}`
  const options = Object.entries(config).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${CUSTOM}${JSON.stringify(options)}`
}

const CUSTOM = 'custom:'

/**
 * Where conversations are kept now. `'blocked'` (another tab holds an older database open, or the browser has not
 * opened it yet), `'newer'` (a newer version of the package has written it) and `'failed'` refuse writes until it opens, `'offline'` until a
 * store elsewhere can be reached again. `'durable'` with the reason `storage-cleared`: what was stored before is gone.
 */
export interface StorageState {
  readonly mode: 'durable' | 'memory' | 'blocked' | 'newer' | 'failed' | 'offline'
  readonly reason?: ErrorData
}

/** The same, as the store says it. `isNew`: the database was made just now. */
export type StorageReport = StorageState & { readonly isNew?: true }
