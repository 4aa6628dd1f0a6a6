import { OffstageError, type ErrorCode } from '../../../src/protocol/error.ts'
import type { FactType, Row } from '../../../src/protocol/fact.ts'
import { createMemoryStore } from '../../../src/worker/store/memory-store.ts'
import type { Append, Store } from '../../../src/worker/store/store.ts'

const never = new Promise<never>(() => undefined)

/** A worker that can be killed: from then on its requests to the storage change nothing. */
export class Life {
  isOver = false

  async through<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.isOver) return never
    const value = await work()
    return this.isOver ? never : value
  }
}

export interface Death {
  readonly fact: FactType
  readonly when: 'before' | 'after'
  readonly die: () => void
}

/** Storage that outlives pages and workers, with simulated faults. */
export class Storage {
  /** Error with which appends are refused. Null: none. */
  fault: ErrorCode | null = null
  /** Selects the appends that are refused while there is a fault. Default: all. */
  faulty: ((append: Append) => boolean) | null = null
  /** Kills a worker or page at the next fact of a type. */
  death: Death | null = null
  readonly #store = createMemoryStore('store')

  /** The store, as one worker sees it. */
  seenBy(life: Life): Store {
    const store = this.#store
    return {
      claim: (...args) => life.through(() => store.claim(...args)),
      append: (append) => life.through(() => this.#append(append)),
      place: (...args) => life.through(() => store.place(...args)),
      read: (...args) => life.through(() => store.read(...args)),
      list: (...args) => life.through(() => store.list(...args)),
      get: (...args) => life.through(() => store.get(...args)),
      rename: (...args) => life.through(() => store.rename(...args)),
      mark: (...args) => life.through(() => store.mark(...args)),
      keepDraft: (...args) => life.through(() => store.keepDraft(...args)),
      draftOf: (...args) => life.through(() => store.draftOf(...args)),
      descendants: (...args) => life.through(() => store.descendants(...args)),
      delete: (...args) => life.through(() => store.delete(...args)),
      close: () => undefined,
    }
  }

  async #append(append: Append): Promise<readonly Row[]> {
    if (this.fault && (this.faulty?.(append) ?? true)) {
      throw new OffstageError(this.fault, 'The storage refuses.', { retryable: true })
    }
    const { death } = this
    if (!death || !append.rows.some(({ type }) => type === death.fact)) {
      return this.#store.append(append)
    }
    this.death = null
    if (death.when === 'before') {
      death.die()
      return never
    }
    const rows = await this.#store.append(append)
    death.die()
    return rows
  }

  async rows(conversationId: string): Promise<readonly Row[]> {
    return (await this.#store.read(conversationId)).rows as readonly Row[]
  }

  async conversationIds(): Promise<string[]> {
    return (await this.#store.list()).records.map(({ conversationId }) => conversationId).sort()
  }
}
