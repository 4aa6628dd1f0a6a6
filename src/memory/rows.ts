import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import { describeThrown, OffstageError } from '../protocol/error.ts'
import type { StoredEntry } from './entry.ts'

/** What changes of a space at once. */
export interface Change {
  readonly put?: readonly StoredEntry[]
  readonly remove?: readonly string[]
}

/** The space that holds the index of a space's words, as one entry. */
export type WordsSpace = `words:${string}`

/** Where entries are kept. Rejections are `OffstageError`s. */
export interface Rows {
  /** Grows with each change of the space, whoever made it; 0: there was none. */
  version(space: string): Promise<number>
  read(space: string): Promise<{ readonly version: number; readonly entries: StoredEntry[] }>
  /**
   * All of it or nothing. False, and nothing changes: the space has another version than the one that the change
   * was decided on. True: it is one higher now. The stored index of the space's words is removed: it may hold words of
   * removed entries.
   */
  change(space: string, version: number, change: Change): Promise<boolean>
}

interface Schema extends DBSchema {
  entries: { key: [string, string]; value: StoredEntry }
  versions: { key: string; value: number }
}

/** Rows in an IndexedDB database of that name, which is opened with the first use. */
export function databaseRows(name: string): Rows {
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
      // Closed by the browser, perhaps: the next use opens it again.
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

/** The used part of a store of entries: its type depends on the mode of the transaction. */
interface Entries {
  getAll(range: IDBKeyRange): Promise<StoredEntry[]>
  put(entry: StoredEntry): Promise<unknown>
  delete(key: [string, string]): Promise<void>
}

/** The used part of the store of versions. */
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

/** Rows that are gone with the page. */
export function volatileRows(): Rows {
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
