import { getContext, onMount, setContext } from 'svelte'
import { fromStore, type Readable, toStore, writable } from 'svelte/store'
import { noAgent } from '../bindings/no-agent.ts'
import type { Agent } from '../index.ts'

/** State: templates, deriveds and effects that read `current` follow it. */
export interface AgentRef {
  readonly current: Agent | null
}

const AGENT = Symbol('offstage')

/**
 * Gives this component and those below it an agent: one that the app has made, and disposes of, or what makes it when this
 * component is mounted, never on a server; then it is disposed of when the component is unmounted.
 */
export function provideAgent(given: Agent | (() => Agent)): AgentRef {
  const isMadeHere = typeof given === 'function'
  const agent = writable(isMadeHere ? null : given)
  setContext<Readable<Agent | null>>(AGENT, agent)
  onMount(() => {
    if (!isMadeHere) return undefined
    const made = given()
    agent.set(made)
    return () => {
      agent.set(null)
      void made.dispose()
    }
  })
  return fromStore(agent)
}

/** The agent of the nearest provider. Null until that has made it, and on a server where it makes it itself. */
export function useAgent(): AgentRef {
  return fromStore(providedAgent() ?? noAgent('No component above has provided an agent.'))
}

/** Does something with the agent while the component is mounted: `work` returns what undoes it. */
export function whileMounted(work: (agent: Agent) => () => void): void {
  const agent = useAgent()
  onMount(() =>
    watch(
      () => agent.current,
      (now) => (now ? work(now) : () => {}),
    ),
  )
}

/** Acts on what is read from state, now and whenever it changes. What `act` returns undoes it. */
export function watch<Value>(read: () => Value, act: (value: Value) => () => void): () => void {
  let undo = (): void => {}
  const stop = toStore(read).subscribe((value) => {
    undo()
    undo = act(value)
  })
  return () => {
    stop()
    undo()
  }
}

export function providedAgent(): Readable<Agent | null> | undefined {
  return getContext<Readable<Agent | null> | undefined>(AGENT)
}
