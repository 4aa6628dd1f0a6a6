import { resolveWithin } from '../../lib/sleep.ts'
import { openDB, type DBSchema, type IDBPDatabase } from 'idb'
import { canonicalJson } from '../../lib/json/canonical-json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { isCustomKey } from '../../protocol/conversation.ts'
import { claimIdOf } from './record.ts'
import type { Claim, ClaimOptions, Store } from './store.ts'

/**
 * Newest claims of this browser on conversations in shared stores, kept across reloads. The browser may resume a run if
 * it made the newest claim. Otherwise the run is another device's.
 */
export interface ClaimBook {
  of(key: string): Promise<OwnClaims>
  /** Notes a claim. Never rejects: a claim that can't be stored is remembered until the worker ends. */
  note(key: string, claim: NotedClaim): Promise<void>
}

export interface NotedClaim {
  readonly id: string
  /** 0 until the store answers. The answer may never come, even if the store has granted the claim. */
  readonly epoch: number
}

export interface OwnClaims {
  /** Newest epoch that the store answered with. */
  readonly epoch: number
  /** Newest claim ids, requested or granted. If an older copy of the store is restored, it has an older id. */
  readonly ids: readonly string[]
  /**
   * Id of a claim that isn't answered yet. Until an answer comes, every new claim has this id, so that it stays in
   * `ids`.
   */
  readonly asked: string | null
}

const MAX_IDS = 32

const NO_CLAIMS: OwnClaims = { epoch: 0, ids: [], asked: null }

/** Adds a claim. Keeps the larger epoch, since another tab may have claimed the conversation meanwhile. */
function withClaim(claims: OwnClaims, { id, epoch }: NotedClaim): OwnClaims {
  return {
    epoch: Math.max(epoch, claims.epoch),
    ids: [...claims.ids.filter((each) => each !== id), id].slice(-MAX_IDS),
    asked: epoch === 0 ? id : null,
  }
}

function mergeClaims(a: OwnClaims, b: OwnClaims): OwnClaims {
  return {
    epoch: Math.max(a.epoch, b.epoch),
    ids: [...new Set([...b.ids, ...a.ids])],
    asked: a.asked ?? b.asked,
  }
}

