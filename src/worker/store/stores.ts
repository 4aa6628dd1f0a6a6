import type { WorkerNotice } from '../../protocol/notices.ts'
import { storageKey, type StorageConfig, type StorageReport } from '../../protocol/conversation.ts'
import { toErrorData } from '../../protocol/error.ts'
import { createMemoryStore } from './memory-store.ts'
import { type Redaction, redactedStore } from './redaction.ts'
import type { Store } from './store.ts'

/**
 * Opens the durable store of a name, and reports each change of its state. Rejects only where the
 * browser gives the page no database at all.
 */
export type OpenDurable = (name: string, report: (state: StorageReport) => void) => Promise<Store>

/**
 * The stores in use, one for each name. Only where the browser has no database for the page (missing,
 * or refused outright) memory takes its place: runs work on, a reload forgets them. A database that
 * doesn't open now is never replaced: it is waited for, and the page is notified.
 */
export class Stores {
  readonly #openDurable: OpenDurable
  readonly #notify: (notice: WorkerNotice) => void
  readonly #redaction: Redaction
  readonly #stores = new Map<string, Promise<Store>>()

  constructor(
    openDurable: OpenDurable,
    notify: (notice: WorkerNotice) => void,
    redaction: Redaction,
  ) {
    this.#redaction = redaction
    this.#openDurable = openDurable
    this.#notify = notify
  }

  open(config: StorageConfig): Promise<Store> {
    const key = storageKey(config)
    const known = this.#stores.get(key)
    if (known) return known
    const opened = this.#open(config, key)
    this.#stores.set(key, opened)
    return opened
  }

  async #open(config: StorageConfig, key: string): Promise<Store> {
    const store = await (config === 'memory' ? this.#memory(key) : this.#durable(config.name, key))
    return redactedStore(store, key, this.#redaction)
  }

  async #memory(storage: string, reason?: unknown): Promise<Store> {
    const why = reason === undefined ? {} : { reason: toErrorData(reason) }
    this.#notify({ type: 'storage', storage, mode: 'memory', ...why })
    return createMemoryStore()
  }

  async #durable(name: string, storage: string): Promise<Store> {
    let isReported = false
    const report = (state: StorageReport): void => {
      isReported = true
      this.#notify({ type: 'storage', storage, ...state })
    }
    try {
      const store = await this.#openDurable(name, report)
      if (!isReported) report({ mode: 'durable' })
      return store
    } catch (error) {
      return this.#memory(storage, error)
    }
  }
}
