import { canonicalJson } from '../../lib/canonical-json.ts'
import { sha256 } from '../../lib/sha256.ts'
import { isCustomKey } from '../../protocol/conversation.ts'
import type { ClaimBook } from '../store/claim-book.ts'
import { nameOfClaim } from '../store/record.ts'
import type { Claim, ClaimOptions, Store } from '../store/store.ts'

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
  /** `seq` of the newest row. 0: there is none. */
  readonly lastSeq: number
}

type NoteList = 'approvals' | 'consents' | 'outputs'

/** Tells who made the newest claim on a conversation, in stores that other devices share. */
export class SharedClaims {
  readonly #options: SharedClaimsOptions

  constructor(options: SharedClaimsOptions) {
    this.#options = options
  }

  /** Whether other devices may claim the conversation. Locks don't cover those. */
  get isShared(): boolean {
    const { store, storage } = this.#options
    return store.follow !== undefined && isCustomKey(storage)
  }

  async newest(): Promise<NewestClaim> {
    const { store, conversationId } = this.#options
    const record = await store.get(conversationId)
    if (!record) return { epoch: 0, id: null, lastSeq: 0 }
    const { epoch, lastSeq } = record
    return { epoch, id: nameOfClaim(record), lastSeq }
  }

  /**
   * Whether the claim is this browser's, also from before a reload. `tabs`: newest epoch that its tabs announced as
   * their own.
   */
  async isOwn({ epoch, id }: Pick<NewestClaim, 'epoch' | 'id'>, tabs: number): Promise<boolean> {
    // Epochs of a store only grow, so a claim older than a tab's is over.
    if (id === null && epoch <= tabs) return true
    const own = await this.#options.claims.of(this.#key)
    if (id === null) return epoch === own.epoch
    // A tab's claim may be missing in the book. If the book has this epoch, only the id counts: a restored copy of the
    // store gives epochs again.
    return own.ids.includes(id) || (epoch === tabs && epoch !== own.epoch)
  }

  /** Claims the conversation, and notes the claim beforehand, in case the answer never arrives. */
  async claim(ask: (named: ClaimOptions) => Promise<Claim>): Promise<Claim> {
    if (!this.isShared) return ask({})
    const { claims, newId } = this.#options
    const id = (await claims.of(this.#key)).asked ?? newId('claim_')
    await claims.note(this.#key, { id, epoch: 0 })
    const claim = await ask({ claimId: id, attempt: newId('') })
    await claims.note(this.#key, { id, epoch: claim.epoch })
    return claim
  }

  /**
   * Notes what a person allowed or a tool returned in this browser. Rows don't prove that, since other devices write
   * rows, too.
   */
  async note(list: NoteList, what: unknown): Promise<void> {
    if (!this.isShared) return
    await this.#options.claims.note(`${this.#key}/${list}`, { id: await nameOf(what), epoch: 1 })
  }

  /**
   * Whether this browser noted `what`, and didn't note `end`, which voids it. Always true if only this browser's tabs
   * write. Both are in one list, so the end is forgotten last.
   */
  async isNoted(list: NoteList, what: unknown, end?: unknown): Promise<boolean> {
    if (!this.isShared) return true
    const { ids } = await this.#options.claims.of(`${this.#key}/${list}`)
    return ids.includes(await nameOf(what)) && !ids.includes(await nameOf(end))
  }

  get #key(): string {
    const { storage, conversationId } = this.#options
    return `${storage}/${conversationId}`
  }
}

/**
 * Name under which a value is noted. Values are hashed, so that an id written by others never equals the name of a
 * value. Ids aren't hashed, so an end counts at once.
 */
async function nameOf(what: unknown): Promise<string> {
  const name = canonicalJson(what)
  return typeof what !== 'string' && crypto.subtle ? sha256(name) : name
}
