import { type ConversationRecord, storageKey } from '../../protocol/conversation.ts'
import type { AgentParts } from '../api/agent-parts.ts'
import { type Listeners, notifyAll, type Source } from '../runs/snapshot-store.ts'
import { type ConversationSnapshot, emptySnapshot } from '../../conversation/snapshot.ts'
import { NOTHING_LIVE } from '../../conversation/live.ts'
import { view } from '../../conversation/view.ts'
import type { Live } from '../../protocol/delta.ts'
import { UNFINISHED_REASONS, type PendingCall } from '../../protocol/run.ts'
import type { ConversationState, OlderMessages } from '../../protocol/state.ts'
import type { StreamRef } from '../../protocol/notices.ts'
import type { Feed, FeedViews, Watcher } from './feeds.ts'
import { recordPendingCalls } from '../execution/person-check.ts'
import type { StartRun } from '../../protocol/worker-calls.ts'
import { olderThan, withOlder } from '../../conversation/checkpoint.ts'
import { toErrorData } from '../../protocol/error.ts'
import { sumUsage } from '../../conversation/usage.ts'
import type { RunUsage } from '../../protocol/message.ts'

/**
 * `FRAME_MS`: delay on a hidden page, which gets no frames. `HIDDEN_MS`: longest wait for a frame otherwise.
 * Milliseconds.
 */
const FRAME_MS = 16
const HIDDEN_MS = 100

/**
 * Calls back once, at the next frame, or after a delay if there are no frames. Returns a function that cancels the
 * callback.
 */
function onNextFrame(callback: () => void): () => void {
  const isVisible = globalThis.document?.visibilityState === 'visible'
  let frame = 0
  const cancel = (): void => {
    clearTimeout(timer)
    if (frame) cancelAnimationFrame(frame)
  }
  const fire = (): void => {
    cancel()
    callback()
  }
  const timer = setTimeout(fire, isVisible ? HIDDEN_MS : FRAME_MS)
  if (isVisible) frame = requestAnimationFrame(fire)
  return cancel
}

/** Notifies listeners at most once a frame. */
class Notifier {
  readonly #listeners: Listeners
  #cancelFrame: (() => void) | undefined

  constructor(listeners: Listeners) {
    this.#listeners = listeners
  }

