import { storageKey } from '../protocol/conversation.ts'
import type { AgentScope, ConversationScope } from '../protocol/scope.ts'
import type { FactType, Row } from '../protocol/fact.ts'
import { Conversation } from './conversation.ts'
import type { Effects } from './effects.ts'
import type { LeaseMessages } from './ownership/lease-messages.ts'
import { createLeases, type Leases } from './ownership/leases.ts'
import { createTabChannel, type TabChannel } from './ownership/tab-channel.ts'
import { Seat } from './seat.ts'
import type { Store } from './store/store.ts'
import type { Stores } from './stores.ts'
import { Stream, type StreamOutput } from './stream.ts'
import { TAB_MESSAGES } from './tabs/tab-messages.ts'
import { Tabs, type TabsHost } from './tabs/tabs.ts'

/** What is done with a conversation for another tab. */
export type SeatsHost = Pick<TabsHost<Seat>, 'perform' | 'succeed' | 'toolNames'>

export interface SeatsOptions {
  readonly stores: Stores
  readonly effects: Effects
  readonly output: StreamOutput
  readonly host: SeatsHost
}

interface SharedStore {
  readonly leases: Leases
  readonly tabs: Tabs<Seat>
}

/** Facts by which a list of conversations looks different. */
const LISTED: ReadonlySet<FactType> = new Set([
  'run-started',
  'run-ended',
  'messages-imported',
  'history-cleared',
  'renamed',
])

function changesRecord({ type }: Row): boolean {
  return LISTED.has(type)
}

/** The conversations in use in this worker, one seat each. */
export class Seats {
  readonly #stores: Stores
  readonly #effects: Effects
  readonly #output: StreamOutput
  readonly #host: SeatsHost
  readonly #stored = new Map<string, SharedStore>()
  readonly #seats = new Map<string, Seat>()

  constructor({ stores, effects, output, host }: SeatsOptions) {
    this.#stores = stores
    this.#effects = effects
    this.#output = output
    this.#host = host
  }

  /** The other tabs that use the store. */
  tabs(scope: Pick<AgentScope, 'storage'>): Tabs<Seat> {
    return this.#shared(scope).tabs
  }

  /** Of all stores. */
  allTabs(): Tabs<Seat>[] {
    return [...this.#stored.values()].map(({ tabs }) => tabs)
  }

  /** Of a conversation that is in use or not: what refuses a run may come before anything is opened. */
  streamOf(scope: ConversationScope): Stream {
    const { storage, conversationId } = scope
    const known = this.#seats.get(seatKey(scope))?.conversation.stream
    return known ?? new Stream({ storage: storageKey(storage), conversationId }, this.#output)
  }

  /** Of a conversation that is in use. */
  find(scope: ConversationScope): Seat | undefined {
    return this.#seats.get(seatKey(scope))
  }

  store(scope: AgentScope): Promise<Store> {
    return this.#stores.open(scope.storage)
  }

  async take(scope: ConversationScope): Promise<Seat> {
    const key = seatKey(scope)
    const store = await this.store(scope)
    const known = this.#seats.get(key)
    if (known) return known
    const { conversationId } = scope
    const { leases, tabs } = this.#shared(scope)
    const conversation = new Conversation({
      conversationId,
      storage: storageKey(scope.storage),
      store,
      effects: this.#effects,
      output: this.#output,
      onCommitted: (rows) => {
        if (rows.some(changesRecord)) tabs.recordChanged(conversationId)
      },
    })
    const seat = new Seat(scope, { conversation, leases, tabs })
    tabs.relay(seat)
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

  /** The other tabs that use a store. Nobody else uses one in memory. */
  #shared({ storage }: Pick<AgentScope, 'storage'>): SharedStore {
    const key = storageKey(storage)
    const known = this.#stored.get(key)
    if (known) return known
    const seatOf = (conversationId: string): Seat | undefined =>
      this.#seats.get(seatKey({ storage, conversationId }))
    const effects = this.#effects
    const tabId = effects.newId('tab-')
    const isAlone = storage === 'memory'
    const scope = isAlone ? `${key}${tabId}` : key
    const channel = createTabChannel({
      scope,
      tabId,
      openPort: (name) => (isAlone ? undefined : effects.openTabPort(name)),
      shapes: TAB_MESSAGES,
    })
    const leases = createLeases({
      scope,
      channel: channel as unknown as TabChannel<LeaseMessages>,
      effects,
      observer: {
        onLost: (conversationId) => seatOf(conversationId)?.driver?.takenOver(),
        onAnnounced: (conversationId) => void seatOf(conversationId)?.driver?.look(),
        isDriving: (conversationId) => seatOf(conversationId)?.driver != null,
        onHandoverRequested: (conversationId) => handOver(seatOf(conversationId)),
      },
    })
    const host = {
      ...this.#host,
      seatOf,
      recordsChanged: () => this.#output.notify({ type: 'conversations-changed', storage: key }),
    }
    const made = { leases, tabs: new Tabs({ channel, leases, effects, host }) }
    this.#stored.set(key, made)
    return made
  }
}

/** Stops what is driven, without an end; true once it has stopped. */
async function handOver(seat: Seat | undefined): Promise<boolean> {
  if (!seat?.driver) return false
  seat.driver.takenOver()
  await seat.idle()
  return true
}

function seatKey({
  storage,
  conversationId,
}: Pick<ConversationScope, 'storage' | 'conversationId'>): string {
  return `${storageKey(storage)}\n${conversationId}`
}
