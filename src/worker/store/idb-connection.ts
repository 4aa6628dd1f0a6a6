import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import type { StorageReport, StorageState } from '../../protocol/conversation.ts'
import type { OffstageError } from '../../protocol/error.ts'
import { storageCleared } from '../../protocol/storage-cleared.ts'
import { sleep } from '../../lib/sleep.ts'
import { within } from '../../lib/within.ts'
import {
  isNowhere,
  isRefused,
  olderInTheWay,
  storageError,
  superseded,
  transactionInTheWay,
  unanswered,
} from './idb-errors.ts'
import type { Claim } from './store.ts'

const DB_VERSION = 1

/** What is kept where: docs/format.md. */
export interface Schema extends DBSchema {
  records: { key: string; value: unknown; indexes: { parent: string } }
  /** Checked by whoever folds them. */
  rows: { key: [string, number]; value: unknown }
  /** One entry: the store's own name, and the newest epoch of any conversation. */
  counters: { key: string; value: Claim }
  /** Of the steps that models are writing: StepDraft. */
  drafts: { key: string; value: unknown }
  /** Contents of files by their hash, and who has them: attachments.ts. */
  attachments: { key: string | string[]; value: unknown }
  tombstones: { key: string; value: unknown }
  quarantine: { key: [string, number]; value: unknown }
}

/** Of the `storage` option's name: the database in IndexedDB. */
export function databaseName(name: string): string {
  return `offstage-2:${name}`
}

/** What of it is built: see `onlyTransactions` in scripts/lib/vite-plugins.ts. */
export type Database = Pick<IDBPDatabase<Schema>, 'close' | 'transaction'>

export interface ConnectionOptions {
  readonly report: (state: StorageReport) => void
  /** How long one use waits for the database to open, before that is reported. Milliseconds. */
  readonly openMs: number
  /**
   * How long it may take to open where nothing is in its way: on a busy machine a browser takes its time.
   * Default 30 000. Milliseconds.
   */
  readonly slowMs?: number
  /** The same of one that the browser lists: it answers, and another tab may be about to delete it. Default 15 000. */
  readonly listedMs?: number
  /** How long one transaction waits until it begins. Default 15 000. Milliseconds. */
  readonly startMs?: number
}

const SLOW_MS = 30_000
const LISTED_MS = 15_000
const START_MS = 15_000

/** Pauses before a database that the browser refused is asked for again. Milliseconds. */
const REFUSED_AGAIN_MS = [100, 400]

/** Uses after the first that found the database blocked wait no longer than this. Milliseconds. */
const STILL_BLOCKED_MS = 500

/** When it is looked whether a database that was closed is still there: pauses, milliseconds. */
const LOOKS = [0, 200, 1000, 5000]

/**
 * One open database, opened again after the browser or another tab closed it. While it can't be
 * opened, each use is refused with a typed error after a bounded wait; the next one tries again.
 */
export class Connection {
  readonly #name: string
  readonly #options: ConnectionOptions
  #opening: Promise<Database> | null = null
  /** When that began, on the clock of `performance.now()`. */
  #openingSince = 0
  /** The browser said that another connection is in its way. */
  #isInTheWay = false
  #mode: StorageState['mode'] | null = null
  /** The database was open before: one that has to be made again was cleared. */
  #wasOpen = false
  /** Of the newest claim. */
  #storeId: string | null = null

  constructor(name: string, options: ConnectionOptions) {
    this.#name = name
    this.#options = options
  }

  /**
   * Opens it for the first time, or finds that it doesn't open yet. Rejects only where the browser gives the page none
   * at all: asked more than once, as a permission that couldn't be looked up reads like one that is refused.
   */
  async openFirst(): Promise<void> {
    for (const again of [...REFUSED_AGAIN_MS, null]) {
      try {
        await this.#openSoon()
        return
      } catch (error) {
        if (!isRefused(error)) return
        if (again === null || isNowhere(error)) throw storageError(error)
        await sleep(again)
      }
    }
  }

  async database(): Promise<Database> {
    const soon = await this.#openSoon()
    if (soon) return soon
    const late = this.#isInTheWay ? null : await this.#openLate()
    if (late) return late
    throw this.#reportShut()
  }

  /** Null when it takes longer, which is reported. */
  async #openSoon(): Promise<Database | null> {
    const database = await within(this.#request(), this.#patience(this.#options.openMs))
    if (!database) this.#reportShut()
    return database
  }

