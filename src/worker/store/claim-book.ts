import { within } from '../../lib/sleep.ts'
import { openDB, type DBSchema, type IDBPDatabase } from 'idb'

/**
 * This browser's newest claims on conversations in shared stores, kept across reloads. This browser may resume a run if
 * the newest claim is its own. Any other run is another device's.
 */
export interface ClaimBook {
  of(key: string): Promise<OwnClaims>
  /** Notes a claim. Never rejects: a claim that can't be stored is remembered until the worker ends. */
  note(key: string, claim: NotedClaim): Promise<void>
}

export interface NotedClaim {
  readonly id: string
  /** 0 while the claim is requested. The answer may never come, though the store has granted the claim. */
  readonly epoch: number
}

export interface OwnClaims {
  /** Newest epoch that the store answered with. */
  readonly epoch: number
  /** Newest ids, requested or granted. A restored older copy of the store has one of them. */
  readonly ids: readonly string[]
  /**
   * Id that was requested without an answer yet. Every claim uses it until an answer comes, so that it stays in the
   * list.
   */
  readonly asked: string | null
}

const MOST_IDS = 32

const NONE: OwnClaims = { epoch: 0, ids: [], asked: null }

/** Adds a claim. Keeps the larger epoch, since another tab may have claimed the conversation since. */
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

/** Claim book in memory, for as long as the script lives. */
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
  /** Entries of an older version have only the epoch. */
  claims: { key: string; value: Partial<OwnClaims> }
}

type Database = Pick<IDBPDatabase<Schema>, 'close' | 'transaction'>

const DATABASE = 'offstage-claims'
/** Longest wait for the browser's database, which may be missing or slow. Milliseconds. */
const PATIENCE = 2000

/**
 * Claim book in IndexedDB, in a database of its own: conversations may be stored elsewhere. Without IndexedDB, in
 * memory.
 */
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
