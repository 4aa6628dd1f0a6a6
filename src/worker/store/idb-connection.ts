import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from 'idb'
import type { StorageReport, StorageState } from '../../protocol/conversation.ts'
import { describeThrown, OffstageError } from '../../protocol/error.ts'
import { storageCleared } from '../../protocol/storage-cleared.ts'
import { sleep, resolveWithin } from '../../lib/sleep.ts'
import type { Claim } from './store.ts'

/**
 * Whether the browser refuses this page any database: in some private modes, in opaque origins, and with blocked
 * site data. Chromium reports the last as an `UnknownError`.
 */
function isRefused(thrown: unknown): boolean {
  if (hasNoDatabases(thrown)) return true
  if (!(thrown instanceof Error)) return false
  const { name, message } = thrown
  return (
    name === 'InvalidStateError' ||
    (name === 'UnknownError' && message.includes('denied permission'))
  )
}

/** Whether no page or worker of this origin can have a database. */
function hasNoDatabases(thrown: unknown): boolean {
  if (typeof indexedDB === 'undefined' || indexedDB === null) return true
  return thrown instanceof Error && thrown.name === 'SecurityError'
}

const HELD_BY_OLDER =
  'The database does not open: another tab of this site holds an older one. Reload or close that tab to continue.'
const HELD_BY_TRANSACTION =
  'The database does not answer: another tab or script of this site holds it. Reload or close that tab to continue.'
const NOT_OPENED_YET = 'The browser has not opened the database yet. Close other tabs of this site.'

function blocked(message: string): OffstageError {
  return new OffstageError('storage-blocked', message, { retryable: true })
}

function supersededError(): OffstageError {
  return new OffstageError(
    'storage-newer',
    'A newer Offstage in another tab changes the database: reload the page.',
    { retryable: true },
  )
}

function storageError(error: unknown): OffstageError {
  if (OffstageError.is(error)) return error
  const name = error instanceof Error ? error.name : 'Error'
  const options = { cause: error, retryable: true, details: { name } }
  switch (name) {
    case 'QuotaExceededError':
      return new OffstageError(
        'storage-full',
        "The browser's storage quota is used up: free space, or export and delete conversations.",
        options,
      )
    case 'VersionError':
      return new OffstageError(
        'storage-newer',
        'A newer Offstage made the database: reload the page or update the package.',
        options,
      )
    case 'DataCloneError':
      return new OffstageError('internal', `This can't be stored: ${describeThrown(error)}`)
    case 'ConstraintError':
      return new OffstageError('conversation-broken', 'The conversation has an unexpected row.')
    default:
      return new OffstageError(
        'storage-failed',
        `IndexedDB failed (${name}): ${describeThrown(error)}`,
        options,
      )
  }
}

interface WatchedDatabase extends Database {
  /** Whether a transaction was aborted because it didn't start in time. */
  readonly isHeld: boolean
}

/**
 * Wraps a database: transactions that don't start within `startMs` are aborted. A transaction that another script
 * keeps alive blocks all later ones, and the browser doesn't report it.
 */
function watchStarts(database: Database, startMs: number): WatchedDatabase {
  let isHeld = false
  const transaction = ((...args: Parameters<Database['transaction']>) => {
    const tx = database.transaction(...args)
    const timer = setTimeout(() => {
      isHeld = true
      tx.abort()
    }, startMs)
    const stopTimer = (): void => clearTimeout(timer)
    // The first success proves that the transaction has begun. `success` events don't bubble, so listen in the capture
    // phase.
    tx.addEventListener('success', stopTimer, { capture: true, once: true })
    tx.done.then(stopTimer, stopTimer)
    return tx
  }) as Database['transaction']
  return {
    close: () => database.close(),
    transaction,
    get isHeld() {
      return isHeld
    },
  }
}

type StoreNames = ('records' | 'counters' | 'rows' | 'attachments' | 'drafts')[]

export type Read = IDBPTransaction<Schema, StoreNames>
export type Write = IDBPTransaction<Schema, StoreNames, 'readwrite'>

