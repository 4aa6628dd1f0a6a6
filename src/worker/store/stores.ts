import type { WorkerNotice } from '../../protocol/notices.ts'
import {
  type CustomStorage,
  isCustomStorage,
  storageKey,
  type StorageConfig,
  type StorageReport,
  type StorageState,
} from '../../protocol/conversation.ts'
import { OffstageError, toErrorData } from '../../protocol/error.ts'
import { type PageVisibility, PageVisibilityTarget } from '../page-visibility.ts'
import { createMemoryStore } from './memory-store.ts'
import { type Redaction, redactedStore } from './redaction.ts'
import type { Store } from './store.ts'

/**
 * Opens the durable store with this name, and reports each change of its state. Rejects only if the browser gives the
 * page no database at all.
 */
export type OpenDurable = (name: string, report: (state: StorageReport) => void) => Promise<Store>

/** A store of your own, which a page selects with `storage: { type, … }`. */
export interface StoreDefinition {
  /** Name by which pages select the store. */
  readonly type: string
  /**
   * Opens the store with the page's `storage` option. Called once for each different `storage` of a worker. Resolves
   * even if the store can't be reached now: its methods fail until it can. Rejects with an `OffstageError` if it can
   * never work, with `invalid-config` for example. `report` is called at each change of its state; a store that reports
   * nothing is `durable`. `visibility` tells whether a person can see the page: work that only one tab needs to do is
   * best done by a visible one.
   */
  open(
    storage: CustomStorage,
    report: (state: StorageState) => void,
    visibility: PageVisibility,
  ): Promise<Store>
}

export interface StoresOptions {
  readonly openDurable: OpenDurable
  /** Custom stores of the worker. Default: none. */
  readonly stores?: readonly StoreDefinition[]
  readonly notify: (notice: WorkerNotice) => void
  readonly redaction: Redaction
}

/**
 * The stores in use, one for each name. If the browser has no database for the page (missing, or refused outright),
 * memory replaces it: runs work, but a reload forgets them. A database that doesn't open now is never replaced. Uses
 * wait for it, and the page is notified.
 */
export class Stores {
  readonly visibility: PageVisibilityTarget = new PageVisibilityTarget()
  readonly #options: StoresOptions
  readonly #stores = new Map<string, Promise<Store>>()

  constructor(options: StoresOptions) {
    this.#options = options
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
    return redactedStore(await this.#opened(config, key), key, this.#options.redaction)
  }

  #opened(config: StorageConfig, key: string): Promise<Store> {
    if (config === 'memory') return this.#memory(key)
    return isCustomStorage(config) ? this.#custom(config, key) : this.#durable(config.name, key)
  }

  async #memory(storage: string, reason?: unknown): Promise<Store> {
    const why = reason === undefined ? {} : { reason: toErrorData(reason) }
    this.#options.notify({ type: 'storage', storage, mode: 'memory', ...why })
    return createMemoryStore()
  }

  async #durable(name: string, storage: string): Promise<Store> {
    try {
      return await this.#reported(storage, (report) => this.#options.openDurable(name, report))
    } catch (error) {
      return this.#memory(storage, error)
    }
  }

  /** Opens a custom store. Memory never replaces it: its data must not go elsewhere. */
  async #custom(config: CustomStorage, storage: string): Promise<Store> {
    const { stores: definitions = [] } = this.#options
    const definition = definitions.find(({ type }) => type === config.type)
    if (definition === undefined) throw unknownType(config.type, definitions)
    return this.#reported(storage, (report) => definition.open(config, report, this.visibility))
  }

  async #reported(
    storage: string,
    open: (report: (state: StorageReport) => void) => Promise<Store>,
  ): Promise<Store> {
    let isReported = false
    const report = (state: StorageReport): void => {
      isReported = true
      this.#options.notify({ type: 'storage', storage, ...state })
    }
    const store = await open(report)
    if (!isReported) report({ mode: 'durable' })
    return store
  }
}

function unknownType(type: string, definitions: readonly StoreDefinition[]): OffstageError {
  const known = definitions.map((each) => each.type).join(', ')
  return new OffstageError(
    'invalid-config',
    `The worker has no store of the type ${type}: ${known === '' ? 'it has none' : `it has ${known}`}. Give startWorker({ stores }) one.`,
  )
}
