import { isCustomKey } from '../../protocol/conversation.ts'
import { OffstageError } from '../../protocol/error.ts'
import type { ClaimBook } from '../store/claim-book.ts'
import type { Claim, Store } from '../store/store.ts'

export interface SharedClaimsOptions {
  readonly conversationId: string
  /** The store's key. */
  readonly storage: string
  readonly store: Pick<Store, 'get' | 'follow'>
  readonly claims: ClaimBook
}

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

  /** The epoch of the newest claim, by whomever; 0: it isn't there. */
  async newest(): Promise<number> {
    const { store, conversationId } = this.#options
    return (await store.get(conversationId))?.epoch ?? 0
  }

  /** Whether a claim with this epoch may be this browser's, before a reload, too. */
  async isOwn(epoch: number): Promise<boolean> {
    const own = await this.#options.claims.newest(this.#key)
    // An older one than what is known here is another store's, or of an older copy that was put back.
    return own !== null && (own.isAsked || own.epoch === epoch)
  }

  /** Claims, and keeps that this browser did, also where it doesn't live to get the answer. */
  async claim(ask: () => Promise<Claim>): Promise<Claim> {
    if (!this.isShared) return ask()
    const { claims } = this.#options
    await claims.note(this.#key, { epoch: 0, isAsked: true })
    try {
      const claim = await ask()
      await claims.note(this.#key, { epoch: claim.epoch, isAsked: false })
      return claim
    } catch (error) {
      const isKnown = OffstageError.is(error) && !error.code.startsWith('storage-')
      if (isKnown) await claims.note(this.#key, { epoch: 0, isAsked: false })
      throw error
    }
  }

  get #key(): string {
    const { storage, conversationId } = this.#options
    return `${storage}/${conversationId}`
  }
}
