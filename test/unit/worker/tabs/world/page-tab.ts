import { Feeds, type Watcher } from '../../../../../src/client/views/feeds.ts'
import { createRunHandle, type RunHandle } from '../../../../../src/client/runs/run.ts'
import { JoinedFeed } from '../../../../../src/client/views/lazy-views.ts'
import type { ConversationSnapshot } from '../../../../../src/conversation/snapshot.ts'
import { view } from '../../../../../src/conversation/view.ts'
import type { CallAnswer } from '../../../../../src/protocol/worker-calls.ts'
import {
  type ExecuteTool,
  PAGE_CALLS,
  type PageApi,
  type ToolOutcome,
} from '../../../../../src/protocol/page-calls.ts'
import {
  type ConversationRecord,
  type RunRef,
  type StorageConfig,
  storageKey,
} from '../../../../../src/protocol/conversation.ts'
import type { ToolDescriptor } from '../../../../../src/protocol/tool.ts'
import type { Effects } from '../../../../../src/worker/effects.ts'
import { jsonSchemaValidator } from '../../../../../src/worker/validation/validator.ts'
import { Host } from '../../../../../src/worker/host.ts'
import type { ClaimBook } from '../../../../../src/worker/store/claims.ts'
import { Process } from '../../ownership/world/process.ts'
import type { Store } from '../../../../../src/worker/store/store.ts'
import type { Clock } from '../../ownership/world/clock.ts'
import type { LockManagerOfOrigin } from '../../ownership/world/lock-manager.ts'
import type { Network } from '../../ownership/world/network.ts'
import { slowModel, type Turn } from './slow-model.ts'
import { doubleOf } from '../../../doubles.ts'

export const TALK = 'talk'

export interface TabTool extends Partial<ToolDescriptor> {
  /** Milliseconds that the tool takes. Default 50. */
  readonly takes?: number
  /** Starts a run for the call. The call never ends. */
  readonly asks?: true
}

/** A separate browser. Devices share only the store. */
export interface Device {
  readonly locks: LockManagerOfOrigin
  readonly network: Network
  readonly claims: ClaimBook
  /** The store as this device reaches it. Default: always reachable. */
  readonly store?: Store
}

export interface PageTabOptions {
  /** Default: the device of all tabs, with a store that no other device shares. */
  readonly device?: Device
  readonly tools?: Readonly<Record<string, TabTool>>
  readonly storage?: StorageConfig
}

/** Everything that tabs share. */
export interface PageWorld extends Device {
  readonly options: { readonly locks?: boolean }
  readonly clock: Clock
  readonly store: Store
  readonly turns: readonly Turn[]
  readonly posted: Map<string, number>
}

/** A tab: its page, as far as it shows a conversation and runs tools, and its worker. */
export class PageTab extends Process {
  readonly host: Host
  readonly #world: PageWorld
  readonly #device: Device
  readonly #feeds = new Feeds({ onRow: () => undefined, onOver: () => undefined })
  readonly #scope: { readonly agentId: string; readonly storage: StorageConfig }
  /** Tools of the page. May change, because the worker asks for them each time. */
  tools: Readonly<Record<string, TabTool>>
  /** Snapshots that the tab showed, in order. */
  readonly seen: Partial<ConversationSnapshot>[] = []
  /** Outcomes that the handles of runs started or resumed here reported. */
  readonly ends: string[] = []
  /** Handles of the runs that were started or resumed here, in order. */
  readonly handles: RunHandle[] = []
  /** The tools that ran here, in order. */
  readonly ran: string[] = []
  /** Codes of the warnings, in order. */
  readonly warnings: string[] = []
  /** How often the worker went on with a run by itself. */
  inherited = 0
  /** How often the list of conversations changed. */
  listChanges = 0
  #watcher: Watcher | null = null

