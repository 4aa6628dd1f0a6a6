import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Agent, ShownRun } from '../../index.ts'
import type { EngineLoading } from './parts/engine-loading.ts'
import type { ChatEnvironment } from './parts/states.ts'

/** A load without news for this long is hidden. Milliseconds. */
const SILENT_MS = 120_000

/**
 * State around a conversation: network, storage, a loading engine, the list of conversations. Redraws the element on
 * changes.
 */
export class EnvironmentController implements ReactiveController {
  readonly #host: ReactiveControllerHost
  #agent: Agent | null = null
  #cleanups: (() => void)[] = []
  #isConnected = false
  isOffline = false
  #isPersisted = true
  #loading: EngineLoading | null = null
  #retry: ShownRun['retry']
  #retryAt = 0
  #retryTimer: ReturnType<typeof setTimeout> | undefined
  #loadTimer: ReturnType<typeof setTimeout> | undefined

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    host.addController(this)
  }

  watch(agent: Agent | null): void {
    if (agent === this.#agent) return
    agent?.requirePerson()
    this.#stopWatching()
    this.#agent = agent
    this.#isPersisted = true
    if (this.#isConnected) this.#start()
  }

  /** Returns the state. Redraws each second while a retry is pending. */
  current(retry: ShownRun['retry']): ChatEnvironment {
    if (retry !== this.#retry) this.#retryAt = Date.now() + (retry?.delayMs ?? 0)
    this.#retry = retry
    const retryInMs = Math.max(0, this.#retryAt - Date.now())
    clearTimeout(this.#retryTimer)
    if (retryInMs > 0)
      this.#retryTimer = setTimeout(() => this.#host.requestUpdate(), retryInMs % 1000 || 1000)
    return {
      isOffline: this.isOffline,
      isPersisted: this.#isPersisted,
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
    this.#stopWatching()
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
    this.#cleanups.push(() => {
      removeEventListener('online', onNetwork)
      removeEventListener('offline', onNetwork)
    })
    if (!agent) return
    this.#cleanups.push(
      agent.conversations.subscribe(update),
      agent.on('storage', ({ mode, reason }) => {
        // Memory without a reason is the app's own choice.
        this.#isPersisted = mode !== 'memory' || reason === undefined
        update()
      }),
      agent.on('engine-progress', (progress) => this.#showLoading(progress)),
      // Hides the progress when the engine is loaded, or its load failed or was aborted.
      agent.on('status', ({ status }) => status === 'idle' && this.#showLoading(null)),
    )
  }

  /** Shows a load's progress. Hides it if no further progress is reported. */
  #showLoading(progress: EngineLoading | null): void {
    clearTimeout(this.#loadTimer)
    const loading = progress && !isLoaded(progress) ? progress : null
    if (loading) this.#loadTimer = setTimeout(() => this.#showLoading(null), SILENT_MS)
    if (loading === this.#loading) return
    this.#loading = loading
    this.#host.requestUpdate()
  }

  #stopWatching(): void {
    clearTimeout(this.#loadTimer)
    this.#loading = null
    for (const cleanup of this.#cleanups) cleanup()
    this.#cleanups = []
  }
}

/** Whether the model is fully loaded: the last progress event says so. */
export function isLoaded({ loaded, total }: EngineLoading): boolean {
  return loaded !== undefined && total !== undefined && loaded >= total
}
