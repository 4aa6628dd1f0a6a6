import type { ReactiveController, ReactiveControllerHost } from 'lit'
import type { Agent } from '../index.ts'

/** What is around a conversation: the network, where it is kept, and the list of all. Draws the element when they change. */
export class Surroundings implements ReactiveController {
  readonly #host: ReactiveControllerHost
  #agent: Agent | null = null
  #undo: (() => void)[] = []
  #isConnected = false
  isOffline = false
  isKept = true

  constructor(host: ReactiveControllerHost) {
    this.#host = host
    host.addController(this)
  }

  watch(agent: Agent | null): void {
    if (agent === this.#agent) return
    this.#stop()
    this.#agent = agent
    this.isKept = true
    if (this.#isConnected) this.#start()
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
    this.#undo.push(agent.conversations.subscribe(update))
    this.#undo.push(
      agent.on('storage', ({ mode }) => {
        this.isKept = mode !== 'memory'
        update()
      }),
    )
  }

  #stop(): void {
    for (const undo of this.#undo) undo()
    this.#undo = []
  }
}
