import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { StoredEntry } from './entry.ts'

/** What changes of a space at once. */
export interface Change {
  readonly put?: readonly StoredEntry[]
  readonly remove?: readonly string[]
}

/** Where entries are kept. Rejections are `OffstageError`s. */
export interface Rows {
  /** Grows with each change of the space, whoever made it; 0: there was none. */
  version(space: string): Promise<number>
  read(space: string): Promise<{ readonly version: number; readonly entries: StoredEntry[] }>
  /** All of it or nothing, on what the space holds then. Resolves to the version after it. */
  change(
    space: string,
    decide: (entries: ReadOne) => Change | Promise<Change>,
  ): Promise<{ readonly version: number; readonly change: Change }>
}

/** Of the space that is being changed. */
export type ReadOne = (id: string) => Promise<StoredEntry | undefined>

interface Schema extends DBSchema {
  entries: { key: [string, string]; value: StoredEntry }
  versions: { key: string; value: number }
}

/** Rows in an IndexedDB database of that name, which is opened with the first use. */
export function databaseRows(name: string): Rows {
  let opening: Promise<IDBPDatabase<Schema>> | null = null
  const forget = (): void => {
    opening = null
  }
  const open = (): Promise<IDBPDatabase<Schema>> =>
    openDB<Schema>(`offstage-memory:${name}`, 1, {
      upgrade(database) {
        database.createObjectStore('entries', { keyPath: ['space', 'id'] })
        database.createObjectStore('versions')
      },
      blocking: (_current, _blocked, event) => {
        ;(event.target as unknown as IDBDatabase).close()
        forget()
      },
      terminated: forget,
    })
  const use = async <Result>(
    mode: 'readonly' | 'readwrite',
    work: (stores: Stores) => Promise<Result>,
  ): Promise<Result> => {
    try {
      opening ??= open()
      const tx = (await opening).transaction(['entries', 'versions'], mode)
      const [result] = await Promise.all([work(tx as unknown as Stores), tx.done])
      return result
    } catch (error) {
      // Closed by the browser, perhaps: the next use opens it again.
      forget()
      throw storageError(error)
    }
  }
  return {
    version: (space) =>
      use('readonly', async (tx) => (await tx.objectStore('versions').get(space)) ?? 0),
    read: (space) =>
      use('readonly', async (tx) => ({
        version: (await tx.objectStore('versions').get(space)) ?? 0,
        entries: await tx.objectStore('entries').getAll(rangeOf(space)),
      })),
    change: (space, decide) =>
      use('readwrite', async (tx) => {
        const entries = tx.objectStore('entries')
        const change = await decide((id) => entries.get([space, id]))
        for (const entry of change.put ?? []) void entries.put(entry)
        for (const id of change.remove ?? []) void entries.delete([space, id])
        const version = ((await tx.objectStore('versions').get(space)) ?? 0) + 1
        await tx.objectStore('versions').put(version, space)
        return { version, change }
      }),
  }
}

/** Of the transaction, what is used: in its modes it has other types. */
interface Stores {
  objectStore(name: 'entries'): {
    get(key: [string, string]): Promise<StoredEntry | undefined>
    getAll(range: IDBKeyRange): Promise<StoredEntry[]>
    put(entry: StoredEntry): Promise<unknown>
    delete(key: [string, string]): Promise<void>
  }
  objectStore(name: 'versions'): {
    get(key: string): Promise<number | undefined>
    put(version: number, key: string): Promise<unknown>
  }
}

function rangeOf(space: string): IDBKeyRange {
  return IDBKeyRange.bound([space], [space, []])
}

function storageError(error: unknown): OffstageError {
  if (OffstageError.is(error)) return error
  const isFull = error instanceof Error && error.name === 'QuotaExceededError'
  return new OffstageError(
    isFull ? 'storage-full' : 'storage-failed',
    `The memory could not be read or written: ${describeThrown(error)}`,
    { retryable: true, cause: error },
  )
}

/** Rows that are gone with the page. */
export function volatileRows(): Rows {
  const spaces = new Map<string, { version: number; entries: Map<string, StoredEntry> }>()
  const at = (space: string): { version: number; entries: Map<string, StoredEntry> } => {
    const known = spaces.get(space) ?? { version: 0, entries: new Map() }
    spaces.set(space, known)
    return known
  }
  let turn: Promise<unknown> = Promise.resolve()
  return {
    version: async (space) => at(space).version,
    read: async (space) => ({
      version: at(space).version,
      entries: [...at(space).entries.values()],
    }),
    change(space, decide) {
      const changed = turn.then(async () => {
        const kept = at(space)
        const change = await decide(async (id) => kept.entries.get(id))
        for (const entry of change.put ?? []) kept.entries.set(entry.id, entry)
        for (const id of change.remove ?? []) kept.entries.delete(id)
        return { version: ++kept.version, change }
      })
      turn = changed.catch(() => undefined)
      return changed
    },
  }
}
