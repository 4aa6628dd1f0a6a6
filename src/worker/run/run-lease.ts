import type { RunState } from '../../protocol/state.ts'
import type { ClaimOptions } from '../store/store.ts'
import { stopsWithoutEnd, type DrivenRun } from './run-context.ts'
import {
  otherOwnerError,
  isClaimedElsewhere,
  otherDeviceError,
  type Leases,
} from '../ownership/leases.ts'
import { ANSWER_MS, SILENCE_MS } from '../ownership/lease.ts'
import { resultWithin } from '../stopping.ts'

type AcceptsRun = (run: RunState | null) => boolean

/**
 * A driver's ownership of its conversation. While the run waits, the lease is released, so that any tab can answer.
 * Afterwards, the driver acquires it again.
 */
export class RunLease {
  readonly #context: DrivenRun
  readonly #ownership: Leases
  #isHeld = true
  #acquiring: Promise<void> | null = null
  /** Time of the last `confirm` call, on the monotonic clock. */
  #awakeAt: number

  /** Starts as held, because the host acquires the ownership before it creates the driver. */
  constructor(context: DrivenRun, ownership: Leases) {
    this.#context = context
    this.#ownership = ownership
    this.#awakeAt = context.effects.monotonic()
  }

  release(): void {
    this.#isHeld = false
    this.#ownership.release(this.#context.conversation.conversationId)
  }

  /** Tells other tabs that drive this waiting run, too, to read its new state. */
  announce(): void {
    this.#ownership.announce(this.#context.conversation.conversationId)
  }

  /**
   * Checks that this worker still owns the run, before it shows streamed output. Asks the store only after a long
   * silence: a tab that was frozen may read buffered network data before it learns of a takeover.
   */
  confirm(onLost: () => void): Promise<boolean> | true {
    const now = this.#context.effects.monotonic()
    const silence = now - this.#awakeAt
    this.#awakeAt = now
    return silence < SILENCE_MS / 2 || this.#isStillOwner(onLost)
  }

  async #isStillOwner(onLost: () => void): Promise<boolean> {
    const { conversation, effects } = this.#context
    const isNewest = async (): Promise<boolean> =>
      (await conversation.claims.newest()).epoch <= conversation.claimed.epoch
    // If the storage doesn't answer, this worker counts as the owner.
    const answer = isNewest().catch(() => true)
    const isOwned = (await resultWithin(ANSWER_MS, answer, effects)) ?? true
    if (!isOwned) onLost()
    return isOwned
  }

  /** Acquires the lease again after a wait. Throws `conversation-busy` if another tab or device owns the run. */
  async reacquire(): Promise<void> {
    const { conversation } = this.#context
    const isElsewhere = !this.#isHeld && (await isClaimedElsewhere(conversation, this.#ownership))
    // A person's answer may have acquired the lease for this driver while the store was read.
    if (isElsewhere && !this.#isHeld && this.#acquiring === null)
      throw otherOwnerError(conversation.conversationId)
    return this.acquire()
  }

  /**
   * Acquires the lease. Throws `conversation-busy` if another tab owns the run. Replaces the claim of another device.
   * The replacement fails if that device writes at the same time, or if `accepts` refuses the run's newest state
   * (default: accepts).
   */
  async acquire(accepts: AcceptsRun = () => true): Promise<void> {
    if (this.#isHeld) return
    this.#acquiring ??= this.#claim(accepts).finally(() => {
      this.#acquiring = null
    })
    return this.#acquiring
  }

  async #claim(accepts: AcceptsRun): Promise<void> {
    const { conversation, signal } = this.#context
    const { conversationId } = conversation
    if (!(await this.#ownership.acquire(conversationId))) throw otherOwnerError(conversationId)
    try {
      // A driver that has left the run must not claim it again: the claim would stop the new owner.
      if (stopsWithoutEnd(signal)) throw otherOwnerError(conversationId)
      await conversation.claim({ create: false, ...(await this.#claimConditions(accepts)) })
    } catch (error) {
      // A failed claim must not block other tabs.
      this.#ownership.release(conversationId)
      throw error
    }
    this.#ownership.setEpoch(conversationId, conversation.claimed.epoch)
    this.#isHeld = true
  }

  /** Makes the claim conditional on the newest stored state, so that a late claim can't stop an earlier owner. */
  async #claimConditions(accepts: AcceptsRun): Promise<ClaimOptions> {
    const { conversation } = this.#context
    const { claims, conversationId } = conversation
    if (!claims.isShared) return {}
    const newest = await claims.newest()
    const { epoch: ifEpoch, lastSeq: ifSeq } = newest
    if (!(await isClaimedElsewhere(conversation, this.#ownership, newest))) return { ifEpoch }
    await conversation.refresh({ isOwner: false })
    if (!accepts(conversation.run)) throw otherDeviceError(conversationId)
    return { ifEpoch, ifSeq }
  }
}