  /** Null when it takes too long: the sooner where the browser does everything else, as somebody may be in the way. */
  #openLate(): Promise<Database | null> {
    const request = this.#request()
    const { slowMs = SLOW_MS, listedMs = LISTED_MS } = this.#options
    const past = performance.now() - this.#openingSince
    const once = async (): Promise<Database | null> => {
      // One that is being made isn't listed yet.
      const isListed = await this.#isListed()
      return within(request, (isListed ? listedMs : slowMs) - past)
    }
    return within(Promise.race([request, once()]), slowMs - past)
  }

  /** One that is blocked stays: it succeeds by itself once the other tab has closed. */
  #request(): Promise<Database> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  #reportShut(): OffstageError {
    return this.#report('blocked', this.#isInTheWay ? olderInTheWay() : unanswered())
  }

  /** How long a transaction waits for those before it. Milliseconds. */
  get startMs(): number {
    return this.#patience(this.#options.startMs ?? START_MS)
  }

  /** A transaction did not begin in time. */
  reportHeld(): OffstageError {
    return this.#report('blocked', transactionInTheWay())
  }

  /** A use came to its end. */
  reportUsed(): void {
    this.#report('durable')
  }

  #patience(ms: number): number {
    return this.#mode === 'blocked' ? Math.min(STILL_BLOCKED_MS, ms) : ms
  }

  /** The next use opens it again. */
  forget(): void {
    this.#opening = null
  }

  /** A claim was made in this store: another one than before has taken its place. */
  noteStore(storeId: string): void {
    if (this.#storeId !== null && this.#storeId !== storeId) this.#reportCleared()
    this.#storeId = storeId
  }

  #open(): Promise<Database> {
    let isNew = false
    this.#openingSince = performance.now()
    this.#isInTheWay = false
    const opening = openDB<Schema>(databaseName(this.#name), DB_VERSION, {
      upgrade: (db, oldVersion) => {
        isNew = oldVersion === 0
        upgrade(db, oldVersion)
      },
      blocked: () => {
        this.#isInTheWay = true
        this.#reportShut()
      },
      // Somebody wants to upgrade or to delete it: stand aside, open again at the next use.
      blocking: (_current, newVersion, event) => {
        ;(event.target as unknown as IDBDatabase).close()
        this.forget()
        if (newVersion === null) this.#reportCleared()
        else this.#report('newer', superseded())
      },
      terminated: () => {
        this.forget()
        void this.#lookForDatabase()
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
   * The browser closed it: because its data was cleared? Only looked at, as opening would make it again, and more than
   * once: it is closed before it is deleted.
   */
  async #lookForDatabase(): Promise<void> {
    for (const ms of LOOKS) {
      await sleep(ms)
      // Whoever opened it again knows.
      if (this.#opening !== null) return
      const isListed = await this.#isListed()
      if (isListed === undefined) return
      if (!isListed) return this.#reportCleared()
    }
  }

  /** Undefined where the browser can't say it. */
  async #isListed(): Promise<boolean | undefined> {
    const known = await indexedDB.databases?.().catch(() => undefined)
    return known?.some(({ name }) => name === databaseName(this.#name))
  }

  /** Said once for each time that it is found out. */
  #reportCleared(): void {
    if (!this.#wasOpen) return
    this.#wasOpen = false
    this.#storeId = null
    this.#mode = 'durable'
    this.#options.report({ mode: 'durable', reason: storageCleared().toData() })
  }

  #report(mode: 'durable', isNew?: boolean): void
  #report(mode: 'blocked' | 'newer' | 'failed', reason: OffstageError): OffstageError
  #report(mode: StorageState['mode'], more?: OffstageError | boolean): OffstageError | undefined {
    const reason = typeof more === 'object' ? more : undefined
    if (mode !== this.#mode) {
      this.#mode = mode
      const isNew = more === true && { isNew: true as const }
      this.#options.report({ mode, ...(reason && { reason: reason.toData() }), ...isNew })
    }
    return reason
  }
}

/** Each version's step is guarded by itself: a later version keeps what is stored. */
export function upgrade(db: IDBPDatabase<Schema>, oldVersion: number): void {
  if (oldVersion >= 1) return
  const ofConversation = { keyPath: 'conversationId' }
  const ofRow = { keyPath: ['conversationId', 'seq'] }
  db.createObjectStore('records', ofConversation).createIndex('parent', 'parent.conversationId')
  db.createObjectStore('rows', ofRow)
  db.createObjectStore('counters')
  db.createObjectStore('drafts', ofConversation)
  db.createObjectStore('attachments')
  db.createObjectStore('tombstones', ofConversation)
  db.createObjectStore('quarantine', ofRow)
}
