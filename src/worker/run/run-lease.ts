import type { RunState } from '../../protocol/state.ts'
import type { ClaimOptions } from '../store/store.ts'
import { stopsWithoutEnd, type RunContext } from './run-context.ts'
import { elsewhere, isClaimedElsewhere, onOtherDevice } from '../ownership/elsewhere.ts'
import type { Leases } from '../ownership/leases.ts'
import { ANSWER_MS, SILENCE_MS } from '../ownership/liveness.ts'
import { withStop } from '../ownership/with-stop.ts'

type IsWanted = (run: RunState | null) => boolean

/**
 * A driver's ownership of its conversation: given up while the run is parked, so that any tab may
 * answer, and taken back afterwards.
 */
export class RunLease {
  readonly #context: RunContext
  readonly #ownership: Leases
  #held = true
  #taking: Promise<void> | null = null
  /** When this worker was awake last, on the monotonic clock. */
  #awakeAt: number

  /** The host took the ownership before it made the driver. */
  constructor(context: RunContext, ownership: Leases) {
    this.#context = context
    this.#ownership = ownership
    this.#awakeAt = context.effects.monotonic()
  }

  end(): void {
    this.#held = false
    this.#ownership.release(this.#context.conversation.conversationId)
  }

  /** Other tabs may hold the run parked: they look what was decided. */
  announce(): void {
    this.#ownership.announce(this.#context.conversation.conversationId)
  }

  /**
   * Asked before anything is shown. After a long silence the store says whose the run is: a tab that was frozen
   * reads on what the network has kept for it, and may get to know only later that another one has taken over.
   */
  confirm(onLost: () => void): Promise<boolean> | true {
    const now = this.#context.effects.monotonic()
    const silence = now - this.#awakeAt
    this.#awakeAt = now
    return silence < SILENCE_MS / 2 || this.#askStore(onLost)
  }

  async #askStore(onLost: () => void): Promise<boolean> {
    const { conversation, effects } = this.#context
    const isNewest = async (): Promise<boolean> =>
      (await conversation.claims.newest()).epoch <= conversation.lease.epoch
    // A storage that doesn't answer decides nothing.
    const isOwned = await withStop([], ({ signal }) =>
      Promise.race([
        isNewest().catch(() => true),
        effects.sleep(ANSWER_MS, signal).then(() => true),
      ]),
    )
    if (!isOwned) onLost()
    return isOwned
  }

  /** After a rest, which ended by itself. Throws `conversation-busy` when another tab or device goes on with the run. */
  async takeBack(): Promise<void> {
    const { conversation } = this.#context
    const isElsewhere = !this.#held && (await isClaimedElsewhere(conversation, this.#ownership))
    // A person's word may claim it meanwhile.
    if (isElsewhere && !this.#held && this.#taking === null)
      throw elsewhere(conversation.conversationId)
    return this.take()
  }

  /**
   * Throws `conversation-busy` when another tab goes on with the run; another device is outranked, unless the run as that
   * has left it is no more `isWanted` (default: it is), or it writes something at the same time.
   */
  async take(isWanted: IsWanted = () => true): Promise<void> {
    if (this.#held) return
    this.#taking ??= this.#claim(isWanted).finally(() => {
      this.#taking = null
    })
    return this.#taking
  }

  async #claim(isWanted: IsWanted): Promise<void> {
    const { conversation, signal } = this.#context
    const { conversationId } = conversation
    if (!(await this.#ownership.acquire(conversationId))) throw elsewhere(conversationId)
    try {
      // Whoever it was left to is not to be outranked by a newer claim.
      if (stopsWithoutEnd(signal)) throw elsewhere(conversationId)
      await conversation.claim({ create: false, ...(await this.#asSeen(isWanted)) })
    } catch (error) {
      // A storage that can't be written now must not keep other tabs waiting.
      this.#ownership.release(conversationId)
      throw error
    }
    this.#ownership.setEpoch(conversationId, conversation.lease.epoch)
    this.#held = true
  }

  /** A claim that comes too late to be wanted would stop whoever was first. */
  async #asSeen(isWanted: IsWanted): Promise<ClaimOptions> {
    const { conversation } = this.#context
    const { claims, conversationId } = conversation
    if (!claims.isShared) return {}
    const newest = await claims.newest()
    const { epoch: ifEpoch, lastSeq: ifSeq } = newest
    if (!(await isClaimedElsewhere(conversation, this.#ownership, newest))) return { ifEpoch }
    await conversation.refresh({ isOwner: false })
    if (!isWanted(conversation.run)) throw onOtherDevice(conversationId)
    return { ifEpoch, ifSeq }
  }
}
