import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Agent, ShownRun } from '../index.ts'
import type { EngineLoading } from './parts/engine-loading.ts'
import type { Around } from './parts/states.ts'

/** A load that has said nothing for so long is shown no longer. Milliseconds. */
const SILENT_MS = 120_000

/** What is around a conversation: the network, where it is kept, an engine that loads, and the list of all. Draws the element when they change. */
export class Surroundings implements ReactiveController {
  readonly #host: ReactiveControllerHost
  #agent: Agent | null = null
  #undo: (() => void)[] = []
  #isConnected = false
  isOffline = false
  #isKept = true
  #loading: EngineLoading | null = null
  #retry: ShownRun['retry']
  #retryAt = 0
  #ticking: ReturnType<typeof setTimeout> | undefined
  #forgetting: ReturnType<typeof setTimeout> | undefined

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    host.addController(this)
  }

  watch(agent: Agent | null): void {
    if (agent === this.#agent) return
    agent?.requirePerson()
    this.#stop()
    this.#agent = agent
    this.#isKept = true
    this.#loading = null
    if (this.#isConnected) this.#start()
  }

  /** Draws anew each second while a retry is waited for. */
  current(retry: ShownRun['retry']): Around {
    if (retry !== this.#retry) this.#retryAt = Date.now() + (retry?.delayMs ?? 0)
    this.#retry = retry
    const retryInMs = Math.max(0, this.#retryAt - Date.now())
    clearTimeout(this.#ticking)
    if (retryInMs > 0)
      this.#ticking = setTimeout(() => this.#host.requestUpdate(), retryInMs % 1000 || 1000)
    return {
      isOffline: this.isOffline,
      isKept: this.#isKept,
      loading: this.#loading,
      retryInMs,
    }
  }

  hostConnected(): void {
    this.#isConnected = true
    this.#start()
  }

  hostDisconnected(): void {
    this.#isConnected = false
    this.#stop()
  }

  #start(): void {
    const agent = this.#agent
    const update = (): void => this.#host.requestUpdate()
    const onNetwork = (): void => {
      this.isOffline = !navigator.onLine
      update()
    }
    onNetwork()
    addEventListener('online', onNetwork)
    addEventListener('offline', onNetwork)
    this.#undo.push(() => {
      removeEventListener('online', onNetwork)
      removeEventListener('offline', onNetwork)
    })
    if (!agent) return
    this.#undo.push(
      agent.conversations.subscribe(update),
      agent.on('storage', ({ mode, reason }) => {
        // Without a reason, the page has chosen it.
        this.#isKept = mode !== 'memory' || reason === undefined
        update()
      }),
      agent.on('engine-progress', (progress) => this.#load(progress)),
      // Loaded, given up or failed.
      agent.on('status', ({ status }) => status === 'idle' && this.#load(null)),
    )
  }

  /** Of a load that nobody hears of again, it is known only that it is over. */
  #load(progress: EngineLoading | null): void {
    clearTimeout(this.#forgetting)
    const loading = progress && !isLoaded(progress) ? progress : null
    if (loading) this.#forgetting = setTimeout(() => this.#load(null), SILENT_MS)
    if (loading === this.#loading) return
    this.#loading = loading
    this.#host.requestUpdate()
  }

  #stop(): void {
    clearTimeout(this.#forgetting)
    for (const undo of this.#undo) undo()
    this.#undo = []
  }
}

/** The same event says that a model is there: all of it is loaded. */
export function isLoaded({ loaded, total }: EngineLoading): boolean {
  return loaded !== undefined && total !== undefined && loaded >= total
}
