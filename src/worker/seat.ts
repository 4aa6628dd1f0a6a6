import type { ConversationScope } from '../protocol/api.ts'
import type { RunEnd } from '../protocol/journal.ts'
import type { Conversation } from './conversation.ts'
import { elsewhere, type Ownership } from './ownership.ts'
import type { RunDriver } from './run-driver.ts'

/** A conversation in use: its fold, and the run that is driven, if any. */
export class Seat {
  readonly scope: ConversationScope
  readonly conversation: Conversation
  readonly ownership: Ownership
  #driver: RunDriver | null = null
  #driven: Promise<unknown> = Promise.resolve()
  #lane: Promise<unknown> = Promise.resolve()

  constructor(scope: ConversationScope, conversation: Conversation, ownership: Ownership) {
    const { agentId, storage, conversationId } = scope
    this.scope = { agentId, storage, conversationId }
    this.conversation = conversation
    this.ownership = ownership
  }

  get driver(): RunDriver | null {
    return this.#driver
  }

  /** Resolves when nothing is driven any more. */
  async idle(): Promise<void> {
    while (this.#driver) await this.#driven
  }

  /** Takes commands on the conversation one after the other. */
  inLane<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#lane.then(work)
    this.#lane = done.catch(() => undefined)
    return done
  }

  /** Becomes the conversation's owner. Throws `conversation-busy` when another tab is. */
  async own(): Promise<void> {
    const { conversationId } = this.scope
    if (!(await this.ownership.acquire(conversationId))) throw elsewhere(conversationId)
    await this.conversation.claim()
  }

  disown(): void {
    this.ownership.release(this.scope.conversationId)
  }

  /** For work between runs: owns the conversation as long as it takes. */
  async owning<T>(work: () => Promise<T>): Promise<T> {
    await this.own()
    try {
      return await work()
    } finally {
      this.disown()
    }
  }

  /** Drives a run to its end, and calls `then` when it is over. */
  drive(driver: RunDriver, then: () => void): void {
    this.#driver = driver
    this.#driven = driver.drive().then(() => {
      this.#driver = null
      then()
    })
  }

  async abort(reason: string, end?: RunEnd): Promise<void> {
    this.#driver?.abort(reason, end)
    await this.idle()
  }
}