/** Claim book in memory, for as long as the script lives. */
export function memoryClaimBook(): ClaimBook {
  const claims = new Map<string, OwnClaims>()
  const get = (key: string): OwnClaims => claims.get(key) ?? NO_CLAIMS
  return {
    of: async (key) => get(key),
    async note(key, claim) {
      claims.set(key, withClaim(get(key), claim))
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
const TIMEOUT_MS = 2000

/**
 * Claim book in IndexedDB, in a database of its own: conversations may be stored elsewhere. Without IndexedDB, in
 * memory.
 */
export function storedClaimBook(): ClaimBook {
  const memoryBook = memoryClaimBook()
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
    ...NO_CLAIMS,
    ...(await (await database()).transaction('claims').store.get(key)),
  })
  const write = async (key: string, claim: NotedClaim): Promise<void> => {
    const tx = (await database()).transaction('claims', 'readwrite')
    await tx.store.put(withClaim({ ...NO_CLAIMS, ...(await tx.store.get(key)) }, claim), key)
    await tx.done
  }
  return {
    async of(key) {
      const [inMemory, stored] = await Promise.all([memoryBook.of(key), withTimeout(read(key))])
      return stored ? mergeClaims(stored, inMemory) : inMemory
    },
    async note(key, claim) {
      await memoryBook.note(key, claim)
      await withTimeout(write(key, claim))
    },
  }
}

function withTimeout<T>(request: Promise<T>): Promise<T | null> {
  return resolveWithin(
    request.catch(() => null),
    TIMEOUT_MS,
  )
}

export interface SharedClaimsOptions {
  readonly conversationId: string
  /** The store's key. */
  readonly storage: string
  readonly store: Pick<Store, 'get' | 'follow'>
  readonly claims: ClaimBook
  readonly newId: (prefix: string) => string
}

/** The newest claim on a conversation, by anybody. */
export interface NewestClaim {
  /** 0: the conversation doesn't exist. */
  readonly epoch: number
  /** Null if the store doesn't keep ids, or the claim had none. */
  readonly id: string | null
  /** `seq` of the conversation's newest row. 0 if the conversation has no rows. */
  readonly lastSeq: number
}

type NoteList = 'approvals' | 'consents' | 'outputs'

/** Tells who made the newest claim on a conversation, in stores that other devices share. */
export class SharedClaims {
  readonly #options: SharedClaimsOptions

  constructor(options: SharedClaimsOptions) {
    this.#options = options
  }

  /** Whether other devices, which locks don't cover, may claim the conversation. */
  get isShared(): boolean {
    const { store, storage } = this.#options
    return store.follow !== undefined && isCustomKey(storage)
  }

  async newest(): Promise<NewestClaim> {
    const { store, conversationId } = this.#options
    const record = await store.get(conversationId)
    if (!record) return { epoch: 0, id: null, lastSeq: 0 }
    const { epoch, lastSeq } = record
    return { epoch, id: claimIdOf(record), lastSeq }
  }

  /**
   * Whether this browser made the claim, even before a reload. `tabs`: newest epoch that this browser's tabs announced
   * as their own.
   */
  async isOwn({ epoch, id }: Pick<NewestClaim, 'epoch' | 'id'>, tabs: number): Promise<boolean> {
    // Epochs of a store only grow, so no other device has claimed after this browser's tabs.
    if (id === null && epoch <= tabs) return true
    const noted = await this.#options.claims.of(this.#key)
    if (id === null) return epoch === noted.epoch
    // A tab's claim may be missing in the book, so its epoch counts, too. If the book has that epoch, only the id
    // counts: a restored older store repeats epochs.
    return noted.ids.includes(id) || (epoch === tabs && epoch !== noted.epoch)
  }

  /** Claims the conversation, and notes the claim beforehand, in case the answer never arrives. */
  async claim(claimStore: (identity: ClaimOptions) => Promise<Claim>): Promise<Claim> {
    if (!this.isShared) return claimStore({})
    const { claims, newId } = this.#options
    const id = (await claims.of(this.#key)).asked ?? newId('claim_')
    await claims.note(this.#key, { id, epoch: 0 })
    const claim = await claimStore({ claimId: id, attempt: newId('') })
    await claims.note(this.#key, { id, epoch: claim.epoch })
    return claim
  }

  /**
   * Notes what a person allowed or a tool returned in this browser. Rows don't prove that, since other devices write
   * rows, too.
   */
  async note(list: NoteList, value: unknown): Promise<void> {
    if (!this.isShared) return
    await this.#options.claims.note(`${this.#key}/${list}`, { id: await noteId(value), epoch: 1 })
  }

  /**
   * Whether this browser noted `value` but not `end`, which voids it. Always true if only this browser's tabs write.
   * Both are in one list of limited length, so `end`, noted later, is forgotten last.
   */
  async isNoted(list: NoteList, value: unknown, end?: unknown): Promise<boolean> {
    if (!this.isShared) return true
    const { ids } = await this.#options.claims.of(`${this.#key}/${list}`)
    return ids.includes(await noteId(value)) && !ids.includes(await noteId(end))
  }

  get #key(): string {
    const { storage, conversationId } = this.#options
    return `${storage}/${conversationId}`
  }
}

/**
 * Name under which a value is noted. Values are hashed, so that no id from others equals a value's name. Ids aren't
 * hashed: an end must count at once.
 */
async function noteId(value: unknown): Promise<string> {
  const name = canonicalJson(value)
  return typeof value !== 'string' && crypto.subtle ? sha256(name) : name
}
