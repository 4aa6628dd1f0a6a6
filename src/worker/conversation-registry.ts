import {
  storageKey,
  type ConversationRecord,
  type StorageConfig,
} from '../protocol/conversation.ts'
import type { AgentScope, ConversationScope } from '../protocol/scope.ts'
import type { FactType, Row } from '../protocol/fact.ts'
import { ambiguousCall } from './busy.ts'
import { Conversation } from './conversation.ts'
import type { Effects } from './effects.ts'
import type { LeaseMessages } from './ownership/lease-messages.ts'
import { createLeases, type Leases } from './ownership/leases.ts'
import { createTabChannel, type TabChannel } from './ownership/tab-channel.ts'
import { ActiveConversation } from './active-conversation.ts'
import type { Redaction } from './store/redaction.ts'
import type { Store, StoreChange } from './store/store.ts'
import type { Stores } from './store/stores.ts'
import { Stream, type StreamOutput } from './stream.ts'
import { TAB_MESSAGES } from './tabs/tab-messages.ts'
import { Tabs, type TabsHost } from './tabs/tabs.ts'

/** Conversations that are kept in memory though nothing is done in them any more: they may be opened again. */
const MAX_UNUSED = 20
/** Nothing that was asked of a conversation is under way for longer without a trace of it. Milliseconds. */
const UNUSED_MS = 300_000

/** What is done with a conversation for another tab. */
export type RegistryHost = Pick<TabsHost<ActiveConversation>, 'perform' | 'succeed' | 'toolNames'>

export interface RegistryOptions {
  readonly redaction: Redaction
  readonly stores: Stores
  readonly effects: Effects
  readonly output: StreamOutput
  readonly host: RegistryHost
}

interface SharedStore {
  readonly leases: Leases
  readonly tabs: Tabs<ActiveConversation>
}

/** Facts by which a list of conversations looks different. */
const LISTED: ReadonlySet<FactType> = new Set([
  'run-started',
  'run-ended',
  'messages-imported',
  'history-cleared',
  'renamed',
  // What is open, and waits for a person. None is stored while text is written.
  'model-output',
  'call-settled',
  'approval-requested',
  'approval-answered',
  'question-asked',
  'call-suspended',
  'call-interrupted',
  'interruption-resolved',
  'output-requested',
])

function changesRecord({ type }: Row): boolean {
  return LISTED.has(type)
}

/** The conversations in use in this worker, one `ActiveConversation` each. */
export class ConversationRegistry {
  readonly #stores: Stores
  readonly #effects: Effects
  readonly #output: StreamOutput
  readonly #host: RegistryHost
  readonly #redaction: Redaction
  readonly #stored = new Map<string, SharedStore>()
  readonly #followed = new Set<string>()
  /** The one that was taken last comes last. */
  readonly #active = new Map<string, ActiveConversation>()
  readonly #takenAt = new WeakMap<ActiveConversation, number>()

  constructor({ redaction, stores, effects, output, host }: RegistryOptions) {
    this.#redaction = redaction
    this.#stores = stores
    this.#effects = effects
    this.#output = output
    this.#host = host
  }

  /** The other tabs that use the store. */
  tabs(scope: Pick<AgentScope, 'storage'>): Tabs<ActiveConversation> {
    return this.#shared(scope).tabs
  }

  leases(scope: Pick<AgentScope, 'storage'>): Leases {
    return this.#shared(scope).leases
  }

