import type { Taint } from './taint.ts'
import type { ErrorData } from './error.ts'
import type { JsonValue } from './json.ts'
import type { Message } from './message.ts'
import type { PauseReason, PendingCall } from './run.ts'

/** A conversation as listed by the store. */
export interface ConversationRecord {
  /** Format of the newest row. If newer than `FORMAT`, this version can only list and delete the conversation. */
  readonly format: number
  readonly conversationId: string
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly lastSeq: number
  /**
   * Epoch of the newest claim: the store's counter, which every claim increments. The store refuses appends with an
   * older epoch.
   */
  readonly epoch: number
  /**
   * Id that the claimant gave to its claim, and the claim's epoch. Ignore both if that epoch differs from the record's.
   */
  readonly claim?: { readonly id: string; readonly epoch: number }
  /** How often the history was cleared. */
  readonly era: number
  /** Id of the run that hasn't ended. */
  readonly openRunId: string | null
  /** Ids of calls without an outcome, in the newest run or in imported messages. */
  readonly openCalls: readonly string[]
  /** The call that started this child conversation. */
  readonly parent?: {
    readonly conversationId: string
    readonly runId: string
    readonly toolCallId: string
  }
  /** Id of the import that created the conversation. Distinguishes it from an earlier conversation with the same id. */
  readonly importId?: string
  /** Fault in the stored rows. The conversation can be read up to the fault and deleted, but not continued. */
  readonly broken?: string
}

/** Value of `broken` while the last rows of an import are missing. */
export const INCOMPLETE_IMPORT = 'Its import was not finished.'

/** A conversation with its messages, as read from the store. */
export interface StoredConversation extends ConversationRecord {
  /** Messages of the head's branch as models get them, including those that Offstage wrote. */
  readonly messages: readonly Message[]
  readonly pending: readonly PendingCall[]
  /** Origins of the untrusted content in the next request. Undefined if there is none. */
  readonly taint?: readonly Taint[]
  /** Why the open run is paused. Undefined if it isn't. */
  readonly paused?: PauseReason
  /** Unreadable stored rows and the reason for each. Neither people nor models see their content. */
  readonly setAside?: readonly string[]
}

/** A store of your own worker (`startWorker({ stores })`): its type, and options as plain data without secrets. */
export interface CustomStorage {
  readonly type: string
  readonly [option: string]: JsonValue
}

/**
 * Store for conversations: IndexedDB under a name, or a store of your own worker. `'memory'` lasts until
 * the worker ends.
 */
export type StorageConfig = 'memory' | { readonly name: string } | CustomStorage

/** Returns whether the storage is a store of the app's own worker. */
export function isCustomStorage(config: StorageConfig): config is CustomStorage {
  return config !== 'memory' && typeof (config as { type?: unknown }).type === 'string'
}

/** Returns whether a `storageKey` belongs to a store of the app's own worker. */
export function isCustomKey(key: string): boolean {
  return key.startsWith(CUSTOM)
}

/** Returns the id of the store, unique within one worker. */
export function storageKey(config: StorageConfig): string {
  if (config === 'memory') return 'memory:'
  if (!isCustomStorage(config)) return `durable:${config.name}`
  const options = Object.entries(config).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return `${CUSTOM}${JSON.stringify(options)}`
}

const CUSTOM = 'custom:'

/**
 * Current state of the storage.
 * `'blocked'`: another tab holds an older database open, or the browser is slow to open it. `'newer'`: a newer version
 * of the package wrote the database. In these modes and in `'failed'`, writes are refused until the database opens. In
 * `'offline'`, they are refused until a remote store is reachable again. `'durable'` with the reason `storage-cleared`:
 * all earlier data is gone.
 */
export interface StorageState {
  readonly mode: 'durable' | 'memory' | 'blocked' | 'newer' | 'failed' | 'offline'
  readonly reason?: ErrorData
}

/** Storage state as reported by the store. `isNew`: the database was just created. */
export type StorageReport = StorageState & { readonly isNew?: true }

/** Identifies an agent of the page. */
export interface AgentRef {
  readonly agentId: string
}

/** The agent that sends a command, and where its conversations are stored. */
export interface AgentScope extends AgentRef {
  readonly storage: StorageConfig
  /**
   * The page redacts all data before it is stored in `storage`. The first command with this flag turns this on for
   * good.
   */
  readonly redacts?: true
}

export interface ConversationScope extends AgentScope {
  readonly conversationId: string
}

export interface RunRef {
  readonly conversationId: string
  readonly runId: string
}

/**
 * Limits of the stored conversations. While no run is active, conversations beyond a limit are deleted with their child
 * conversations, least recently active first. Exempt are conversations that run, wait, are shown in a tab, are damaged
 * or have a newer format.
 */
export interface Retention {
  /** Days since the last activity. */
  readonly days?: number
  /** Number of conversations, without child conversations. */
  readonly conversations?: number
  /** Total size of the rows as JSON. */
  readonly bytes?: number
}

/** A conversation deleted by retention. */
export interface DroppedConversation extends Pick<
  ConversationRecord,
  'conversationId' | 'title' | 'updatedAt'
> {
  /** The exceeded limit. */
  readonly reason: keyof Retention
}
