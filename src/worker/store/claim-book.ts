import { openDB, type DBSchema, type IDBPDatabase } from 'idb'

/**
 * The newest claims of this browser on conversations in stores that devices share, over reloads: a run that this browser
 * has claimed last is its own to go on with, any other is another device's.
 */
export interface ClaimBook {
  /** The epoch of the newest claim; 0: none is known. */
  newest(key: string): Promise<number>
  /** Never rejects: what can't be kept is known until the worker ends. */
  note(key: string, epoch: number): Promise<void>
}

/** As long as the script lives. */
export function memoryClaimBook(claims: Map<string, number> = new Map()): ClaimBook {
  return {
    newest: async (key) => claims.get(key) ?? 0,
    async note(key, epoch) {
      claims.set(key, Math.max(epoch, claims.get(key) ?? 0))
    },
  }
}

interface Schema extends DBSchema {
  claims: { key: string; value: number }
}

type Database = Pick<IDBPDatabase<Schema>, 'close' | 'transaction'>

const DATABASE = 'offstage-claims'
/** What a browser that keeps nothing, or is slow at it, may hold up. Milliseconds. */
const PATIENCE = 2000

/** In IndexedDB, apart from conversations: their stores may be elsewhere. Where there is none, in memory. */
export function storedClaimBook(): ClaimBook {
  const known = memoryClaimBook()
  let opening: Promise<Database> | null = null
  const database = (): Promise<Database> => {
    opening ??= openDB<Schema>(DATABASE, 1, {
      upgrade: (db) => void db.createObjectStore('claims'),
      blocking: (_current, _wanted, event) => {
        ;(event.target as IDBDatabase).close()
        opening = null
      },
      terminated: () => (opening = null),
    })
    opening.catch(() => (opening = null))
    return opening
  }
  const read = async (key: string): Promise<number> =>
    (await (await database()).transaction('claims').store.get(key)) ?? 0
  const write = async (key: string, epoch: number): Promise<number> => {
    const tx = (await database()).transaction('claims', 'readwrite')
    // Another tab may have claimed it since.
    const newest = Math.max(epoch, (await tx.store.get(key)) ?? 0)
    await tx.store.put(newest, key)
    await tx.done
    return newest
  }
  return {
    async newest(key) {
      return Math.max(await known.newest(key), await orZero(read(key)))
    },
    async note(key, epoch) {
      await known.note(key, epoch)
      await orZero(write(key, epoch))
    },
  }
}

async function orZero(asked: Promise<number>): Promise<number> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<number>((resolve) => {
    timer = setTimeout(resolve, PATIENCE, 0)
  })
  try {
    return await Promise.race([asked.catch(() => 0), late])
  } finally {
    clearTimeout(timer)
  }
}
