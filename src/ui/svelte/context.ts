import { getContext, onMount, setContext } from 'svelte'
import { fromStore, type Readable, toStore, writable } from 'svelte/store'
import { noAgent } from '../bindings/agent-holder.ts'
import type { Agent } from '../../index.ts'

/** Reactive state: templates, deriveds and effects that read `current` update with it. */
export interface AgentRef {
  readonly current: Agent | null
}

const AGENT = Symbol('offstage')

/**
 * Provides an agent to this component and those below. The app disposes of an agent that it passes. A function is
 * called when this component mounts, never on a server. Its agent is disposed of when the component unmounts.
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

/** The nearest provider's agent. If the provider creates the agent, null until then, and always null on a server. */
export function useAgent(): AgentRef {
  return fromStore(providedAgent() ?? noAgent('No component above has provided an agent.'))
}

/** Runs `work` with the agent while the component is mounted. `work` returns its cleanup. */
export function whileMounted(work: (agent: Agent) => () => void): void {
  const agent = useAgent()
  onMount(() =>
    watch(
      () => agent.current,
      (now) => (now ? work(now) : () => {}),
    ),
  )
}

/** Calls `act` with the value now and whenever the state behind it changes. `act` returns its cleanup. */
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

/** A value, or a function that reads the current value from state. */
export type Given<Value> = Value | (() => Value)

/** Reads a value that isn't itself a function. */
export function read<Value>(given: Given<Value>): Value {
  return typeof given === 'function' ? (given as () => Value)() : given
}
