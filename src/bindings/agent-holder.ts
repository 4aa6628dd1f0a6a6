import type { Agent } from '../index.ts'

/** Makes an agent for a component, once, however often that is mounted anew, and disposes of it when it stays unmounted. */
export class AgentHolder {
  #agent: Agent | undefined
  #holds = 0

  hold(create: () => Agent): Agent {
    this.#agent ??= create()
    this.#holds += 1
    return this.#agent
  }

  release(): void {
    this.#holds -= 1
    // A strict or a hot reload mounts it again at once.
    queueMicrotask(() => {
      if (this.#holds > 0) return
      void this.#agent?.dispose()
      this.#agent = undefined
    })
  }
}
