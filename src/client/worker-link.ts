import type { AskWorker } from './ask-worker.ts'
import type { WorkerNotice } from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'
import type { EventBatch } from '../protocol/event.ts'
import { createBatchGate } from './batch-gate.ts'
import { monotonicMs } from './clock.ts'
import type { Connection } from './connection.ts'
import type { ExecutionHost } from './executions.ts'
import { Executions } from './executions.ts'
import { toOffstageError } from './failures.ts'
import { watchHeartbeat } from './heartbeat.ts'
import type { AgentPage } from './page-api.ts'
import { createPageApi } from './page-api.ts'
import { PageFetches } from './page-fetches.ts'
import { sleep } from './sleep.ts'
import type { WorkerSource } from './worker-source.ts'
import { connectSource } from './worker-source.ts'

const HEARTBEAT_MS = 3000
const MAX_RESTARTS = 3
const RESTART_WINDOW_MS = 60_000
const RELEASE_MS = 1000

export type AmbientNotice =
  | Exclude<WorkerNotice, { readonly type: 'events' }>
  | { readonly type: 'worker'; readonly state: 'starting' | 'ready' | 'lost' }

/** An agent, as its worker connection sees it. */
export interface LinkedAgent extends ExecutionHost {
  readonly agentId: string
  readonly page: AgentPage
  onBatch(batch: EventBatch): void
  onNotice(notice: AmbientNotice): void
  hasOpenWork(): boolean
  /** A new worker took the place of one that died. */
  takeUp(): void
  /** There will be no worker. */
  giveUp(error: OffstageError): void
  /** The agent is disposed of. */
  releaseEngines(): void
}

export interface LinkOptions extends WorkerSource {
  readonly heartbeatMs?: number
}

const links = new Map<unknown, WorkerLink>()

/**
 * The page's one line to a worker, shared by all agents that use it. Starts the worker at the first
 * question, watches it, and starts another when it dies.
 */
export class WorkerLink {
  readonly executions: Executions
  readonly #fetches = new PageFetches()
  readonly #key: unknown
  readonly #options: LinkOptions
  readonly #agents = new Map<string, LinkedAgent>()
  readonly #gate = createBatchGate()
  /** Rejects the questions that have no answer yet. */
  readonly #waiting = new Set<(error: OffstageError) => void>()
  #opening: Promise<Connection> | undefined
  #live: Connection | undefined
  #watched: Connection | undefined
  #restarts: number[] = []
  #toPageTime: Connection['toPageTime'] = (workerMs) => workerMs

  private constructor(key: unknown, options: LinkOptions) {
    this.#key = key
    this.#options = options
    this.executions = new Executions({
      gate: this.#gate,
      hostOf: (id) => this.#agents.get(id),
      toPageTime: (workerMs) => this.#toPageTime(workerMs),
    })
  }

  /** The line to the worker that these options name; counts the agent until it is removed. */
  static join(options: LinkOptions, agent: LinkedAgent): WorkerLink {
    const key = options.worker ?? String(options.workerUrl ?? '')
    const link = links.get(key) ?? new WorkerLink(key, options)
    links.set(key, link)
    link.#agents.set(agent.agentId, agent)
    return link
  }

  get isStarted(): boolean {
    return this.#opening !== undefined
  }

  readonly ask: AskWorker = async (method, ...command) => {
    const connection = await this.#open()
    if (connection !== this.#live) throw lost()
    void this.#watch(connection)
    const answer = connection.worker[method] as (...command: unknown[]) => Promise<never>
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      void answer(...command)
        .then(resolve, (thrown) => reject(toOffstageError(thrown)))
        .finally(() => this.#waiting.delete(reject))
    })
  }

  /** Lets go of an agent; the last one closes the worker. */
  async remove(agentId: string): Promise<void> {
    // The worker first: a tool that is stopped here must not be journaled as stopped for good.
    if (this.#live) {
      const released = this.ask('releaseAgent', agentId).catch(() => {})
      await Promise.race([released, sleep(RELEASE_MS)])
    }
    this.executions.release(agentId)
    this.#agents.get(agentId)?.releaseEngines()
    this.#agents.delete(agentId)
    // Another agent may have come meanwhile: a component that is mounted twice, for example.
    if (this.#agents.size) return
    this.#live?.close()
    this.#fetches.abortAll()
    this.#live = this.#opening = undefined
    links.delete(this.#key)
  }

  #open(): Promise<Connection> {
    return (this.#opening ??= this.#connect().catch((thrown) => {
      this.#opening = undefined
      throw toOffstageError(thrown)
    }))
  }

  async #connect(): Promise<Connection> {
    this.#tell({ type: 'worker', state: 'starting' })
    this.#gate.reset()
    const connection = await connectSource(this.#options, {
      page: createPageApi((id) => this.#agents.get(id)?.page, this.executions, this.#fetches),
      onNotice: (notice) => this.#onNotice(notice),
    })
    if (!this.#agents.size) {
      connection.close()
      throw new OffstageError('disposed', 'The agent was disposed.')
    }
    this.#live = connection
    this.#toPageTime = connection.toPageTime
    connection.onLockFree(() => this.#lose(connection))
    this.#tell({ type: 'worker', state: 'ready' })
    return connection
  }

  #onNotice(notice: WorkerNotice): void {
    if (notice.type === 'engine-progress') return this.#agents.get(notice.agentId)?.onNotice(notice)
    if (notice.type !== 'events') return this.#tell(notice)
    this.#agents.get(notice.agentId)?.onBatch(notice)
    this.#gate.handled(notice.batch)
  }

  #tell(notice: AmbientNotice): void {
    for (const agent of this.#agents.values()) agent.onNotice(notice)
  }

  #hasOpenWork(): boolean {
    return [...this.#agents.values()].some((agent) => agent.hasOpenWork())
  }

  async #watch(connection: Connection): Promise<void> {
    if (this.#watched === connection) return
    this.#watched = connection
    const hangs = await watchHeartbeat({
      ping: () => connection.worker.ping(),
      isNeeded: () => this.#live === connection && (this.#waiting.size > 0 || this.#hasOpenWork()),
      intervalMs: this.#options.heartbeatMs ?? HEARTBEAT_MS,
    })
    if (this.#watched === connection) this.#watched = undefined
    if (hangs) this.#lose(connection)
  }

  #lose(connection: Connection): void {
    if (this.#live !== connection) return
    this.#live = this.#opening = undefined
    connection.close()
    this.#fetches.abortAll()
    this.#tell({ type: 'worker', state: 'lost' })
    for (const reject of this.#waiting) reject(lost())
    this.#waiting.clear()
    if (this.#hasOpenWork()) void this.#restart()
  }

  async #restart(): Promise<void> {
    const now = monotonicMs()
    this.#restarts = this.#restarts.filter((at) => now - at < RESTART_WINDOW_MS)
    try {
      if (this.#restarts.length >= MAX_RESTARTS) throw lost()
      this.#restarts.push(now)
      await this.#open()
      for (const agent of this.#agents.values()) agent.takeUp()
    } catch (thrown) {
      for (const agent of this.#agents.values()) agent.giveUp(toOffstageError(thrown))
    }
  }
}

function lost(): OffstageError {
  return new OffstageError(
    'worker-lost',
    'The worker died or stopped answering. What was journaled is kept: resume() goes on from there.',
    { retryable: true },
  )
}
