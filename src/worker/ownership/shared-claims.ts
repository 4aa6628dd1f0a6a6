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

/** The newest claim, by whomever. */
export interface NewestClaim {
  /** 0: the conversation isn't there. */
  readonly epoch: number
  /** Null: the store doesn't keep it, or whoever claimed gave none. */
  readonly id: string | null
  /** Of the newest row; 0: there is none. */
  readonly lastSeq: number
}

type NoteList = 'approvals' | 'consents' | 'outputs'

/** Who has claimed a conversation last, where others than the tabs of this browser may. */
export class SharedClaims {
  readonly #options: SharedClaimsOptions

  constructor(options: SharedClaimsOptions) {
    this.#options = options
  }

  /** Others than the tabs of this browser may claim it, which no lock says. */
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

  /** Whether it is this browser's, before a reload, too. `tabs`: the newest epoch that its tabs have said to be theirs. */
  async isOwn({ epoch, id }: Pick<NewestClaim, 'epoch' | 'id'>, tabs: number): Promise<boolean> {
    // Of a store that only grows: what was claimed before a tab did is over.
    if (id === null && epoch <= tabs) return true
    const own = await this.#options.claims.of(this.#key)
    if (id === null) return epoch === own.epoch
    // A tab whose claim isn't in the book. One that is has its id: an older copy of the store gives epochs again.
    return own.ids.includes(id) || (epoch === tabs && epoch !== own.epoch)
  }

  /** Claims, and keeps that this browser did, also where it doesn't live to get the answer. */
  async claim(ask: (named: ClaimOptions) => Promise<Claim>): Promise<Claim> {
    if (!this.isShared) return ask({})
    const { claims, newId } = this.#options
    const id = (await claims.of(this.#key)).asked ?? newId('claim_')
    await claims.note(this.#key, { id, epoch: 0 })
    const claim = await ask({ claimId: id, attempt: newId('') })
    await claims.note(this.#key, { id, epoch: claim.epoch })
    return claim
  }

  /** Notes what a person of this browser allowed, or what a tool returned. Rows don't prove that: others write them, too. */
  async note(list: NoteList, what: unknown): Promise<void> {
    if (!this.isShared) return
    await this.#options.claims.note(`${this.#key}/${list}`, { id: await nameOf(what), epoch: 1 })
  }

  /**
   * Whether it was noted in this browser, and `end`, which voids it, was not. True where only this browser's tabs write.
   * Both are in one list: of the two, the end is forgotten last.
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

/** Others write much of what is named: an id of theirs never is the name of something else. Ids aren't hashed, so an end counts at once. */
async function nameOf(what: unknown): Promise<string> {
  const name = canonicalJson(what)
  return typeof what !== 'string' && crypto.subtle ? sha256(name) : name
}
