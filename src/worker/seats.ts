import type { AgentScope, ConversationScope } from '../protocol/api.ts'
import { Conversation } from './conversation.ts'
import type { Effects } from './effects.ts'
import { createOwnership, type Ownership } from './ownership.ts'
import { Seat } from './seat.ts'
import { isSettled } from './state.ts'
import type { Store } from './store/store.ts'
import { storageKey, type Stores } from './stores.ts'

/** The conversations in use in this worker, one seat each. */
export class Seats {
  readonly #stores: Stores
  readonly #effects: Effects
  readonly #ownerships = new Map<string, Ownership>()
  readonly #seats = new Map<string, Seat>()

  constructor(stores: Stores, effects: Effects) {
    this.#stores = stores
    this.#effects = effects
  }

  store(scope: AgentScope): Promise<Store> {
    return this.#stores.open(scope.storage)
  }

  async take(scope: ConversationScope): Promise<Seat> {
    const key = seatKey(scope)
    const store = await this.store(scope)
    const known = this.#seats.get(key)
    if (known) return known
    const conversation = new Conversation(scope.conversationId, store, this.#effects)
    const seat = new Seat(scope, conversation, this.#ownership(storageKey(scope.storage)))
    this.#seats.set(key, seat)
    return seat
  }

  /** The next one to take it reads the conversation afresh. */
  forget(scope: ConversationScope): void {
    this.#seats.delete(seatKey(scope))
  }

  /** Those whose run this agent drives. */
  drivenBy(agentId: string): Seat[] {
    return [...this.#seats.values()].filter((seat) => seat.driver?.agentId === agentId)
  }

  /** The seat of the conversation that is named, or else of the newest that has the call open. */
  async ofCall(
    call: AgentScope & { readonly conversationId?: string; readonly toolCallId: string },
  ): Promise<Seat | null> {
    const { agentId, storage, conversationId, toolCallId } = call
    const store = await this.store(call)
    if (conversationId !== undefined) {
      const exists = (await store.get(conversationId)) !== null
      return exists ? this.take({ agentId, storage, conversationId }) : null
    }
    for (const record of await store.list()) {
      const seat = await this.take({ agentId, storage, conversationId: record.conversationId })
      await seat.conversation.refresh()
      const { run, importedCalls } = seat.conversation
      const open = run?.calls.find((each) => each.toolCallId === toolCallId)
      if (open && !isSettled(open)) return seat
      if (importedCalls.some((each) => each.toolCallId === toolCallId)) return seat
    }
    return null
  }

  #ownership(scope: string): Ownership {
    const known = this.#ownerships.get(scope)
    if (known) return known
    const made = createOwnership(scope)
    this.#ownerships.set(scope, made)
    return made
  }
}

function seatKey(scope: ConversationScope): string {
  return `${storageKey(scope.storage)}\n${scope.conversationId}`
}
