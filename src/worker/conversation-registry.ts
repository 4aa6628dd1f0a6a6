import {
  type AgentScope,
  type ConversationRecord,
  type ConversationScope,
  type StorageConfig,
  storageKey,
} from '../protocol/conversation.ts'
import type { FactType, Row } from '../protocol/fact.ts'
import { ActiveConversation, ambiguousCall, busyError } from './active-conversation.ts'
import { Conversation } from './conversation.ts'
import type { Effects } from './effects.ts'
import type { LeaseMessages } from './ownership/lease.ts'
import { createLeases, type Leases } from './ownership/leases.ts'
import { createTabChannel, type TabChannel } from './ownership/tab-channel.ts'
import type { Redaction, Stores } from './store/stores.ts'
import type { Store, StoreChange } from './store/store.ts'
import { Stream, type StreamOutput } from './stream.ts'
import { TAB_MESSAGES } from './tabs/tab-messages.ts'
import { Tabs, type TabsHost } from './tabs/tabs.ts'
import { olderThan } from '../conversation/checkpoint.ts'
import { leafUnder } from '../conversation/tree.ts'
import type { OlderMessages } from '../protocol/state.ts'

/** Conversations that the page shows. Doesn't run anything in them. */
export class ConversationViews {
  readonly #registry: ConversationRegistry
  readonly #onOpened: (active: ActiveConversation, agentId: string) => void
  /** The agent that shows each conversation. */
  readonly #viewers = new Map<Conversation, string>()

  constructor(
    registry: ConversationRegistry,
    onOpened: (active: ActiveConversation, agentId: string) => void,
  ) {
    this.#registry = registry
    this.#onOpened = onOpened
  }

