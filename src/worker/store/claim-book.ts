import { openDB, type DBSchema, type IDBPDatabase } from 'idb'

/**
 * The newest claims of this browser on conversations in stores that devices share, over reloads: a run that this browser
 * has claimed last is its own to go on with, any other is another device's.
 */
export interface ClaimBook {
  /** The newest claim; null: none is known. */
  newest(key: string): Promise<OwnClaim | null>
  /** Never rejects: what can't be kept is known until the worker ends. `epoch`: 0 if there is none yet. */
  note(key: string, claim: OwnClaim): Promise<void>
}

export interface OwnClaim {
  readonly epoch: number
  /** One is asked for, of which the answer may never come: the store may have given it all the same. */
  readonly isAsked: boolean
}

/** Another tab may have claimed it since. */
function newer(claim: OwnClaim, known: OwnClaim | null | undefined): OwnClaim {
  return { ...claim, epoch: Math.max(claim.epoch, known?.epoch ?? 0) }
}

/** As long as the script lives. */
export function memoryClaimBook(claims: Map<string, OwnClaim> = new Map()): ClaimBook {
  return {
    newest: async (key) => claims.get(key) ?? null,
    async note(key, claim) {
      claims.set(key, newer(claim, claims.get(key)))
    },
  }
}

interface Schema extends DBSchema {
  claims: { key: string; value: OwnClaim }
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
  const read = async (key: string): Promise<OwnClaim | null> =>
    (await (await database()).transaction('claims').store.get(key)) ?? null
  const write = async (key: string, claim: OwnClaim): Promise<null> => {
    const tx = (await database()).transaction('claims', 'readwrite')
    await tx.store.put(newer(claim, await tx.store.get(key)), key)
    await tx.done
    return null
  }
  return {
    async newest(key) {
      const [here, kept] = await Promise.all([known.newest(key), orNull(read(key))])
      return here && kept ? newer(kept, here) : (kept ?? here)
    },
    async note(key, claim) {
      await known.note(key, claim)
      await orNull(write(key, claim))
    },
  }
}

async function orNull<T>(asked: Promise<T | null>): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, PATIENCE, null)
  })
  try {
    return await Promise.race([asked.catch(() => null), late])
  } finally {
    clearTimeout(timer)
  }
}
