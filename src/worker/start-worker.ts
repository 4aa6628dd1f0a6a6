import { expose, wrap } from 'comlink'
import { holdLifeLock } from '../engines/life-lock.ts'
import {
  PROTOCOL_VERSION,
  WORKER_BEGUN,
  type PageApi,
  type PageHello,
  type PageNotice,
  type WorkerApi,
  type WorkerHello,
} from '../protocol/api.ts'
import { OffstageError } from '../protocol/error.ts'
import { withPlainErrors, withRevivedErrors } from '../protocol/wire-errors.ts'
import type { ProviderDefinition } from '../providers/define-provider.ts'
import { createProviderRegistry } from '../providers/registry.ts'
import { realEffects, type Effects } from './effects.ts'
import { Host } from './host.ts'
import type { OpenDurable } from './stores.ts'
import { openIdbStore } from './store/idb-store.ts'

/** What the worker listens on: its own global scope, or a `MessagePort` in tests. */
export interface WorkerEndpoint {
  postMessage(message: unknown, transfer?: Transferable[]): void
  addEventListener(type: string, listener: (event: Event) => void): void
  removeEventListener(type: string, listener: (event: Event) => void): void
  start?(): void
}

export interface StartWorkerOptions {
  /** Providers of your own, made with `defineProvider`. One with a built-in's id replaces it. */
  readonly providers?: readonly ProviderDefinition[]
  /** Default: the worker's global scope. */
  readonly endpoint?: WorkerEndpoint
  /** For tests: the clock, ids and chance. */
  readonly effects?: Effects
  /** For tests: how a durable store is opened. Default: IndexedDB. */
  readonly openDurable?: OpenDurable
}

/**
 * Makes the current worker an Offstage worker. Call it once, at the top of the worker's own file;
 * importing this module does nothing.
 */
export function startWorker(options: StartWorkerOptions = {}): void {
  const endpoint = options.endpoint ?? (globalThis as unknown as WorkerEndpoint)
  const connection = new Connection(options)
  expose(workerApi(connection), endpoint as Parameters<typeof expose>[1])
  endpoint.start?.()
  endpoint.postMessage(WORKER_BEGUN)
}

/** The worker's one page. */
class Connection {
  readonly #options: StartWorkerOptions
  readonly #effects: Effects
  readonly #locks = new Map<string, () => void>()
  /** Locks whose release came before the question for them: it travels on another port. */
  readonly #released = new Set<string>()
  #host: Host | null = null

  constructor(options: StartWorkerOptions) {
    this.#options = options
    this.#effects = options.effects ?? realEffects
  }

  get host(): Host {
    if (this.#host === null) {
      throw new OffstageError('protocol-mismatch', 'The page must call connect() first.')
    }
    return this.#host
  }

  async connect(hello: PageHello): Promise<WorkerHello> {
    if (hello.protocolVersion !== PROTOCOL_VERSION) {
      throw new OffstageError(
        'protocol-mismatch',
        `The page speaks version ${hello.protocolVersion} of the protocol, the worker version ${PROTOCOL_VERSION}: an old file is cached somewhere. Reload without the cache, or deploy both files together.`,
      )
    }
    const effects = this.#effects
    const page = withRevivedErrors(wrap<PageApi>(hello.pagePort) as unknown as PageApi)
    this.#host = new Host({
      page,
      pageId: hello.pageId,
      notify: (notice) => hello.eventPort.postMessage(notice),
      providers: createProviderRegistry(this.#options.providers),
      effects,
      openDurable: this.#options.openDurable ?? openIdbStore,
    })
    hello.eventPort.onmessage = ({ data }) => this.#onNotice(data as PageNotice)
    return { protocolVersion: PROTOCOL_VERSION, clock: effects.monotonic() }
  }

  async holdLock(name: string): Promise<boolean> {
    if (this.#released.delete(name) || this.#effects.locks === undefined) return false
    return holdLifeLock(name, new Promise((release) => this.#locks.set(name, release)))
  }

  #onNotice(notice: PageNotice): void {
    switch (notice.type) {
      case 'release-lock':
        return this.#releaseLock(notice.name)
      case 'tool-progress':
        return this.#host?.progress(notice)
      default:
        notice satisfies never
    }
  }

  #releaseLock(name: string): void {
    const release = this.#locks.get(name)
    if (release) release()
    else this.#released.add(name)
    this.#locks.delete(name)
  }
}

function workerApi(connection: Connection): WorkerApi {
  const api: WorkerApi = {
    connect: (hello) => connection.connect(hello),
    ping: async () => undefined,
    holdLock: (name) => connection.holdLock(name),
    // Accepted, not awaited: the run's outcome travels as its last event.
    startRun: async (command) => void connection.host.startRun(command),
    resumeRun: (command) => connection.host.resumeRun(command),
    abortRun: (command) => connection.host.abortRun(command),
    answerCall: (command) => connection.host.answerCall(command),
    supplyOutput: (command) => connection.host.supplyOutput(command),
    confirmLease: (lease) => connection.host.confirmLease(lease),
    join: (scope) => connection.host.shown.join(scope),
    leave: (scope) => connection.host.shown.leave(scope),
    olderMessages: (scope) => connection.host.shown.olderMessages(scope),
    switchBranch: (scope) => connection.host.shown.switchBranch(scope),
    takeOver: (command) => connection.host.takeOver(command),
    toolsChanged: async (agentId) => connection.host.toolsChanged(agentId),
    releaseAgent: async (agentId) => connection.host.releaseAgent(agentId),
    extract: (command) => connection.host.extractions.run(command),
    stopExtracting: async (extractId) => connection.host.extractions.stop(extractId),
    prepare: (preparation) => connection.host.prepare(preparation),
    stopPreparing: async (agentId) => connection.host.stopPreparing(agentId),
    listConversations: (scope) => connection.host.library.list(scope),
    getConversation: (scope) => connection.host.library.get(scope),
    renameConversation: (scope) => connection.host.library.rename(scope),
    deleteConversation: (scope) => connection.host.library.delete(scope),
    clearHistory: (scope) => connection.host.library.clearHistory(scope),
  }
  return withPlainErrors(api)
}
