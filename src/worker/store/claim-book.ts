import { within } from '../../lib/within.ts'
import { openDB, type DBSchema, type IDBPDatabase } from 'idb'

/**
 * The newest claims of this browser on conversations in stores that devices share, over reloads: a run that this browser
 * has claimed last is its own to go on with, any other is another device's.
 */
export interface ClaimBook {
  of(key: string): Promise<OwnClaims>
  /** Never rejects: what can't be kept is known until the worker ends. */
  note(key: string, claim: NotedClaim): Promise<void>
}

export interface NotedClaim {
  readonly id: string
  /** 0: it is asked for. The answer may never come, though the store has given it. */
  readonly epoch: number
}

export interface OwnClaims {
  /** The newest one that was answered. */
  readonly epoch: number
  /** The newest ones, asked for or given: an older copy of the store that is put back has one of them. */
  readonly ids: readonly string[]
  /** One of them that is asked for: until an answer comes, every claim is made with it, so that it stays here. */
  readonly asked: string | null
}

const MOST_IDS = 32

const NONE: OwnClaims = { epoch: 0, ids: [], asked: null }

/** Another tab may have claimed it since. */
function withClaim(known: OwnClaims, { id, epoch }: NotedClaim): OwnClaims {
  return {
    epoch: Math.max(epoch, known.epoch),
    ids: [...known.ids.filter((each) => each !== id), id].slice(-MOST_IDS),
    asked: epoch === 0 ? id : null,
  }
}

function together(one: OwnClaims, other: OwnClaims): OwnClaims {
  return {
    epoch: Math.max(one.epoch, other.epoch),
    ids: [...new Set([...other.ids, ...one.ids])],
    asked: one.asked ?? other.asked,
  }
}

/** As long as the script lives. */
export function memoryClaimBook(): ClaimBook {
  const claims = new Map<string, OwnClaims>()
  const of = (key: string): OwnClaims => claims.get(key) ?? NONE
  return {
    of: async (key) => of(key),
    async note(key, claim) {
      claims.set(key, withClaim(of(key), claim))
    },
  }
}

interface Schema extends DBSchema {
  /** Those of an older version have the epoch alone. */
  claims: { key: string; value: Partial<OwnClaims> }
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
  const read = async (key: string): Promise<OwnClaims> => ({
    ...NONE,
    ...(await (await database()).transaction('claims').store.get(key)),
  })
  const write = async (key: string, claim: NotedClaim): Promise<void> => {
    const tx = (await database()).transaction('claims', 'readwrite')
    await tx.store.put(withClaim({ ...NONE, ...(await tx.store.get(key)) }, claim), key)
    await tx.done
  }
  return {
    async of(key) {
      const [here, kept] = await Promise.all([known.of(key), patiently(read(key))])
      return kept ? together(kept, here) : here
    },
    async note(key, claim) {
      await known.note(key, claim)
      await patiently(write(key, claim))
    },
  }
}

function patiently<T>(asked: Promise<T>): Promise<T | null> {
  return within(
    asked.catch(() => null),
    PATIENCE,
  )
}
