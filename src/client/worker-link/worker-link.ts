import { createWorkerCaller, type WorkerCaller } from './ask-worker.ts'
import type { ExtractRef, WorkerApi, WorkerCalls } from '../../protocol/worker-calls.ts'
import type { PageNotice, WorkerNotice } from '../../protocol/notices.ts'
import { storageKey, type StorageState } from '../../protocol/conversation.ts'
import { storageCleared } from '../../protocol/storage-cleared.ts'
import type { OffstageError } from '../../protocol/error.ts'
import type { Row } from '../../protocol/fact.ts'
import { createBatchGate, type ExecutionHost, Executions } from '../execution/executions.ts'
import type { Connection, WorkerSource } from './worker-start.ts'
import { disposedError, toOffstageError } from '../api/failures.ts'
import { type FeedNotice, Feeds } from '../views/feeds.ts'
import {
  type AgentPage,
  createPageApi,
  ModelRequests,
  type Redactor,
  Redactors,
} from '../page-life/page-api.ts'
import { type RestartedAgent, Restarts, sendAborts, workerLostError } from '../runs/restarts.ts'
import { sleep } from '../../lib/sleep.ts'
import { connectSource } from './worker-source.ts'
import { monotonicMs } from '../../lib/monotonic-ms.ts'

const STORED_KEY = 'offstage.stored '

/**
 * Marks, outside the database, that it exists. Returns whether it was marked before. False also if the page has no
 * local storage, or that was cleared.
 */
function markStored(storage: string): boolean {
  try {
    // The one of `window`, as other runtimes have a global one that asks for a file.
    const marks = globalThis.window.localStorage
    const isMarked = marks.getItem(STORED_KEY + storage) !== null
    if (!isMarked) marks.setItem(STORED_KEY + storage, '')
    return isMarked
  } catch {
    return false
  }
}

interface Heartbeat {
  ping(): Promise<unknown>
  /** False ends the watch. */
  isNeeded(): boolean
  readonly intervalMs: number
}

/**
 * Pings the worker as long as needed. Resolves to true if the worker hangs: no answer for 8/3 of the interval, during
 * which the page was never blocked or frozen.
 */
async function watchHeartbeat(options: Heartbeat): Promise<boolean> {
  const { intervalMs, isNeeded } = options
  for (;;) {
    await sleep(intervalMs)
    if (!isNeeded()) return false
    if (!(await isAlive(options))) return isNeeded()
  }
}

async function isAlive({ ping, intervalMs }: Heartbeat): Promise<boolean> {
  const slice = intervalMs / 3
  let hasAnswered = false
  const sendPing = (): void => {
    const onAnswer = (): void => void (hasAnswered = true)
    ping().then(onAnswer, onAnswer)
  }
  sendPing()
  for (let silentSlices = 0; !hasAnswered && silentSlices < 8; silentSlices++) {
    const dueAt = monotonicMs() + slice
    await sleep(slice)
    if (monotonicMs() - dueAt < slice) continue
    // The timer fired late: the page was busy or asleep, and the answer may still be queued.
    await sleep(0)
    if (!hasAnswered) sendPing()
    silentSlices = -1
  }
  return hasAnswered
}

/** Calls back when the page is shown, hidden, frozen or left. After the last three, no further event is guaranteed. */
function onPageVisibility(signal: AbortSignal, onChange: () => void): void {
  const options = { signal, capture: true }
  globalThis.addEventListener?.('pagehide', onChange, options)
  for (const type of ['freeze', 'visibilitychange'])
    globalThis.document?.addEventListener(type, onChange, options)
}

/**
 * Calls back on `beforeunload`. `pagehide` is too late: a worker that ends with its page doesn't get the message. Stop
 * listening as soon as possible: some browsers keep such pages out of the back/forward cache.
 */
function onPageLeaving(onLeave: () => void): () => void {
  const stopping = new AbortController()
  globalThis.addEventListener?.('beforeunload', onLeave, { signal: stopping.signal })
  return () => stopping.abort()
}

/** A command to the worker, on behalf of an agent. */
interface SentCommand {
  readonly agentId: string
  readonly name: keyof WorkerCalls
  readonly argument: unknown
}

/** Commands to a worker that have no answer yet. */
class OpenCommands {
  readonly #open = new Map<(error: OffstageError) => void, SentCommand>()

  get size(): number {
    return this.#open.size
  }

