import type { AgentScope, ConversationScope } from '../protocol/api.ts'
import { Conversation } from './conversation.ts'
import type { Effects } from './effects.ts'
import { LEASE_MESSAGES } from './ownership/lease-messages.ts'
import { createLeases, type Leases } from './ownership/leases.ts'
import { createTabChannel } from './ownership/tab-channel.ts'
import type { RunDriver } from './run-driver.ts'
import { Seat } from './seat.ts'
import type { Store } from './store/store.ts'
import { storageKey, type Stores } from './stores.ts'

/** The conversations in use in this worker, one seat each. */
export class Seats {
  readonly #stores: Stores
  readonly #effects: Effects
  readonly #ownerships = new Map<string, Leases>()
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
    const seat = new Seat(scope, conversation, this.#ownership(scope))
    this.#seats.set(key, seat)
    return seat
  }

  /** Those whose run this agent drives. */
  drivenBy(agentId: string): Seat[] {
    return [...this.#seats.values()].filter((seat) => seat.driver?.agentId === agentId)
  }

  all(): Iterable<Seat> {
    return this.#seats.values()
  }

  /** The seat of the conversation that is named, or else of the newest that has the call open. */
  async ofCall(
    call: AgentScope & { readonly conversationId?: string; readonly toolCallId: string },
  ): Promise<Seat | null> {
    const { agentId, storage, conversationId, toolCallId } = call
    const store = await this.store(call)
    if (conversationId !== undefined) {
      const scope = { agentId, storage, conversationId }
      // One in use, too, whose rows another tab deleted: what is driven there finds out.
      const exists = this.#seats.has(seatKey(scope)) || (await store.get(conversationId)) !== null
      return exists ? this.take(scope) : null
    }
    const records = await store.list()
    const open = records.find((each) => !each.broken && each.openCalls.includes(toolCallId))
    return open ? this.take({ agentId, storage, conversationId: open.conversationId }) : null
  }

  #ownership({ storage }: AgentScope): Leases {
    const key = storageKey(storage)
    const known = this.#ownerships.get(key)
    if (known) return known
    const driverOf = (conversationId: string): RunDriver | null | undefined =>
      this.#seats.get(seatKey({ storage, conversationId }))?.driver
    const effects = this.#effects
    const tabId = effects.newId('tab-')
    // A store in memory is this worker's alone, whatever other tabs call their conversations.
    const scope = storage === 'memory' ? `${key}${tabId}` : key
    const made = createLeases({
      scope,
      channel: createTabChannel({
        scope,
        tabId,
        openPort: effects.openTabPort,
        shapes: LEASE_MESSAGES,
      }),
      effects,
      observer: {
        onLost: (conversationId) => driverOf(conversationId)?.takenOver(),
        onAnnounced: (conversationId) => void driverOf(conversationId)?.look(),
      },
    })
    this.#ownerships.set(key, made)
    return made
  }
}

function seatKey({
  storage,
  conversationId,
}: Pick<ConversationScope, 'storage' | 'conversationId'>): string {
  return `${storageKey(storage)}\n${conversationId}`
}
