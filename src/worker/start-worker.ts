import { expose, wrap } from 'comlink'
import { holdLifeLock } from '../engines/life-lock.ts'
import {
  PROTOCOL_VERSION,
  type PageApi,
  type PageHello,
  type WorkerApi,
  type WorkerHello,
} from '../protocol/api.ts'
import { OffstageError, toErrorData } from '../protocol/error.ts'
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
}

/** The worker's one page. */
class Connection {
  readonly #options: StartWorkerOptions
  #host: Host | null = null

  constructor(options: StartWorkerOptions) {
    this.#options = options
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
    const effects = this.#options.effects ?? realEffects
    const page = wrap<PageApi>(hello.pagePort) as unknown as PageApi
    this.#host = new Host({
      page,
      pageId: hello.pageId,
      notify: (notice) => hello.eventPort.postMessage(notice),
      providers: createProviderRegistry(this.#options.providers),
      effects,
      openDurable: this.#options.openDurable ?? openIdbStore,
    })
    const holdsLock = await holdLifeLock(hello.lifeLock)
    return { protocolVersion: PROTOCOL_VERSION, holdsLock, clock: effects.monotonic() }
  }
}

function workerApi(connection: Connection): WorkerApi {
  const api: WorkerApi = {
    connect: (hello) => connection.connect(hello),
    ping: async () => undefined,
    // Accepted, not awaited: the run's outcome travels as its last event.
    startRun: async (command) => void connection.host.startRun(command),
    resumeRun: (command) => connection.host.resumeRun(command),
    abortRun: (command) => connection.host.abortRun(command),
    answerCall: (command) => connection.host.answerCall(command),
    supplyOutput: (command) => connection.host.supplyOutput(command),
    confirmLease: (lease) => connection.host.confirmLease(lease),
    toolsChanged: async (agentId) => connection.host.toolsChanged(agentId),
    releaseAgent: async (agentId) => connection.host.releaseAgent(agentId),
    extract: (command) => connection.host.extract(command),
    prepare: (preparation) => connection.host.prepare(preparation),
    stopPreparing: async (agentId) => connection.host.stopPreparing(agentId),
    listConversations: (scope) => connection.host.library.list(scope),
    getConversation: (scope) => connection.host.library.get(scope),
    renameConversation: (scope) => connection.host.library.rename(scope),
    deleteConversation: (scope) => connection.host.library.delete(scope),
    clearHistory: (scope) => connection.host.library.clearHistory(scope),
  }
  return plainErrors(api)
}

/** Comlink keeps only the words of an Error; plain error data crosses whole. */
function plainErrors(api: WorkerApi): WorkerApi {
  const wrapped = Object.entries(api).map(([name, method]) => [
    name,
    async (argument: never) => {
      try {
        return await (method as (argument: never) => Promise<unknown>)(argument)
      } catch (error) {
        throw toErrorData(error)
      }
    },
  ])
  return Object.fromEntries(wrapped) as WorkerApi
}
