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
 * A driver's ownership of its conversation. Released while the run waits, so that any tab may answer, and taken back
 * afterwards.
 */
export class RunLease {
  readonly #context: DrivenRun
  readonly #ownership: Leases
  #isHeld = true
  #acquiring: Promise<void> | null = null
  /** Last time that this worker was awake, on the monotonic clock. */
  #awakeAt: number

  /** Starts as held: the host takes the ownership before it creates the driver. */
  constructor(context: DrivenRun, ownership: Leases) {
    this.#context = context
    this.#ownership = ownership
    this.#awakeAt = context.effects.monotonic()
  }

  release(): void {
    this.#isHeld = false
    this.#ownership.release(this.#context.conversation.conversationId)
  }

  /** Tells other tabs that wait with this run to read its new state. */
  announce(): void {
    this.#ownership.announce(this.#context.conversation.conversationId)
  }

  /**
   * Checks, before anything is shown, that this worker still owns the run. Asks the store only after a long silence. A
   * tab that was frozen reads buffered network data, and may learn only later that another tab took over.
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
    // A storage that doesn't answer proves no new owner.
    const answer = isNewest().catch(() => true)
    const isOwned = (await resultWithin(ANSWER_MS, answer, effects)) ?? true
    if (!isOwned) onLost()
    return isOwned
  }

  /** Takes the lease back after a wait. Throws `conversation-busy` if another tab or device owns the run. */
  async reacquire(): Promise<void> {
    const { conversation } = this.#context
    const isElsewhere = !this.#isHeld && (await isClaimedElsewhere(conversation, this.#ownership))
    // A person's answer may have claimed the run meanwhile.
    if (isElsewhere && !this.#isHeld && this.#acquiring === null)
      throw otherOwnerError(conversation.conversationId)
    return this.acquire()
  }

  /**
   * Takes the lease. Throws `conversation-busy` if another tab owns the run. Another device loses its claim, unless it
   * writes at the same time, or `accepts` refuses the run as that device has left it (default: accepts).
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
      // This driver has left the run. A new claim would stop the owner that it was left to.
      if (stopsWithoutEnd(signal)) throw otherOwnerError(conversationId)
      await conversation.claim({ create: false, ...(await this.#claimConditions(accepts)) })
    } catch (error) {
      // A failed write to the storage must not block other tabs.
      this.#ownership.release(conversationId)
      throw error
    }
    this.#ownership.setEpoch(conversationId, conversation.claimed.epoch)
    this.#isHeld = true
  }

  /** Ties the claim to the newest stored state, so that a late claim can't stop an owner that was first. */
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