  async join(scope: ConversationScope): Promise<void> {
    const active = await this.#registry.openConversation(scope)
    const { conversation } = active
    this.#viewers.set(conversation, scope.agentId)
    await conversation.preview()
    await conversation.refresh()
    await conversation.drafts.showStored(conversation.run)
    // Reading may take long: the page has left, or has released the agent.
    if (this.#viewers.get(conversation) !== scope.agentId) return
    conversation.stream.isJoined = true
    conversation.publish('joined')
    active.tabs.follow(active, scope.agentId)
    // If the check for other devices fails now, a later one finds them.
    void active.checkOtherDevices().catch(() => undefined)
    this.#onOpened(active, scope.agentId)
  }

  /** Closes all views of an agent that is gone. */
  release(agentId: string): void {
    for (const [conversation, viewer] of this.#viewers)
      if (viewer === agentId) this.#leave(conversation)
  }

  /** Saves the output that models are writing, because the page may never come back. */
  keepDrafts(): void {
    for (const { conversation } of this.#registry.all()) void conversation.drafts.write()
  }

  #leave(conversation: Conversation): void {
    conversation.stream.isJoined = false
    this.#viewers.delete(conversation)
  }

  async leave(scope: ConversationScope): Promise<void> {
    const { conversation, tabs } = await this.#registry.openConversation(scope)
    this.#leave(conversation)
    tabs.unfollow(scope.conversationId)
  }

  async olderMessages(
    scope: ConversationScope & { readonly before: string; readonly count: number },
  ): Promise<OlderMessages | null> {
    const { conversation } = await this.#registry.openConversation(scope)
    return olderThan(conversation.state, scope.before, scope.count)
  }

  async switchBranch(scope: ConversationScope & { readonly messageId: string }): Promise<boolean> {
    const { conversationId, messageId } = scope
    const active = await this.#registry.openConversation(scope)
    const { conversation } = active
    return active.enqueueNow(async () => {
      if (active.driver) throw busyError(conversationId)
      await conversation.refresh()
      if (leafUnder(conversation.state, messageId) === null) return false
      return active.appendBetweenRuns(() => {
        const to = leafUnder(conversation.state, messageId)
        return to === null ? null : [{ type: 'head-moved', to }]
      })
    })
  }
}

/** Number of unused conversations kept in memory, since they may be opened again. */
const MAX_UNUSED = 20
/** Conversations used more recently are kept: a command may still be running on them unnoticed. Milliseconds. */
const UNUSED_MS = 300_000

/** Applies other tabs' commands, resumes runs that a tab has left, and names an agent's tools. */
export type RegistryHost = Pick<TabsHost<ActiveConversation>, 'perform' | 'inherit' | 'toolNames'>

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

/** Facts that change how a conversation appears in a list. */
const LISTING_FACTS: ReadonlySet<FactType> = new Set([
  'run-started',
  'run-ended',
  'messages-imported',
  'history-cleared',
  'renamed',
  // Facts that open or settle calls. None of them is stored while the model streams text.
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
  return LISTING_FACTS.has(type)
}

/** The conversations in use in this worker, one `ActiveConversation` each. */
export class ConversationRegistry {
  readonly #stores: Stores
  readonly #effects: Effects
  readonly #output: StreamOutput
  readonly #host: RegistryHost
  readonly #redaction: Redaction
  readonly #sharedStores = new Map<string, SharedStore>()
  readonly #watchedStores = new Set<string>()
  /** Ordered by use, the newest last. */
  readonly #active = new Map<string, ActiveConversation>()
  readonly #usedAt = new WeakMap<ActiveConversation, number>()

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

  /** The tabs of each store in use. */
  allTabs(): Tabs<ActiveConversation>[] {
    return [...this.#sharedStores.values()].map(({ tabs }) => tabs)
  }

  /** Stream of a conversation, in use or not. A run may be refused before its conversation is opened. */
  streamOf(scope: ConversationScope): Stream {
    const { storage, conversationId } = scope
    const existing = this.#active.get(activeKey(scope))?.conversation.stream
    return existing ?? new Stream({ storage: storageKey(storage), conversationId }, this.#output)
  }

  /** Finds a conversation in use. */
  find(scope: ConversationScope): ActiveConversation | undefined {
    return this.#active.get(activeKey(scope))
  }

  store(scope: AgentScope): Promise<Store> {
    const storage = storageKey(scope.storage)
    // Required before the command writes anything.
    if (scope.redacts) this.#redaction.requireRedaction(storage)
    return this.#openStore(scope.storage)
  }

  /** Opens the store, and notices changes by others from then on. */
  async #openStore(storage: StorageConfig): Promise<Store> {
    const store = await this.#stores.open(storage)
    const key = storageKey(storage)
    // Nobody else changes a store in memory.
    if (storage === 'memory' || this.#watchedStores.has(key)) return store
    this.#watchedStores.add(key)
    store.follow?.((change) => void this.#handleChange(storage, change))
    return store
  }

  async #handleChange(storage: StorageConfig, change: StoreChange): Promise<void> {
    const { conversationId } = change
    const key = storageKey(storage)
    const affected = [...this.#active.values()].filter(
      ({ scope }) =>
        storageKey(scope.storage) === key &&
        (conversationId ?? scope.conversationId) === scope.conversationId,
    )
    const areNew = await Promise.all(affected.map((active) => active.handleChange(change)))
    if (affected.length === 0 || conversationId === null || areNew.includes(true))
      this.#output.notify({ type: 'conversations-changed', storage: key })
  }

  /** Lists the stored conversations. From then on, the page is notified when other tabs change them. */
  async list(scope: AgentScope): Promise<ConversationRecord[]> {
    const store = await this.store(scope)
    // Connects before reading, so that no change in between is missed.
    this.#shared(scope)
    return listAll(store)
  }

  async openConversation(scope: ConversationScope): Promise<ActiveConversation> {
    const key = activeKey(scope)
    const store = await this.store(scope)
    const active = this.#active.get(key) ?? this.#create(scope, store)
    this.#usedAt.set(active, this.#effects.monotonic())
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
    const cutoff = this.#effects.monotonic() - UNUSED_MS
    let surplus = this.#active.size - MAX_UNUSED
    for (const [key, active] of this.#active) {
      if (surplus <= 0 || (this.#usedAt.get(active) ?? 0) > cutoff) return
      if (active.isInUse) continue
      this.#active.delete(key)
      surplus -= 1
    }
  }

  /** Conversations whose run this agent drives. */
  drivenBy(agentId: string): ActiveConversation[] {
    return [...this.#active.values()].filter((active) => active.driver?.agentId === agentId)
  }

  /** Ids of the conversations in use. */
  inUse({ storage }: Pick<AgentScope, 'storage'>): string[] {
    const key = storageKey(storage)
    return [...this.#active.values()].flatMap(({ isInUse, scope }) =>
      isInUse && storageKey(scope.storage) === key ? scope.conversationId : [],
    )
  }

  all(): Iterable<ActiveConversation> {
    return this.#active.values()
  }

  /** The named conversation, or else the one where the call is open. Null if there is none. */
  async openForCall(
    call: AgentScope & {
      readonly conversationId?: string | undefined
      readonly toolCallId: string
    },
  ): Promise<ActiveConversation | null> {
    const { agentId, storage, conversationId, toolCallId } = call
    const store = await this.store(call)
    if (conversationId !== undefined) {
      const scope = { agentId, storage, conversationId }
      // A conversation in use exists, even if another tab deleted its rows. Its driver will notice.
      const exists =
        this.#active.has(activeKey(scope)) || (await store.get(conversationId)) !== null
      return exists ? this.openConversation(scope) : null
    }
    const records = await listAll(store)
    const open = records.filter((each) => !each.broken && each.openCalls.includes(toolCallId))
    const ids = open.map((each) => each.conversationId)
    if (ids.length > 1) throw ambiguousCall(toolCallId, ids)
    const [found] = ids
    return found === undefined
      ? null
      : this.openConversation({ agentId, storage, conversationId: found })
  }

  /** Leases and tabs of a store. Nobody else uses a store in memory. */
  #shared({ storage }: Pick<AgentScope, 'storage'>): SharedStore {
    const key = storageKey(storage)
    const existing = this.#sharedStores.get(key)
    if (existing) return existing
    const findActive = (conversationId: string): ActiveConversation | undefined =>
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
        onLost: (conversationId) => findActive(conversationId)?.driver?.handleTakeover(),
        onAnnounced: (conversationId) => void findActive(conversationId)?.driver?.checkStore(),
        isDriving: (conversationId) => findActive(conversationId)?.driver != null,
        onHandoverRequested: (conversationId) => handOver(findActive(conversationId)),
      },
    })
    const host = {
      ...this.#host,
      findActive,
      inUse: () => this.inUse({ storage }),
      recordsChanged: () => this.#output.notify({ type: 'conversations-changed', storage: key }),
    }
    const shared = { leases, tabs: new Tabs({ channel, leases, effects, host }) }
    this.#sharedStores.set(key, shared)
    return shared
  }
}

/** Reads all records page by page: a remote store may have very many. */
async function listAll(store: Store): Promise<ConversationRecord[]> {
  const records: ConversationRecord[] = []
  for (let after: string | null | undefined; after !== null;) {
    const page = await store.list(after === undefined ? {} : { after })
    records.push(...page.records)
    after = page.next
  }
  return records
}

/** Stops the driven run without ending it. True once it has stopped. A run that is being ended isn't handed over. */
async function handOver(active: ActiveConversation | undefined): Promise<boolean> {
  if (!active?.driver || active.driver.isStopped) return false
  active.driver.handleTakeover()
  await active.whenIdle()
  return true
}

function activeKey({
  storage,
  conversationId,
}: Pick<ConversationScope, 'storage' | 'conversationId'>): string {
  return `${storageKey(storage)}\n${conversationId}`
}