  /** Of all stores. */
  allTabs(): Tabs<ActiveConversation>[] {
    return [...this.#stored.values()].map(({ tabs }) => tabs)
  }

  /** Of a conversation that is in use or not: what refuses a run may come before anything is opened. */
  streamOf(scope: ConversationScope): Stream {
    const { storage, conversationId } = scope
    const known = this.#active.get(activeKey(scope))?.conversation.stream
    return known ?? new Stream({ storage: storageKey(storage), conversationId }, this.#output)
  }

  /** Of a conversation that is in use. */
  find(scope: ConversationScope): ActiveConversation | undefined {
    return this.#active.get(activeKey(scope))
  }

  store(scope: AgentScope): Promise<Store> {
    const storage = storageKey(scope.storage)
    // Before anything of the command is written.
    if (scope.redacts) this.#redaction.require(storage)
    return this.#opened(scope.storage)
  }

  /** The store; from here on, what others change in it is noticed. */
  async #opened(storage: StorageConfig): Promise<Store> {
    const store = await this.#stores.open(storage)
    const key = storageKey(storage)
    // Nobody else changes one in memory.
    if (storage === 'memory' || this.#followed.has(key)) return store
    this.#followed.add(key)
    store.follow?.((change) => void this.#changed(storage, change))
    return store
  }

  async #changed(storage: StorageConfig, change: StoreChange): Promise<void> {
    const { conversationId } = change
    const key = storageKey(storage)
    const changed = [...this.#active.values()].filter(
      ({ scope }) =>
        storageKey(scope.storage) === key &&
        (conversationId ?? scope.conversationId) === scope.conversationId,
    )
    const news = await Promise.all(changed.map((active) => active.noticed(change)))
    if (changed.length === 0 || conversationId === null || news.includes(true))
      this.#output.notify({ type: 'conversations-changed', storage: key })
  }

  /** What the store lists; from here on the page is notified when other tabs change it. */
  async list(scope: AgentScope): Promise<ConversationRecord[]> {
    const store = await this.store(scope)
    // Before it is read: a change that comes meanwhile is noticed.
    this.#shared(scope)
    return allOf(store)
  }

  async take(scope: ConversationScope): Promise<ActiveConversation> {
    const key = activeKey(scope)
    const store = await this.store(scope)
    const active = this.#active.get(key) ?? this.#create(scope, store)
    this.#takenAt.set(active, this.#effects.monotonic())
    this.#active.delete(key)
    this.#active.set(key, active)
    this.#forgetUnused()
    return active
  }

  #create(scope: ConversationScope, store: Store): ActiveConversation {
    const { conversationId } = scope
    const { leases, tabs } = this.#shared(scope)
    const conversation = new Conversation({
      conversationId,
      storage: storageKey(scope.storage),
      redacts: () => this.#redaction.isRequired(storageKey(scope.storage)),
      store,
      effects: this.#effects,
      output: this.#output,
      onCommitted: (rows) => {
        if (rows.some(changesRecord)) tabs.recordChanged(conversationId)
      },
    })
    const active = new ActiveConversation(scope, { conversation, leases, tabs })
    tabs.relay(active)
    return active
  }

  #forgetUnused(): void {
    const before = this.#effects.monotonic() - UNUSED_MS
    let spare = this.#active.size - MAX_UNUSED
    for (const [key, active] of this.#active) {
      if (spare <= 0 || (this.#takenAt.get(active) ?? 0) > before) return
      if (active.isInUse) continue
      this.#active.delete(key)
      spare -= 1
    }
  }

  /** Those whose run this agent drives. */
  drivenBy(agentId: string): ActiveConversation[] {
    return [...this.#active.values()].filter((active) => active.driver?.agentId === agentId)
  }

  /** The ids of those that something is done with, or is about to be. */
  inUse({ storage }: Pick<AgentScope, 'storage'>): string[] {
    const key = storageKey(storage)
    return [...this.#active.values()].flatMap(({ isInUse, scope }) =>
      isInUse && storageKey(scope.storage) === key ? scope.conversationId : [],
    )
  }

  all(): Iterable<ActiveConversation> {
    return this.#active.values()
  }

  /** The conversation that is named, or else the one that has the call open; null: none has. */
  async ofCall(
    call: AgentScope & {
      readonly conversationId?: string | undefined
      readonly toolCallId: string
    },
  ): Promise<ActiveConversation | null> {
    const { agentId, storage, conversationId, toolCallId } = call
    const store = await this.store(call)
    if (conversationId !== undefined) {
      const scope = { agentId, storage, conversationId }
      // One in use, too, whose rows another tab deleted: what is driven there finds out.
      const exists =
        this.#active.has(activeKey(scope)) || (await store.get(conversationId)) !== null
      return exists ? this.take(scope) : null
    }
    const records = await allOf(store)
    const open = records.filter((each) => !each.broken && each.openCalls.includes(toolCallId))
    const ids = open.map((each) => each.conversationId)
    if (ids.length > 1) throw ambiguousCall(toolCallId, ids)
    const [found] = ids
    return found === undefined ? null : this.take({ agentId, storage, conversationId: found })
  }

  /** The other tabs that use a store. Nobody else uses one in memory. */
  #shared({ storage }: Pick<AgentScope, 'storage'>): SharedStore {
    const key = storageKey(storage)
    const known = this.#stored.get(key)
    if (known) return known
    const activeOf = (conversationId: string): ActiveConversation | undefined =>
      this.#active.get(activeKey({ storage, conversationId }))
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
        onLost: (conversationId) => activeOf(conversationId)?.driver?.takenOver(),
        onAnnounced: (conversationId) => void activeOf(conversationId)?.driver?.look(),
        isDriving: (conversationId) => activeOf(conversationId)?.driver != null,
        onHandoverRequested: (conversationId) => handOver(activeOf(conversationId)),
      },
    })
    const host = {
      ...this.#host,
      activeOf,
      inUse: () => this.inUse({ storage }),
      recordsChanged: () => this.#output.notify({ type: 'conversations-changed', storage: key }),
    }
    const made = { leases, tabs: new Tabs({ channel, leases, effects, host }) }
    this.#stored.set(key, made)
    return made
  }
}

/** Page by page: a store elsewhere may have very many. */
async function allOf(store: Store): Promise<ConversationRecord[]> {
  const records: ConversationRecord[] = []
  for (let after: string | null | undefined; after !== null;) {
    const page = await store.list(after === undefined ? {} : { after })
    records.push(...page.records)
    after = page.next
  }
  return records
}

/** Stops what is driven, without an end; true once it has stopped. What is being ended is not handed over. */
async function handOver(active: ActiveConversation | undefined): Promise<boolean> {
  if (!active?.driver || active.driver.isStopped) return false
  active.driver.takenOver()
  await active.idle()
  return true
}

function activeKey({
  storage,
  conversationId,
}: Pick<ConversationScope, 'storage' | 'conversationId'>): string {
  return `${storageKey(storage)}\n${conversationId}`
}