  changed(): void {
    if (this.#listeners.size > 0) this.#cancelFrame ??= onNextFrame(() => this.#notify())
  }

  /** Notifies now if a notification waits for the next frame. */
  flush(): void {
    if (this.#cancelFrame) this.#notify()
  }

  #notify(): void {
    this.#cancelFrame?.()
    this.#cancelFrame = undefined
    notifyAll(this.#listeners)
  }
}

type RequestedRun = Pick<StartRun, 'runId' | 'conversationId' | 'message' | 'branch'>

/**
 * Returns the oldest run that this page requested and that has no known driver yet. Null if another run is open, or the
 * run was refused.
 */
function findRequestedRun(
  commands: Iterable<RequestedRun>,
  conversationId: string,
  feed: Pick<Feed, 'state' | 'live' | 'fault' | 'openRunId'> | undefined,
): RequestedRun | null {
  if (feed?.fault) return null
  const openRunId = feed?.openRunId ?? null
  const isNext = ({ runId }: RequestedRun): boolean =>
    openRunId === null
      ? runId !== feed?.state.run?.runId && runId !== feed?.live.left?.runId
      : runId === openRunId && feed?.live.ownership === 'none'
  for (const command of commands)
    if (command.conversationId === conversationId && isNext(command)) return command
  return null
}

/** Adds a requested run to the snapshot, so that its message is shown at once, at the end. */
function withRequestedRun(
  snapshot: ConversationSnapshot,
  { runId, message, branch }: RequestedRun,
): ConversationSnapshot {
  const status = snapshot.status === 'idle' ? 'running' : snapshot.status
  if (snapshot.runId === runId) return { ...snapshot, status }
  // Drops `ended`, `error` and `unsent`, which belong to the previous run.
  const { messages, ended: _ended, error: _error, unsent: _unsent, ...rest } = snapshot
  const isShown = message !== null && !branch
  return {
    ...rest,
    status,
    runId,
    messages: isShown ? [...messages, { role: 'user', ...message }] : messages,
  }
}

/** Time between attempts to join while the worker can't read the conversation. Milliseconds. */
const RETRY_MS = 3000

/** Joins a feed and loads its older messages as long as the feed has a watcher. */
export class JoinedFeed implements FeedViews {
  readonly #feed: Feed
  readonly #watchers = new Set<Watcher>()
  /** The watcher that sent the join request. */
  #joiner: Watcher | undefined
  /** `#isJoining`: the join request has no answer yet. `#isDue`: the checkpoint hasn't arrived yet. */
  #isJoining = false
  #isDue = false
  #isLoading = false

  constructor(feed: Feed) {
    this.#feed = feed
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0
  }

  watch(watcher: Watcher): void {
    const isFirst = this.#watchers.size === 0
    this.#watchers.add(watcher)
    if (isFirst) void this.requestCheckpoint()
  }

  unwatch(watcher: Watcher): void {
    if (!this.#watchers.delete(watcher)) return
    const isJoiner = this.#joiner === watcher
    if (this.#watchers.size > 0 && !isJoiner) return
    this.#isJoining = this.#isDue = false
    // The worker sends the feed to the page because one watcher joined. When that watcher leaves, another must join:
    // `requestCheckpoint` makes it join.
    if (this.#watchers.size > 0) return void this.requestCheckpoint()
    this.#feed.hasWholeState = false
    watcher.leave()
  }

  keepKnown(next: ConversationState): ConversationState {
    const { state } = this.#feed
    const knownNodes = new Map(state.path.map((node) => [node.id, node]))
    const path = next.path.map((node) => {
      const before = knownNodes.get(node.id)
      return before && JSON.stringify(before) === JSON.stringify(node) ? before : node
    })
    const first = path[0]
    const page = first && olderThan(state, first.id, Infinity)
    const merged = { ...next, path }
    return page ? withOlder(merged, page) : merged
  }

  onCheckpoint(): void {
    this.#isDue = false
    this.changed()
    void this.#loadOlder()
  }

  changed(): void {
    for (const watcher of this.#watchers) watcher.changed()
  }

  flush(): void {
    for (const watcher of this.#watchers) watcher.flush()
  }

  onWorkerLost(): void {
    this.#isDue = false
  }

  async requestCheckpoint(): Promise<void> {
    const [watcher] = this.#watchers
    if (!watcher || this.#isJoining || this.#isDue) return
    this.#isJoining = this.#isDue = true
    this.#joiner = watcher
    let error: unknown = null
    await watcher.join().catch((thrown: unknown) => (error = thrown))
    // Stops if the watcher has left: another may have joined since.
    if (this.#joiner !== watcher || !this.#watchers.has(watcher)) return
    this.#isJoining = false
    if (error === null) return
    this.#isDue = false
    const fault = toErrorData(error)
    this.#feed.fault = fault
    this.changed()
    if (fault.retryable) setTimeout(() => void this.requestCheckpoint(), RETRY_MS)
  }

  async #loadOlder(): Promise<void> {
    if (this.#isLoading) return
    this.#isLoading = true
    const feed = this.#feed
    try {
      while (feed.hasWholeState && feed.state.older > 0) {
        const [watcher] = this.#watchers
        const [first] = feed.state.path
        if (!watcher || !first) break
        const page = await watcher.olderMessages(first.id)
        if (page && this.#addOlder(page)) this.changed()
        else if (feed.state.path[0] === first) break
      }
    } catch {
      // The next checkpoint triggers another attempt.
    } finally {
      this.#isLoading = false
    }
  }

  /** Adds older messages. False if they don't connect to the known messages. */
  #addOlder(page: OlderMessages): boolean {
    const { state } = this.#feed
    this.#feed.state = withOlder(state, page)
    return this.#feed.state !== state
  }
}

/** View of a child conversation. */
interface ChildView extends Source<ConversationSnapshot> {
  end(): void
}

interface Child {
  /** Path of the call that started the child run. */
  readonly path: readonly string[]
  readonly source: ChildView
  usage: RunUsage
}

type Spent = NonNullable<ConversationSnapshot['spent']>

/** Adds child conversations to their parent's view: pending calls of a child are also pending in the parent. */
class ChildViews {
  readonly #open: (childId: string, notify: () => void) => ChildView
  readonly #notifier: { changed(): void }
  readonly #children = new Map<string, Child>()
  #combined: ConversationSnapshot | undefined
  /** Snapshots that `#combined` was made from. */
  #parts: readonly unknown[] = []

  constructor(
    open: (childId: string, notify: () => void) => ChildView,
    notifier: { changed(): void },
  ) {
    this.#open = open
    this.#notifier = notifier
  }

  /** Follows the child conversations of waiting calls, and stops following all others. */
  follow({ messages, runId }: ConversationSnapshot): void {
    const waiting = new Map<string, readonly string[]>()
    if (runId !== undefined)
      for (const { calls = [] } of messages)
        for (const { child, path, status } of calls)
          if (child && status === 'suspended') waiting.set(child.conversationId, path)
    for (const [childId, { source }] of this.#children)
      if (!waiting.has(childId)) {
        this.#children.delete(childId)
        source.end()
      }
    for (const [childId, path] of waiting)
      if (!this.#children.has(childId)) {
        const source = this.#open(childId, () => this.#notifier.changed())
        this.#children.set(childId, { path, source, usage: { modelCalls: 0 } })
        source.touch()
      }
  }

  /** Returns the snapshot with its children's state. Returns the same object until something changes. */
  combine(parent: ConversationSnapshot): ConversationSnapshot {
    if (this.#children.size === 0) return parent
    const children = [...this.#children.values()].map((child) => {
      const snapshot = child.source.read()
      // Keeps the last known usage of a child run that has ended.
      child.usage = snapshot.run?.usage ?? child.usage
      return { path: child.path, snapshot }
    })
    const parts = [parent, ...children.map(({ snapshot }) => snapshot)]
    const isSame =
      parts.length === this.#parts.length &&
      parts.every((part, index) => part === this.#parts[index])
    if (this.#combined && isSame) return this.#combined
    this.#parts = parts
    const childCalls = children.flatMap(({ path, snapshot }) =>
      snapshot.pending.map((call) => pendingOf(snapshot.conversationId, path, call)),
    )
    this.#combined = {
      ...parent,
      ...ownershipAndStatus(
        parent,
        children.map(({ snapshot }) => snapshot),
      ),
      ...(childCalls.length > 0 && {
        status: 'waiting',
        pending: [...parent.pending, ...childCalls],
      }),
      ...(parent.spent && { spent: this.#withChildUsage(parent.spent) }),
    }
    return this.#combined
  }

  /** Adds the usage of running children, which the parent's state contains only once their calls have ended. */
  #withChildUsage({ own, total }: Spent): Spent {
    const usages = [...this.#children.values()].map((child) => child.usage)
    return { own, total: usages.reduce(sumUsage, total) }
  }

  end(): void {
    for (const { source } of this.#children.values()) source.end()
    this.#children.clear()
  }
}

/**
 * Returns owner and status of a run. If the run only waits for child runs, returns those of a child run with a driver.
 */
function ownershipAndStatus(
  { ownership, status, runId }: ConversationSnapshot,
  children: readonly ConversationSnapshot[],
): Pick<ConversationSnapshot, 'ownership' | 'status'> {
  const working = children.find((child) => child.ownership !== 'none')
  const isOpen = runId !== undefined && ownership === 'none' && working !== undefined
  if (!isOpen) return { ownership, status }
  return { ownership: working.ownership, status: status === 'idle' ? 'running' : status }
}

function pendingOf(
  conversationId: string,
  parentPath: readonly string[],
  call: PendingCall,
): PendingCall {
  const { path = [call.toolCallId] } = call
  return {
    ...call,
    conversationId: call.conversationId ?? conversationId,
    path: [...parentPath, ...path],
  }
}

/** How long a conversation is followed after its last listener, because a component may mount again. Milliseconds. */
const LEAVE_MS = 5000
const PAGE_SIZE = 1000
/** How many conversations that aren't followed any more keep their snapshots. */
const MAX_LEFT_VIEWS = 8
/** Conversations that aren't followed any more, in the order of leaving. */
const leftViews = new Set<ConversationView>()

/** An agent's view of a conversation. */
export class ConversationView implements Source<ConversationSnapshot>, Watcher {
  readonly #agent: AgentParts
  readonly #listeners: Listeners
  readonly #notifier: Notifier
  readonly #ref: StreamRef
  readonly #first: ConversationSnapshot
  #feed: Feed | undefined
  /** Snapshot that includes the state of child conversations. */
  #snapshot: ConversationSnapshot
  /** The requested run, the snapshot without this run, and the snapshot with it. */
  #requested: readonly [
    ReturnType<typeof findRequestedRun>,
    ConversationSnapshot,
    ConversationSnapshot,
  ]
  /** Snapshot of this conversation alone. */
  #ownSnapshot: ConversationSnapshot
  readonly #children: ChildViews
  /** Parts that `#ownSnapshot` was made from. */
  #madeFrom: readonly [Feed['state'], Feed['live'], Feed['fault']] | undefined
  #leaveTimer: ReturnType<typeof setTimeout> | undefined

  /** The owner must call `close()` or `end()`. */
  constructor(agent: AgentParts, first: ConversationSnapshot, listeners: Listeners) {
    const { conversationId } = first
    this.#agent = agent
    // Watches for user gestures, because a person may answer a shown call.
    agent.personCheck.watch()
    this.#listeners = listeners
    this.#notifier = new Notifier(listeners)
    this.#ref = { storage: storageKey(agent.scope().storage), conversationId }
    this.#first = first
    this.#snapshot = first
    this.#requested = [null, first, first]
    this.#ownSnapshot = first
    this.#children = new ChildViews((childId, notify) => {
      const child = emptySnapshot(childId, 'loading')
      return new ConversationView(agent, child, new Set([notify]))
    }, this.#notifier)
  }

  read(): ConversationSnapshot {
    const base = this.#baseSnapshot()
    const { runs, signal } = this.#agent
    const commands = signal.aborted ? [] : runs.commands.values()
    const requested = findRequestedRun(commands, this.#ref.conversationId, this.#feed)
    const [previous, previousBase] = this.#requested
    if (requested !== previous || base !== previousBase)
      this.#requested = [requested, base, requested ? withRequestedRun(base, requested) : base]
    return this.#requested[2]
  }

  #baseSnapshot(): ConversationSnapshot {
    const feed = this.#feed
    if (!feed || !(feed.hasWholeState || feed.fault)) return this.#snapshot
    const parts = [feed.state, feed.live, feed.fault] as const
    if (parts.some((part, index) => part !== this.#madeFrom?.[index])) {
      this.#madeFrom = parts
      this.#ownSnapshot = view(...parts)
      recordPendingCalls(this.#ref.conversationId, this.#ownSnapshot.pending)
      this.#children.follow(this.#ownSnapshot)
    }
    this.#snapshot = this.#children.combine(this.#ownSnapshot)
    return this.#snapshot
  }

  touch(): void {
    clearTimeout(this.#leaveTimer)
    if (this.#agent.signal.aborted) {
      if (this.#feed) this.end()
      return
    }
    leftViews.delete(this)
    this.#feed ??= this.#watch()
    if (this.#listeners.size === 0) this.#leaveTimer = setTimeout(() => this.#leave(), LEAVE_MS)
  }

  changed(): void {
    this.#notifier.changed()
  }

  flush(): void {
    this.#notifier.flush()
  }

  join(): Promise<void> {
    return this.#agent.callWorker('join', this.#scope)
  }

  leave(): void {
    if (!this.#agent.signal.aborted)
      this.#agent.callWorker('leave', this.#scope).catch(() => undefined)
  }

  olderMessages(before: string): Promise<OlderMessages | null> {
    return this.#agent.callWorker('olderMessages', { ...this.#scope, before, count: PAGE_SIZE })
  }

  get #scope() {
    return { ...this.#agent.scope(), conversationId: this.#ref.conversationId }
  }

  #watch(): Feed {
    const feed = this.#agent.link().feeds.ensure(this.#ref)
    feed.views ??= new JoinedFeed(feed)
    feed.views.watch(this)
    return feed
  }

  /** Stops following. */
  end(): void {
    clearTimeout(this.#leaveTimer)
    this.#unwatch()
  }

  #leave(): void {
    this.#unwatch()
    leftViews.add(this)
    for (const leftView of leftViews) if (leftViews.size > MAX_LEFT_VIEWS) leftView.#forget()
  }

  /**
   * Drops the snapshot, which is loaded again on demand. A conversation with unfinished work keeps its snapshot, so
   * that pending calls stay known.
   */
  #forget(): void {
    leftViews.delete(this)
    if (this.#snapshot.status !== 'idle' || this.#agent.signal.aborted) return
    this.#madeFrom = undefined
    this.#ownSnapshot = this.#snapshot = this.#first
    this.#requested = [null, this.#first, this.#first]
  }

  #unwatch(): void {
    this.#baseSnapshot()
    this.#children.end()
    this.#feed?.views?.unwatch(this)
    this.#feed = undefined
    this.#agent.link().feeds.prune(this.#ref)
  }

  /** Ends the view of a disposed agent. The last snapshot is idle, without pending calls. */
  close(): void {
    const snapshot = this.#requested[2]
    this.end()
    if (snapshot.runId === undefined && snapshot.status === 'idle') return
    const { runId } = this.#snapshot
    if (this.#madeFrom && runId !== undefined) {
      const [state, { step }, fault] = this.#madeFrom
      const outcome = { outcome: 'aborted', reason: UNFINISHED_REASONS.disposed } as const
      // Keeps the partial answer in view, which a person may have read.
      const leftStep: Live['step'] = step && { ...step, isLeft: true }
      this.#snapshot = view(
        state,
        { ...NOTHING_LIVE, step: leftStep, left: { runId, outcome } },
        fault,
      )
    }
    this.#snapshot = { ...this.#snapshot, status: 'idle', pending: [] }
    this.#notifier.changed()
  }
}

/** An agent's view of its store: the conversations, newest first. */
export class ConversationListView implements Source<readonly ConversationRecord[]> {
  readonly #agent: AgentParts
  readonly #listeners: Listeners
  readonly #notifier: Notifier
  #records: readonly ConversationRecord[]
  /** True if the list may be out of date. */
  #isStale = true
  #retry: ReturnType<typeof setTimeout> | undefined
  #isReading = false

  constructor(agent: AgentParts, first: readonly ConversationRecord[], listeners: Listeners) {
    this.#records = first
    this.#agent = agent
    this.#listeners = listeners
    this.#notifier = new Notifier(listeners)
    agent.lists.add(this)
  }

  read(): readonly ConversationRecord[] {
    return this.#records
  }

  touch(): void {
    void this.#refresh()
  }

  /** Called when conversations of the store may have changed. */
  changed(): void {
    this.#isStale = true
    if (this.#listeners.size > 0) void this.#refresh()
  }

  async #refresh(): Promise<void> {
    if (this.#isReading) return
    this.#isReading = true
    try {
      while (this.#isStale && !this.#agent.signal.aborted) {
        this.#isStale = false
        this.#show(await this.#agent.callWorker('listConversations', this.#agent.scope()))
      }
    } catch (thrown) {
      this.#isStale = true
      clearTimeout(this.#retry)
      if (toErrorData(thrown).retryable)
        this.#retry = setTimeout(() => this.#listeners.size > 0 && this.touch(), RETRY_MS)
    } finally {
      this.#isReading = false
    }
  }

  #show(records: readonly ConversationRecord[]): void {
    const knownRecords = new Map(this.#records.map((record) => [record.conversationId, record]))
    const next = records.map((record) => {
      const before = knownRecords.get(record.conversationId)
      return before && JSON.stringify(before) === JSON.stringify(record) ? before : record
    })
    const { length } = this.#records
    if (next.length === length && next.every((record, index) => record === this.#records[index]))
      return
    this.#records = next
    this.#notifier.changed()
  }
}

/** Views of conversations, and of lists of them. Loaded with the first view. */