/** Object stores that conversations are read from. */
export const READ: StoreNames = ['records', 'rows', 'attachments']
export const DRAFTS: StoreNames = ['drafts']
const ALL: StoreNames = [...READ, 'counters', 'drafts']

/** Uses the database. Tries once more with a new connection if it was closed meanwhile. */
export async function withDatabase<T>(
  connection: Connection,
  use: (db: Database) => Promise<T>,
): Promise<T> {
  try {
    return await useOnce(connection, use)
  } catch (error) {
    if (!isClosed(error)) throw storageError(error)
  }
  connection.forget()
  try {
    return await useOnce(connection, use)
  } catch (error) {
    throw storageError(error)
  }
}

async function useOnce<T>(connection: Connection, use: (db: Database) => Promise<T>): Promise<T> {
  const watched = watchStarts(await connection.database(), connection.startMs)
  try {
    const value = await use(watched)
    connection.reportUsed()
    return value
  } catch (error) {
    throw watched.isHeld ? connection.reportHeld() : error
  }
}

export async function write<T>(
  connection: Connection,
  durability: IDBTransactionDurability,
  body: (tx: Write) => Promise<T>,
): Promise<T> {
  return withDatabase(connection, async (db) => {
    const tx = db.transaction(ALL, 'readwrite', { durability })
    // Quota errors arrive at the transaction only, so only the transaction's end tells whether the write succeeded.
    const done = tx.done
    quietly(done)
    try {
      const value = await body(tx)
      // Commits now. Otherwise the browser has to find out first that no request follows.
      tx.commit()
      await done
      return value
    } catch (error) {
      abortQuietly(tx)
      throw await causeOf(done, error)
    }
  })
}

/** Ignores the error of a request. The request also fails its transaction, whose error is used. */
export function quietly(request: Promise<unknown>): void {
  request.catch(() => undefined)
}

/** The reason why the browser aborted the transaction. Its requests only report that it was aborted. */
function causeOf(done: Promise<void>, error: unknown): Promise<unknown> {
  return done.then(
    () => error,
    (cause: unknown) => (cause instanceof Error && cause.name !== 'AbortError' ? cause : error),
  )
}