  constructor(name: string, world: PageWorld, options: PageTabOptions) {
    super(name, world.clock)
    this.#world = world
    const device = (this.#device = options.device ?? world)
    const own: StorageConfig = options.device ? { type: 'shared' } : { name: 'shop' }
    const { tools = {}, storage = own } = options
    this.tools = tools
    this.#scope = { agentId: `agent-${name}`, storage }
    let ids = 0
    const effects: Effects = {
      now: () => 1_000_000 + world.clock.now,
      monotonic: () => world.clock.now,
      random: () => 0.5,
      newId: (prefix) => `${prefix}${name}${++ids}`,
      sleep: (ms, signal) => this.sleep(ms, signal),
      claims: device.claims,
      locks: world.options.locks === false ? undefined : device.locks.of(this),
      openTabPort: (channel) => {
        const port = device.network.open(this, channel)
        return { ...port, postMessage: (message) => this.#post(port, message) }
      },
    }
    this.host = new Host({
      page: this.#page(),
      pageId: `page-${name}`,
      validator: jsonSchemaValidator,
      notify: (notice) => {
        if (!this.isAlive) return
        if (notice.type === 'stream' || notice.type === 'checkpoint') this.#feeds.onNotice(notice)
        if (notice.type === 'conversations-changed') this.listChanges++
        if (notice.type === 'run-inherited') this.inherited++
        if (notice.type === 'warning') this.warnings.push(notice.code)
      },
      providers: { create: () => slowModel(this, () => world.turns) },
      effects,
      stores: [{ type: 'shared', open: async () => device.store ?? world.store }],
      // IndexedDB has no change events: tabs notify each other.
      openDurable: async () =>
        Object.create(world.store, { follow: { value: undefined } }) as Store,
    })
  }

  get scope() {
    return { ...this.#scope, conversationId: TALK }
  }

  /** Shows the conversation from now on. */
  open(): this {
    const feeds = this.#feeds
    this.#watcher = {
      changed: () => {
        if (this.#feeds.find(this.#ref)?.hasWholeState) this.seen.push(this.content)
      },
      flush: () => undefined,
      join: () => this.host.views.join(this.scope),
      leave: () => void this.host.views.leave(this.scope),
      olderMessages: (before) =>
        this.host.views.olderMessages({ ...this.scope, before, count: 1000 }),
    }
    const feed = feeds.ensure(this.#ref)
    feed.views ??= new JoinedFeed(feed)
    feed.views.watch(this.#watcher)
    return this
  }

  /** Shows the list alone. */
  list(): Promise<readonly ConversationRecord[]> {
    return this.host.library.listConversations(this.scope)
  }

  leave(): void {
    if (!this.#watcher) return
    this.#feeds.find(this.#ref)?.views?.unwatch(this.#watcher)
    this.#feeds.prune(this.#ref)
  }

  get shown(): ConversationSnapshot {
    const feed = this.#feeds.find(this.#ref)
    if (!feed?.hasWholeState) throw new Error(`${this.name} shows nothing.`)
    return structuredClone(view(feed.state, feed.live, feed.fault))
  }

  /** Without whose it is. */
  get content(): Partial<ConversationSnapshot> {
    const { ownership: _ownership, ...content } = this.shown
    return content
  }

  get text(): string {
    const parts = this.shown.messages.at(-1)?.parts ?? []
    return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
  }

  start(
    runId: string,
    ifBusy: 'refuse' | 'queue' | 'replace' = 'refuse',
    text: string = 'Go.',
    maxSteps = 10,
  ): void {
    this.#feeds.follow({ ...this.#ref, runId }, this.#handle(runId))
    void this.host.startRun({
      ...this.scope,
      runId,
      message: { id: `${runId}:user`, parts: [{ type: 'text', text }] },
      limits: { maxSteps, retries: 3 },
      ifBusy,
    })
  }

  resume(interrupted: 'tell-model' | 'ask' = 'tell-model'): Promise<RunRef | null> {
    const how = { interrupted, waitForToolsMs: 500 }
    return this.#adopt(() => this.host.resumeRun({ ...this.scope, ...how }))
  }

  /** Resumes the run as a button "Continue" does. */
  continue(): Promise<RunRef | null> {
    const how = { interrupted: 'tell-model', waitForToolsMs: 500, afterCrash: false } as const
    const goOn = { maxSteps: 10, retries: 3 }
    return this.#adopt(() => this.host.resumeRun({ ...this.scope, ...how, continueLimits: goOn }))
  }

  /** Resumes a run of its own, as a page does after a reload. */
  returnTo(runId: string): Promise<RunRef | null> {
    this.#feeds.follow({ ...this.#ref, runId }, this.#handle(runId))
    const how = { interrupted: 'tell-model', waitForToolsMs: 500, afterCrash: false } as const
    return this.host.resumeRun({ ...this.scope, ...how, runId })
  }

  takeOver(): Promise<RunRef | null> {
    const how = { interrupted: 'tell-model', waitForToolsMs: 500, afterCrash: false } as const
    return this.#adopt(() => this.host.takeOver({ ...this.scope, ...how }))
  }

  answer(toolCallId: string, answer: CallAnswer['answer']): Promise<boolean> {
    return this.host.commands.answerCall({ ...this.scope, toolCallId, answer })
  }

  abort(runId: string): Promise<boolean> {
    return this.host.abortRun({ ...this.scope, runId, reason: 'enough' })
  }

  override crash(): void {
    super.crash()
    this.#device.locks.terminate(this)
    this.#device.network.terminate(this)
  }

  progress(runId: string, toolCallId: string, progress: unknown): void {
    this.host.progress({
      type: 'tool-progress',
      ...this.scope,
      runId,
      path: [toolCallId],
      progress,
    })
  }

  #handle(runId: string): RunHandle {
    const handle = createRunHandle(
      { conversationId: TALK, runId },
      {
        resultOf: () => undefined,
        onAbort: () => undefined,
        onSend: () => {
          throw new Error('Nothing is said here.')
        },
        onNext: (next) => this.#handle(next),
        endedChildren: async () => [],
        isStored: async () => false,
        onEnd: () => undefined,
        onLeft: () => undefined,
      },
    )
    this.handles.push(handle)
    void handle.run.result.then((result) =>
      this.ends.push(result.outcome === 'aborted' ? result.reason : result.outcome),
    )
    return handle
  }

  async #adopt(ask: () => Promise<RunRef | null>): Promise<RunRef | null> {
    const expected = this.#feeds.expect(this.#ref.storage)
    const ref = await ask()
    if (ref) expected.claim(ref, this.#handle(ref.runId))
    expected.close()
    return ref
  }

  get #ref() {
    return { storage: storageKey(this.#scope.storage), conversationId: TALK }
  }

  #post(port: { postMessage(message: unknown): void }, message: unknown): void {
    const { type } = message as { readonly type: string }
    this.#world.posted.set(type, (this.#world.posted.get(type) ?? 0) + 1)
    this.task(0, () => port.postMessage(message))
  }

  #page(): PageApi {
    const executions = new Map<string, Promise<ToolOutcome>>()
    return doubleOf(PAGE_CALLS, {
      stepContext: () => ({
        model: { provider: 'slow', model: 'slow' },
        hasEngine: false,
        configId: 1,
        instructions: '',
        tools: this.#descriptors(),
        hasBeforeToolCall: false,
        raw: false,
      }),
      currentTools: () => this.#descriptors(),
      credentials: () => ({}),
      beforeToolCall: ({ input }) => ({ type: 'go', input }),
      needsApproval: () => true,
      describeCall: () => ({
        type: 'described',
        about: { text: `on the page of ${this.name}`, onPage: true },
      }),
      executeTool: (call) => {
        const known = executions.get(call.executionId) ?? this.#execute(call)
        executions.set(call.executionId, known)
        return known
      },
      knownExecutions: ({ executionIds }) => executionIds.filter((id) => executions.has(id)),
      cancelTools: () => undefined,
      acknowledgeTools: () => undefined,
      reconcileTool: () => ({ type: 'unknown' }),
    })
  }

  async #execute({ toolName, runId, toolCallId }: ExecuteTool): Promise<ToolOutcome> {
    const tool = this.tools[toolName]
    if (!tool) return { status: 'not-started', reason: 'not-registered' }
    this.ran.push(toolName)
    await this.sleep(tool.takes ?? 50)
    if (tool.asks) {
      const child = { childConversationId: `${TALK}.${toolCallId}`, childRunId: 'child' }
      await this.host.announceChild({ ...this.scope, runId, toolCallId, ...child })
      return { status: 'suspended', token: child.childConversationId }
    }
    return { status: 'succeeded', output: { type: 'text', value: `by ${this.name}` } }
  }

  #descriptors(): ToolDescriptor[] {
    return Object.entries(this.tools).map(([name, { takes: _takes, asks: _asks, ...tool }]) => ({
      name,
      description: name,
      inputSchema: { type: 'object' },
      annotations: {},
      timeoutMs: 60_000,
      parallelSafe: false,
      sequential: false,
      needsApproval: false,
      hasReconcile: false,
      definition: name,
      ...tool,
    }))
  }
}