  send(worker: WorkerApi, command: SentCommand): Promise<never> {
    const answer = worker[command.name] as (argument: unknown) => Promise<never>
    return new Promise((resolve, reject) => {
      this.#open.set(reject, command)
      void answer(command.argument)
        .then(resolve, (thrown) => reject(toOffstageError(thrown)))
        .finally(() => this.#open.delete(reject))
    })
  }

  /** Rejects the commands for which `errorOf` returns an error. */
  reject(errorOf: (command: SentCommand) => OffstageError | false): void {
    for (const [reject, command] of this.#open) {
      const error = errorOf(command)
      if (!error) continue
      this.#open.delete(reject)
      reject(error)
    }
  }
}

const HEARTBEAT_MS = 3000
const RELEASE_MS = 1000

export type AgentNotice =
  | Exclude<
      WorkerNotice,
      FeedNotice | { readonly type: 'risk' | 'conversations-changed' | 'run-inherited' | 'storage' }
    >
  | ({ readonly type: 'storage' } & StorageState)
  | { readonly type: 'worker'; readonly state: 'starting' | 'ready' | 'lost' }

type StorageNotice = Extract<WorkerNotice, { readonly type: 'storage' }>

/** An agent, as its worker connection sees it. */
export interface LinkedAgent extends ExecutionHost, RestartedAgent {
  readonly agentId: string
  readonly page: AgentPage
  readonly redactor: Redactor | undefined
  /** Called when a row of a conversation was stored. */
  onRow(row: Row): void
  /** Called when conversations of a store changed; without a store, perhaps of any. */
  onListChange(storage?: string): void
  onNotice(notice: AgentNotice): void
  /** Called when the worker resumes a run of the conversation by itself. */
  onInherited(conversationId: string): void
  hasOpenWork(): boolean
  /** Fails the run that caused the worker's death, here and in the store. */
  failCrashedRun(runId: string, error: OffstageError): void
  /** Called when the agent is disposed. */
  releaseEngines(): void
}

export interface LinkOptions extends WorkerSource {
  readonly heartbeatMs?: number
}

const links = new Map<unknown, WorkerLink>()

/**
 * The page's connection to a worker, shared by all agents that use it. Starts the worker on first use, watches it, and
 * starts another when it dies.
 */
export class WorkerLink {
  readonly executions: Executions
  /** Everything that the worker publishes, by conversation. */
  readonly feeds: Feeds
  readonly #fetches = new ModelRequests()
  readonly #redactors = new Redactors()
  readonly #key: unknown
  readonly #options: LinkOptions
  readonly #agents = new Map<string, LinkedAgent>()
  readonly #gate = createBatchGate()
  readonly #commands = new OpenCommands()
  readonly #restarts: Restarts
  /** Number of commands that the next worker is sent again. */
  #carried = 0
  readonly #closed = new AbortController()
  #opening: Promise<Connection> | undefined
  #connection: Connection | undefined
  /** Ends the watch over the worker. */
  #unwatch: (() => void) | undefined
  #toPageTime: Connection['toPageTime'] = (workerMs) => workerMs
  /** Resolves to true once there is another worker, to false if there will be none. */
  #restarting: Promise<boolean> | undefined
  /** True if a worker was lost before. */
  #hasLost = false
  /** True if the worker was ended because the page was left. */
  #isSuspended = false

