import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { StoredEntry } from './entry.ts'

/** Changes of a space that are stored at once. */
export interface Change {
  readonly put?: readonly StoredEntry[]
  readonly remove?: readonly string[]
}

/** Space for the index of another space's words, as one entry. */
export type WordsSpace = `words:${string}`

/** A store of entries. Rejections are `OffstageError`s. */
export interface EntryStore {
  /** Version of the space, which grows with each change by any tab; 0 if there was none. */
  version(space: string): Promise<number>
  read(space: string): Promise<{ readonly version: number; readonly entries: StoredEntry[] }>
  /**
   * Stores a change as a whole, and resolves to true. The version grows by one. Resolves to false, without an effect,
   * if the space no longer has the given version. Removes the stored index of the space's words, which may hold words
   * of removed entries.
   */
  change(space: string, version: number, change: Change): Promise<boolean>
}

interface Schema extends DBSchema {
  entries: { key: [string, string]; value: StoredEntry }
  versions: { key: string; value: number }
}

/** Rows in an IndexedDB database of this name. It's opened at the first use. */
export function createDatabaseStore(name: string): EntryStore {
  let opening: Promise<IDBPDatabase<Schema>> | null = null
  const close = (): void => {
    opening?.then(
      (database) => database.close(),
      () => undefined,
    )
    opening = null
  }
  const open = (): Promise<IDBPDatabase<Schema>> =>
    openDB<Schema>(`offstage-memory:${name}`, 1, {
      upgrade(database) {
        database.createObjectStore('entries', { keyPath: ['space', 'id'] })
        database.createObjectStore('versions')
      },
      blocking: close,
      terminated: close,
    })
  const use = async <Result>(
    mode: 'readonly' | 'readwrite',
    work: (entries: Entries, versions: Versions) => Promise<Result>,
  ): Promise<Result> => {
    try {
      opening ??= open()
      const tx = (await opening).transaction(['entries', 'versions'], mode)
      const [result] = await Promise.all([
        work(
          tx.objectStore('entries') as unknown as Entries,
          tx.objectStore('versions') as unknown as Versions,
        ),
        tx.done,
      ])
      return result
    } catch (error) {
      // The browser may have closed the database: the next use opens it again.
      close()
      throw storageError(error)
    }
  }
  return {
    version: (space) => use('readonly', async (_, versions) => (await versions.get(space)) ?? 0),
    read: (space) =>
      use('readonly', async (entries, versions) => ({
        version: (await versions.get(space)) ?? 0,
        entries: await entries.getAll(IDBKeyRange.bound([space], [space, []])),
      })),
    change: (space, version, { put = [], remove = [] }) =>
      use('readwrite', async (entries, versions) => {
        if (((await versions.get(space)) ?? 0) !== version) return false
        await Promise.all([
          entries.delete([`words:${space}` satisfies WordsSpace, '']),
          ...put.map((entry) => entries.put(entry)),
          ...remove.map((id) => entries.delete([space, id])),
          versions.put(version + 1, space),
        ])
        return true
      }),
  }
}

/** The methods used of the store of entries. The full type depends on the transaction's mode. */
interface Entries {
  getAll(range: IDBKeyRange): Promise<StoredEntry[]>
  put(entry: StoredEntry): Promise<unknown>
  delete(key: [string, string]): Promise<void>
}

/** The methods used of the store of versions. */
interface Versions {
  get(key: string): Promise<number | undefined>
  put(version: number, key: string): Promise<unknown>
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

/** Rows in memory, lost with the page. */
export function createInMemoryStore(): EntryStore {
  const spaces = new Map<string, { version: number; entries: Map<string, StoredEntry> }>()
  const at = (space: string): { version: number; entries: Map<string, StoredEntry> } => {
    const known = spaces.get(space) ?? { version: 0, entries: new Map() }
    spaces.set(space, known)
    return known
  }
  return {
    version: async (space) => at(space).version,
    read: async (space) => ({
      version: at(space).version,
      entries: [...at(space).entries.values()],
    }),
    async change(space, version, { put = [], remove = [] }) {
      const kept = at(space)
      if (kept.version !== version) return false
      for (const entry of put) at(entry.space).entries.set(entry.id, entry)
      for (const id of remove) kept.entries.delete(id)
      kept.version++
      return true
    },
  }
}
