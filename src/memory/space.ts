import { createSerialQueue } from '../lib/serial-queue.ts'
import type { StoredEntry } from './entry.ts'
import { loadMemoryPart } from './memory-part.ts'
import type { Change, EntryStore } from './rows.ts'
import type { SpaceIndex } from './space-index.ts'

/** The entries of one space, kept up to date with other tabs' changes. */
export class Space {
  readonly name: string
  readonly #rows: EntryStore
  readonly #entries = new Map<string, StoredEntry>()
  readonly #enqueue = createSerialQueue()
  #index: SpaceIndex | null = null
  #version = 0

  constructor(name: string, rows: EntryStore) {
    this.name = name
    this.#rows = rows
  }

  /** Returns the current entries of the store. Doesn't build the index, which only searches need. */
  async entries(): Promise<ReadonlyMap<string, StoredEntry>> {
    await this.#enqueue(() => this.#catchUp())
    return this.#entries
  }

  /** Entries that contain words of the query, best first. */
  find(query: string): Promise<readonly StoredEntry[]> {
    return this.#enqueue(async () => {
      await this.#catchUp()
      if (this.#index === null) {
        const { openIndex } = await loadMemoryPart(() => import('./space-index.ts'))
        this.#index = await openIndex(this.#rows, this.name, {
          version: this.#version,
          entries: this.#entries,
        })
      }
      this.#version = await this.#index.save(this.#version)
      return this.#index.find(query).flatMap((id) => this.#entries.get(id) ?? [])
    })
  }

  /**
   * Stores the change that `decide` returns for the current entries. Calls `decide` again if another tab writes first.
   */
  change<Decided extends Change>(
    decide: (entries: ReadonlyMap<string, StoredEntry>) => Decided,
  ): Promise<Decided> {
    return this.#enqueue(async () => {
      for (;;) {
        await this.#catchUp()
        const change = decide(this.#entries)
        const isEmpty = !change.put?.length && !change.remove?.length
        if (isEmpty) return change
        // False means that another tab wrote first.
        if (await this.#rows.change(this.name, this.#version, change)) {
          await this.#apply(change)
          this.#version++
          return change
        }
      }
    })
  }

  async #catchUp(): Promise<void> {
    if ((await this.#rows.version(this.name)) === this.#version) return
    const { version, entries } = await this.#rows.read(this.name)
    const current = new Map(entries.map((entry) => [entry.id, entry]))
    const isChanged = (entry: StoredEntry): boolean => {
      const cached = this.#entries.get(entry.id)
      // Another tab may have marked the entry within the same millisecond.
      const isSameTaint = cached?.untrusted === entry.untrusted
      return cached?.text !== entry.text || cached.at !== entry.at || !isSameTaint
    }
    await this.#apply({
      put: entries.filter(isChanged),
      remove: [...this.#entries.keys()].filter((id) => !current.has(id)),
    })
    this.#version = version
  }

  async #apply({ put = [], remove = [] }: Change): Promise<void> {
    for (const id of [...remove, ...put.map((entry) => entry.id)]) {
      this.#index?.remove(id)
      this.#entries.delete(id)
    }
    for (const entry of put) this.#entries.set(entry.id, entry)
    await this.#index?.add(put)
  }
}

/** Spaces of one store by name, each made once. */
export function spacesIn(rows: EntryStore): (name: string) => Space {
  const spaces = new Map<string, Space>()
  return (name) => {
    const space = spaces.get(name) ?? new Space(name, rows)
    spaces.set(name, space)
    return space
  }
}
