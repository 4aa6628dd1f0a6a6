import type { WorkerNotice } from '../protocol/api.ts'
import type { StorageConfig } from '../protocol/conversation.ts'
import { toErrorData } from '../protocol/error.ts'
import { createMemoryStore } from './store/memory-store.ts'
import type { Store } from './store/store.ts'

export type OpenDurable = (name: string) => Promise<Store>

/**
 * The stores in use, one for each name. A database that can't be opened (private window, blocked,
 * missing) is replaced by memory, and the page is told: runs work on, a reload forgets them.
 */
export class Stores {
  readonly #openDurable: OpenDurable
  readonly #notify: (notice: WorkerNotice) => void
  readonly #stores = new Map<string, Promise<Store>>()

  constructor(openDurable: OpenDurable, notify: (notice: WorkerNotice) => void) {
    this.#openDurable = openDurable
    this.#notify = notify
  }

  open(config: StorageConfig): Promise<Store> {
    const key = storageKey(config)
    const known = this.#stores.get(key)
    if (known) return known
    const opened = config === 'memory' ? this.#memory() : this.#durable(config.name)
    this.#stores.set(key, opened)
    return opened
  }

  async #memory(): Promise<Store> {
    this.#notify({ type: 'storage', mode: 'memory' })
    return createMemoryStore()
  }

  async #durable(name: string): Promise<Store> {
    try {
      const store = await this.#openDurable(name)
      this.#notify({ type: 'storage', mode: 'durable' })
      return store
    } catch (error) {
      this.#notify({ type: 'storage', mode: 'memory', reason: toErrorData(error) })
      return createMemoryStore()
    }
  }
}

export function storageKey(config: StorageConfig): string {
  return config === 'memory' ? 'memory:' : `durable:${config.name}`
}
