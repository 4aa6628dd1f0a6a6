import { isLeftOpen, type RunContext } from './run-context.ts'
import { elsewhere } from '../ownership/elsewhere.ts'
import type { Leases } from '../ownership/leases.ts'

/**
 * A driver's ownership of its conversation: given up while the run is parked, so that any tab may
 * answer, and taken back afterwards.
 */
export class RunLease {
  readonly #context: RunContext
  readonly #ownership: Leases
  #held = true
  #taking: Promise<void> | null = null

  /** The host took the ownership before it made the driver. */
  constructor(context: RunContext, ownership: Leases) {
    this.#context = context
    this.#ownership = ownership
  }

  end(): void {
    this.#held = false
    this.#ownership.release(this.#context.conversation.conversationId)
  }

  /** Other tabs may hold the run parked: they look what was decided. */
  announce(): void {
    this.#ownership.announce(this.#context.conversation.conversationId)
  }

  /** Throws `conversation-busy` when another tab goes on with the run. */
  async take(): Promise<void> {
    if (this.#held) return
    this.#taking ??= this.#claim().finally(() => {
      this.#taking = null
    })
    return this.#taking
  }

  async #claim(): Promise<void> {
    const { conversation, signal } = this.#context
    const { conversationId } = conversation
    if (!(await this.#ownership.acquire(conversationId))) throw elsewhere(conversationId)
    try {
      // Whoever it was left to is not to be outranked by a newer claim.
      if (isLeftOpen(signal)) throw elsewhere(conversationId)
      await conversation.claim({ create: false })
    } catch (error) {
      // A storage that can't be written now must not keep other tabs waiting.
      this.#ownership.release(conversationId)
      throw error
    }
    this.#ownership.setEpoch(conversationId, conversation.lease.epoch)
    this.#held = true
  }
}
