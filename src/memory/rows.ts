import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { StoredEntry } from './entry.ts'

/** Changes of a space that are stored at once. */
export interface Change {
  readonly put?: readonly StoredEntry[]
  readonly remove?: readonly string[]
}

/** Space that contains the word index of another space, as one entry. */
export type WordsSpace = `words:${string}`

/** A store of entries. Rejections are `OffstageError`s. */
export interface EntryStore {
  /** Version of the space, which grows with each change by any tab; 0 if there was none. */
  version(space: string): Promise<number>
  read(space: string): Promise<{ readonly version: number; readonly entries: StoredEntry[] }>
  /**
   * Stores a whole change and resolves to true; the version grows by one. If the space no longer has the given version,
   * resolves to false and changes nothing. Removes the stored word index of the space, which may contain words of
   * removed entries.
   */
  change(space: string, version: number, change: Change): Promise<boolean>
}

interface Schema extends DBSchema {
  entries: { key: [string, string]; value: StoredEntry }
  versions: { key: string; value: number }
}

/** A store in an IndexedDB database of this name, opened at the first use. */
export function createDatabaseStore(name: string): EntryStore {
  let opening: Promise<IDBPDatabase<Schema>> | null = null
  const close = (): void => {
    opening?.then(
      (database) => database.close(),
      () => undefined,
    )
    opening = null
  }
  const openDatabase = (): Promise<IDBPDatabase<Schema>> =>
    openDB<Schema>(`offstage-memory:${name}`, 1, {
      upgrade(database) {
        database.createObjectStore('entries', { keyPath: ['space', 'id'] })
        database.createObjectStore('versions')
      },
      blocking: close,
      terminated: close,
    })
  const withTransaction = async <Result>(
    mode: 'readonly' | 'readwrite',
    work: (entries: Entries, versions: Versions) => Promise<Result>,
  ): Promise<Result> => {
    try {
      opening ??= openDatabase()
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
    version: (space) =>
      withTransaction('readonly', async (_, versions) => (await versions.get(space)) ?? 0),
    read: (space) =>
      withTransaction('readonly', async (entries, versions) => ({
        version: (await versions.get(space)) ?? 0,
        entries: await entries.getAll(IDBKeyRange.bound([space], [space, []])),
      })),
    change: (space, version, { put = [], remove = [] }) =>
      withTransaction('readwrite', async (entries, versions) => {
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

/** A store in RAM, lost with the page. */
export function createInMemoryStore(): EntryStore {
  const spaces = new Map<string, { version: number; entries: Map<string, StoredEntry> }>()
  const spaceOf = (space: string): { version: number; entries: Map<string, StoredEntry> } => {
    const stored = spaces.get(space) ?? { version: 0, entries: new Map() }
    spaces.set(space, stored)
    return stored
  }
  return {
    version: async (space) => spaceOf(space).version,
    read: async (space) => ({
      version: spaceOf(space).version,
      entries: [...spaceOf(space).entries.values()],
    }),
    async change(space, version, { put = [], remove = [] }) {
      const stored = spaceOf(space)
      if (stored.version !== version) return false
      for (const entry of put) spaceOf(entry.space).entries.set(entry.id, entry)
      for (const id of remove) stored.entries.delete(id)
      stored.version++
      return true
    },
  }
}
