import type { Agent, ErrorCode } from '../../index.ts'

/** Shows an agent to a component while it is mounted. Call the returned function to release the agent. */
export type HoldAgent = (show: (agent: Agent) => void) => () => void

/** Creates one agent for a component, even if it remounts. Disposes of the agent when the component stays unmounted. */
export function holdAgent(create: () => Agent): HoldAgent {
  let agent: Agent | undefined
  let holders = 0
  return (show) => {
    show((agent ??= create()))
    holders += 1
    return () => {
      holders -= 1
      // Waits for a possible remount: strict mode and hot reload unmount and remount the component at once.
      queueMicrotask(() => {
        if (holders > 0) return
        void agent?.dispose()
        agent = undefined
      })
    }
  }
}

const ERROR = {
  name: 'OffstageError',
  code: 'invalid-config' satisfies ErrorCode,
  retryable: false,
}

/** Throws an error that `OffstageError.is` accepts. The class itself is loaded with the agent. */
export function throwNoAgent(message: string): never {
  throw Object.assign(new Error(message), ERROR)
}