function abortQuietly(tx: Write): void {
  try {
    tx.abort()
  } catch {
    // The transaction has ended already.
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof Error && error.name === 'InvalidStateError'
}

const DB_VERSION = 1

/** Object stores of the database, described in docs/format.md. */
export interface Schema extends DBSchema {
  records: { key: string; value: unknown; indexes: { parent: string } }
  /** Unchecked: rows are checked before they are folded. */
  rows: { key: [string, number]; value: unknown }
  /** Has a single entry: the store's id, and the newest epoch of any conversation. */
  counters: { key: string; value: Claim }
  /** Texts of the steps that models are writing: StepDraft. */
  drafts: { key: string; value: unknown }
  /** File contents by hash, and the conversations that use them: attachments.ts. */
  attachments: { key: string | string[]; value: unknown }
  tombstones: { key: string; value: unknown }
  quarantine: { key: [string, number]; value: unknown }
}

/** Name of the IndexedDB database for the name in the `storage` option. */
export function databaseName(name: string): string {
  return `offstage-2:${name}`
}

/** The part of idb that the build keeps: see `onlyTransactions` in scripts/lib/vite-plugins.ts. */
export type Database = Pick<IDBPDatabase<Schema>, 'close' | 'transaction'>

export interface ConnectionOptions {
  readonly report: (state: StorageReport) => void
  /** How long a use waits for the database to open before it is reported as blocked. Milliseconds. */
  readonly openMs: number
  /** How long opening may take while nothing blocks it, since a busy machine is slow. Default 30 000. Milliseconds. */
  readonly slowMs?: number
  /**
   * Shorter limit than `slowMs`, for a database that the browser lists: the browser responds, and another tab may be
   * about to delete the database. Default 15 000. Milliseconds.
   */
  readonly listedMs?: number
  /** How long a transaction may wait to begin. Default 15 000. Milliseconds. */
  readonly startMs?: number
}

const SLOW_MS = 30_000
const LISTED_MS = 15_000
const START_MS = 15_000

/** Pauses before opening a database again that the browser refused. Milliseconds. */
const REFUSED_AGAIN_MS = [100, 400]

/** Longest wait for a database that is already known to be blocked. Milliseconds. */
const STILL_BLOCKED_MS = 500

/** Pauses between checks whether a closed database still exists. Milliseconds. */
const CHECK_DELAYS_MS = [0, 200, 1000, 5000]

/**
 * A connection to one database, opened again after the browser or another tab closed it. While it can't be opened, each
 * use fails with a typed error after a bounded wait. The next use tries again.
 */
export class Connection {
  readonly #name: string
  readonly #options: ConnectionOptions
  #opening: Promise<Database> | null = null
  /** Start of the opening, on the clock of `performance.now()`. */
  #openingAt = 0
  /** The browser reported that another connection blocks the opening. */
  #isBlocked = false
  #mode: StorageState['mode'] | null = null
  /** The database was open before. If it has to be created again, it was cleared. */
  #wasOpen = false
  /** Store id of the newest claim. */
  #storeId: string | null = null

  constructor(name: string, options: ConnectionOptions) {
    this.#name = name
    this.#options = options
  }

  /**
   * Opens the database for the first time. Resolves even if it doesn't open yet. Rejects only if the browser gives the
   * page no database at all. Tries several times, since a failed permission lookup looks like a refusal.
   */
  async openFirst(): Promise<void> {
    for (const delay of [...REFUSED_AGAIN_MS, null]) {
      try {
        await this.#openQuickly()
        return
      } catch (error) {
        if (!isRefused(error)) return
        if (delay === null || hasNoDatabases(error)) throw storageError(error)
        await sleep(delay)
      }
    }
  }

  async database(): Promise<Database> {
    const quick = await this.#openQuickly()
    if (quick) return quick
    const slow = this.#isBlocked ? null : await this.#openSlowly()
    if (slow) return slow
    throw this.#reportBlocked()
  }

  /** Opens the database within `openMs`. Otherwise reports it as blocked, and returns null. */
  async #openQuickly(): Promise<Database | null> {
    const database = await resolveWithin(this.#requestOpen(), this.#limit(this.#options.openMs))
    if (!database) this.#reportBlocked()
    return database
  }

  /**
   * Waits longer for the database. Null if it takes too long. The limit is shorter for a listed database, since another
   * tab may block it.
   */
  #openSlowly(): Promise<Database | null> {
    const request = this.#requestOpen()
    const { slowMs = SLOW_MS, listedMs = LISTED_MS } = this.#options
    const elapsedMs = performance.now() - this.#openingAt
    const untilLimit = async (): Promise<Database | null> => {
      // A database that is being created isn't listed yet.
      const isListed = await this.#isListed()
      return resolveWithin(request, (isListed ? listedMs : slowMs) - elapsedMs)
    }
    return resolveWithin(Promise.race([request, untilLimit()]), slowMs - elapsedMs)
  }

  /** Requests the database once. A blocked request is kept: it succeeds after the other tab has closed. */
  #requestOpen(): Promise<Database> {
    this.#opening ??= this.#openDatabase()
    return this.#opening
  }

  #reportBlocked(): OffstageError {
    return this.#report('blocked', blocked(this.#isBlocked ? HELD_BY_OLDER : NOT_OPENED_YET))
  }

  /** How long a transaction waits for earlier transactions. Milliseconds. */
  get startMs(): number {
    return this.#limit(this.#options.startMs ?? START_MS)
  }

  /** Reports that a transaction did not begin in time. */
  reportHeld(): OffstageError {
    return this.#report('blocked', blocked(HELD_BY_TRANSACTION))
  }

  /** Reports that a use succeeded. */
  reportUsed(): void {
    this.#report('durable')
  }

  #limit(ms: number): number {
    return this.#mode === 'blocked' ? Math.min(STILL_BLOCKED_MS, ms) : ms
  }

  /** Drops the connection. The next use opens a new one. */
  forget(): void {
    this.#opening = null
  }

  /** Notes the store id of a claim. A different id means that the database was cleared meanwhile. */
  noteStore(storeId: string): void {
    if (this.#storeId !== null && this.#storeId !== storeId) this.#reportCleared()
    this.#storeId = storeId
  }

  #openDatabase(): Promise<Database> {
    let isNew = false
    this.#openingAt = performance.now()
    this.#isBlocked = false
    const opening = openDB<Schema>(databaseName(this.#name), DB_VERSION, {
      upgrade: (db, oldVersion) => {
        isNew = oldVersion === 0
        upgrade(db, oldVersion)
      },
      blocked: () => {
        this.#isBlocked = true
        this.#reportBlocked()
      },
      // Another tab wants to upgrade or delete the database: closes it, and opens it again at the next use.
      blocking: (_current, newVersion, event) => {
        ;(event.target as unknown as IDBDatabase).close()
        this.forget()
        if (newVersion === null) this.#reportCleared()
        else this.#report('newer', supersededError())
      },
      terminated: () => {
        this.forget()
        void this.#checkDeleted()
      },
    }).then(
      (database) => {
        if (isNew && this.#wasOpen) this.#reportCleared()
        else this.#report('durable', isNew)
        this.#wasOpen = true
        return database
      },
      (thrown: unknown) => {
        this.forget()
        if (isRefused(thrown)) throw thrown
        const error = storageError(thrown)
        throw this.#report(error.code === 'storage-newer' ? 'newer' : 'failed', error)
      },
    )
    opening.catch(() => undefined)
    return opening
  }

  /**
   * Checks whether the browser closed the database because its data was cleared. Only reads the list, since opening
   * would create the database again. Checks several times: a database is closed before it is deleted.
   */
  async #checkDeleted(): Promise<void> {
    for (const ms of CHECK_DELAYS_MS) {
      await sleep(ms)
      // Another opening has begun, and will notice whether the database was cleared.
      if (this.#opening !== null) return
      const isListed = await this.#isListed()
      if (isListed === undefined) return
      if (!isListed) return this.#reportCleared()
    }
  }

  /** Whether the browser lists the database. Undefined if it can't tell. */
  async #isListed(): Promise<boolean | undefined> {
    const databases = await indexedDB.databases?.().catch(() => undefined)
    return databases?.some(({ name }) => name === databaseName(this.#name))
  }

  /** Reports that the database was cleared, once per clearing. */
  #reportCleared(): void {
    if (!this.#wasOpen) return
    this.#wasOpen = false
    this.#storeId = null
    this.#mode = 'durable'
    this.#options.report({ mode: 'durable', reason: storageCleared().toData() })
  }

  #report(mode: 'durable', isNew?: boolean): void
  #report(mode: 'blocked' | 'newer' | 'failed', reason: OffstageError): OffstageError
  #report(mode: StorageState['mode'], detail?: OffstageError | boolean): OffstageError | undefined {
    const reason = typeof detail === 'object' ? detail : undefined
    if (mode !== this.#mode) {
      this.#mode = mode
      const isNew = detail === true && { isNew: true as const }
      this.#options.report({ mode, ...(reason && { reason: reason.toData() }), ...isNew })
    }
    return reason
  }
}

/** Upgrades the database. Each version has a guarded step of its own, so a later version keeps the stored data. */
export function upgrade(db: IDBPDatabase<Schema>, oldVersion: number): void {
  if (oldVersion >= 1) return
  const conversationKey = { keyPath: 'conversationId' }
  const rowKey = { keyPath: ['conversationId', 'seq'] }
  db.createObjectStore('records', conversationKey).createIndex('parent', 'parent.conversationId')
  db.createObjectStore('rows', rowKey)
  db.createObjectStore('counters')
  db.createObjectStore('drafts', conversationKey)
  db.createObjectStore('attachments')
  db.createObjectStore('tombstones', conversationKey)
  db.createObjectStore('quarantine', rowKey)
}
