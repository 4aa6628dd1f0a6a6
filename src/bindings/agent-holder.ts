import type { Agent } from '../index.ts'

/** Shows an agent to a component while that is mounted. What it returns lets go of it. */
export type HoldAgent = (show: (agent: Agent) => void) => () => void

/** Makes an agent for a component, once, however often that is mounted anew, and disposes of it when it stays unmounted. */
export function holdAgent(create: () => Agent): HoldAgent {
  let agent: Agent | undefined
  let holds = 0
  return (show) => {
    show((agent ??= create()))
    holds += 1
    return () => {
      holds -= 1
      // A strict or a hot reload mounts it again at once.
      queueMicrotask(() => {
        if (holds > 0) return
        void agent?.dispose()
        agent = undefined
      })
    }
  }
}