  private constructor(key: unknown, options: LinkOptions) {
    this.#key = key
    this.#options = options
    this.feeds = new Feeds({
      onRow: (row) => this.#agents.forEach((agent) => agent.onRow(row)),
      onOver: (runId) => this.executions.stopRun(runId, 'it ended'),
    })
    this.executions = new Executions({
      gate: this.#gate,
      flush: () => this.feeds.flush(),
      hostOf: (id) => this.#agents.get(id),
      isAborted: (runId) =>
        [...this.#agents.values()].some(({ parts: { runs } }) => runs.isAborted(runId)),
      toPageTime: (workerMs) => this.#toPageTime(workerMs),
    })
    this.#restarts = new Restarts({
      agents: () => [...this.#agents.values()],
      heartbeatMs: this.#heartbeatMs,
      open: () => this.#openConnection(),
      isLive: (connection) => this.#connection === connection,
    })
    onPageVisibility(this.#closed.signal, this.#sendVisibility)
    const { signal } = this.#closed
    const onCached = (type: 'pagehide' | 'pageshow', act: () => void): void =>
      globalThis.addEventListener?.(type, ({ persisted }) => persisted && act(), { signal })
    // Running work would make the browser drop the page from the back/forward cache.
    onCached('pagehide', () => this.#suspendForCache())
    onCached('pageshow', () => this.#onReturn())
  }

  /** Returns the link to the worker that these options name, and counts the agent until it is removed. */
  static forAgent(options: LinkOptions, agent: LinkedAgent): WorkerLink {
    const key = options.worker ?? String(options.workerUrl ?? '')
    const link = links.get(key) ?? new WorkerLink(key, options)
    links.set(key, link)
    // The agent that came first may be from the entry without an inline worker.
    link.#options.inline ??= options.inline
    link.#agents.set(agent.agentId, agent)
    if (agent.redactor) link.#redactors.add(agent.redactor)
    return link
  }

  get isStarted(): boolean {
    return this.#opening !== undefined
  }

  /**
   * Returns the agent's access to the worker. Once the signal aborts, nothing is sent, not even commands that waited
   * for the worker to start.
   */
  caller(agentId: string, signal: AbortSignal): WorkerCaller {
    return createWorkerCaller(
      async (name, argument) => {
        if (signal.aborted) throw disposedError()
        const connection = await this.#openConnection()
        if (signal.aborted) throw disposedError()
        return this.#send(connection, { agentId, name, argument })
      },
      { carry: (count) => (this.#carried += count), next: () => this.#restarting },
    )
  }

  /** Publishes a tool's progress: on this page at once, on others through the worker. */
  report(notice: Extract<PageNotice, { readonly type: 'tool-progress' }>): void {
    const { type, runId, conversationId, path, progress, storage } = notice
    const ref = { storage: storageKey(storage), conversationId }
    this.feeds.publish(ref, { type, runId, path, progress })
    try {
      this.#connection?.notify(notice)
    } catch {
      // Progress that can't be cloned is shown on this page only.
    }
  }

  /** Releases an agent; the last one closes the worker. */
  async releaseAgent(agentId: string): Promise<void> {
    this.#commands.reject((command) => command.agentId === agentId && disposedError())
    // The worker goes first: it must not store a tool that is stopped here as stopped for good.
    if (this.#connection) {
      const command = { agentId, name: 'releaseAgent', argument: { agentId } } as const
      const released = this.#send(this.#connection, command).catch(() => {})
      await Promise.race([released, sleep(RELEASE_MS)])
    }
    this.executions.releaseAgent(agentId)
    this.#agents.get(agentId)?.releaseEngines()
    this.#redactors.release(this.#agents.get(agentId)?.redactor)
    this.#agents.delete(agentId)
    // Another agent may have come meanwhile: a component that is mounted twice, for example.
    if (this.#agents.size) return
    links.delete(this.#key)
    this.#closed.abort()
    this.#unwatch?.()
    this.#connection?.close()
    this.#fetches.abortAll()
    this.#connection = this.#opening = undefined
  }

  #send(connection: Connection, command: SentCommand): Promise<never> {
    if (connection !== this.#connection) return Promise.reject(workerLostError())
    const answer = this.#commands.send(connection.worker, command)
    void this.#watch(connection)
    return answer
  }

  #openConnection(): Promise<Connection> {
    return (this.#opening ??= this.#connect().catch((thrown) => {
      this.#opening = undefined
      throw toOffstageError(thrown)
    }))
  }

  async #connect(): Promise<Connection> {
    // `#opening` must be set before listeners hear of the start, as they may ask something of the worker.
    await this.#restarts.pause()
    if (this.#closed.signal.aborted) throw disposedError()
    this.#emit({ type: 'worker', state: 'starting' })
    this.#gate.reset()
    const connection = await connectSource(this.#options, {
      page: createPageApi(
        (id) => this.#agents.get(id)?.page,
        [this.executions, this.#fetches, this.#redactors],
      ),
      signal: this.#closed.signal,
      onNotice: (notice) => this.#onNotice(notice),
    })
    if (this.#closed.signal.aborted) {
      connection.close()
      throw disposedError()
    }
    this.#connection = connection
    this.#toPageTime = connection.toPageTime
    this.#sendVisibility()
    this.#emit({ type: 'worker', state: 'ready' })
    if (this.#hasLost) {
      this.#rejoin()
      for (const { parts } of this.#agents.values()) sendAborts(parts)
    }
    return connection
  }

  #onNotice(notice: WorkerNotice): void {
    if (notice.type === 'risk') return this.#restarts.onRisk(notice)
    if (notice.type === 'storage') return this.#onStorage(notice)
    if (notice.type === 'engine-progress') return this.#agents.get(notice.agentId)?.onNotice(notice)
    if (notice.type === 'run-inherited')
      return this.#agents.get(notice.agentId)?.onInherited(notice.conversationId)
    if (notice.type === 'conversations-changed')
      return this.#agents.forEach((agent) => agent.onListChange(notice.storage))
    if (notice.type !== 'stream' && notice.type !== 'checkpoint') return this.#emit(notice)
    this.feeds.onNotice(notice)
    this.#gate.advance(notice.batch)
    this.#restarts.onPublished(notice)
  }

  #onStorage({ type, storage, isNew, mode, reason }: StorageNotice): void {
    const wasStored = mode === 'durable' && markStored(storage)
    const finalReason = isNew && wasStored ? storageCleared().toData() : reason
    for (const agent of this.#agents.values())
      if (storageKey(agent.parts.scope().storage) === storage)
        agent.onNotice({ type, mode, ...(finalReason && { reason: finalReason }) })
    if (finalReason?.code === 'storage-cleared') this.#rejoin()
  }

  /** Refreshes all views: other tabs may have changed something unseen, or a worker died. */
  #rejoin(): void {
    this.feeds.requestCheckpoints()
    for (const agent of this.#agents.values()) agent.onListChange()
  }

  #emit(notice: AgentNotice): void {
    for (const agent of this.#agents.values()) agent.onNotice(notice)
  }

  #hasOpenWork(): boolean {
    const agents = [...this.#agents.values()]
    return this.#carried > 0 || this.feeds.showsRun || agents.some((agent) => agent.hasOpenWork())
  }

  readonly #sendVisibility = (): void => {
    this.#connection?.notify({ type: 'visibility', isVisible: !globalThis.document?.hidden })
  }

  /** Watches the worker while something is open: by pings, and by a lock whose release shows its death. */
  async #watch(connection: Connection): Promise<void> {
    if (this.#unwatch) return
    const stopWatching = connection.watchLife(() => this.#lose(connection))
    const stopListening = onPageLeaving(this.#sendVisibility)
    const unwatch = (): void => {
      stopWatching()
      stopListening()
      if (this.#unwatch === unwatch) this.#unwatch = undefined
    }
    this.#unwatch = unwatch
    const isHanging = await watchHeartbeat({
      ping: () => connection.worker.ping(),
      isNeeded: () => this.#unwatch === unwatch && (this.#commands.size > 0 || this.#hasOpenWork()),
      intervalMs: this.#heartbeatMs,
    })
    unwatch()
    if (isHanging) this.#lose(connection)
  }

  get #heartbeatMs(): number {
    return this.#options.heartbeatMs ?? HEARTBEAT_MS
  }

  #lose(connection: Connection): void {
    if (this.#connection !== connection) return
    this.#connection = this.#opening = undefined
    this.#unwatch?.()
    connection.close()
    this.#fetches.abortAll()
    this.#hasLost = true
    this.feeds.onWorkerLost()
    this.#emit({ type: 'worker', state: 'lost' })
    const blamed = this.#restarts.blame()
    // If the page ended the worker itself, no run caused it.
    const crashed = this.#isSuspended ? undefined : blamed
    if (crashed) this.#agents.get(crashed.agentId)?.failCrashedRun(crashed.runId, crashed.error)
    // A death whose cause is known, and won't happen again, doesn't count against the other runs.
    if (this.#hasOpenWork())
      this.#restarting = this.#restarts.restart(!crashed && !this.#isSuspended)
    this.#commands.reject((command) => {
      const extractId = extractIdOf(command)
      const isBlamed = extractId !== undefined && extractId === crashed?.extractId
      return isBlamed ? crashed.error : workerLostError()
    })
  }

  /**
   * The page may be kept in the back/forward cache. If something is open, its worker ends: frozen, it would hold the
   * locks of its conversations, and the next page would wait for them.
   */
  #suspendForCache(): void {
    this.#unwatch?.()
    this.#isSuspended = this.#commands.size > 0 || this.#hasOpenWork()
    if (this.#isSuspended) this.#connection?.close()
    // If nothing is open, this ends the rest of an answer at most.
    this.#fetches.abortAll()
  }

  #onReturn(): void {
    const connection = this.#connection
    if (this.#isSuspended && connection) this.#lose(connection)
    this.#isSuspended = false
    this.#rejoin()
  }
}

function extractIdOf({ name, argument }: SentCommand): string | undefined {
  return name === 'extract' ? (argument as ExtractRef).extractId : undefined
}
