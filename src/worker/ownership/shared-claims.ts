import { storageKey } from '../../protocol/conversation.ts'
import type { ClaimBook } from '../store/claim-book.ts'
import type { Store } from '../store/store.ts'

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
    return store.follow !== undefined && storage !== storageKey('memory')
  }

  /** The epoch of the newest claim, by whomever; 0: it isn't there. */
  async newest(): Promise<number> {
    const { store, conversationId } = this.#options
    return (await store.get(conversationId))?.epoch ?? 0
  }

  /** The epoch of this browser's newest claim, before a reload, too; 0: none is known. */
  own(): Promise<number> {
    return this.#options.claims.newest(this.#key)
  }

  async note(epoch: number): Promise<void> {
    if (this.isShared) await this.#options.claims.note(this.#key, epoch)
  }

  get #key(): string {
    const { storage, conversationId } = this.#options
    return `${storage}/${conversationId}`
  }
}
