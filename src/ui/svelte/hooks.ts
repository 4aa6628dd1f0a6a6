import { getContext, onMount, setContext } from 'svelte'
import { fromStore, type Readable, toStore, writable } from 'svelte/store'
import { throwNoAgent } from '../bindings/agent-holder.ts'
import type {
  Agent,
  Conversation,
  ConversationSnapshot,
  JsonSchema,
  StandardSchema,
} from '../../index.ts'
import { createSubscriber } from 'svelte/reactivity'
import {
  actionsOf,
  type ConversationActions,
  conversationOf,
  type FollowedConversation,
} from '../bindings/conversation-of.ts'
import { memoizeSelector } from '../bindings/selection.ts'
import { type AnyTool, type AnyToolWith, mountTool } from '../bindings/mounted-tools.ts'

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
    const created = given()
    agent.set(created)
    return () => {
      agent.set(null)
      void created.dispose()
    }
  })
  return fromStore(agent)
}

/** The nearest provider's agent. If the provider creates the agent, null until then, and always null on a server. */
export function useAgent(): AgentRef {
  return fromStore(providedAgent() ?? throwNoAgent('No component above has provided an agent.'))
}

/** Runs `work` with the agent while the component is mounted. `work` returns its cleanup. */
function whileMounted(work: (agent: Agent) => () => void): void {
  const agent = useAgent()
  onMount(() =>
    watch(
      () => agent.current,
      (now) => (now ? work(now) : () => {}),
    ),
  )
}

/** Calls `act` with the value now and whenever the state behind it changes. `act` returns its cleanup. */
function watch<Value>(read: () => Value, act: (value: Value) => () => void): () => void {
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

/** Result of `useConversation`: a snapshot, the full API, and actions. Before there is an agent, actions throw. */
export interface UsedConversation<Shown> extends ConversationActions {
  /** State: the current snapshot, or the result of `select`. */
  readonly snapshot: Shown
  /** State: the conversation's full API. Null until there is an agent. */
  readonly conversation: Conversation | null
}

type Id = Given<string | null | undefined>

/** Follows a conversation. Components without an id share one conversation, new on each page. */
export function useConversation(id?: Id): UsedConversation<ConversationSnapshot>
/** Changes `snapshot` only when the result of `select` is no longer shallowly equal. */
export function useConversation<Shown>(
  id: Id,
  select: (snapshot: ConversationSnapshot) => Shown,
): UsedConversation<Shown>
export function useConversation(
  id?: Id,
  select: (snapshot: ConversationSnapshot) => unknown = (snapshot) => snapshot,
): UsedConversation<unknown> {
  const agent = useAgent()
  // Returns the same object for the same agent and id.
  const sameKey = memoizeSelector((key: Key) => key)
  const shown = memoizeSelector((key: Key) =>
    createShown(conversationOf(key.agent, key.id), select),
  )
  const current = (): Shown => shown(sameKey({ agent: agent.current, id: read(id) }))
  return {
    get snapshot() {
      return current().read()
    },
    get conversation() {
      return current().followed.conversation
    },
    ...actionsOf(() => current().followed),
  }
}

interface Key {
  readonly agent: Agent | null
  readonly id: string | null | undefined
}

interface Shown {
  readonly followed: FollowedConversation
  /** Returns the snapshot. Templates and effects that read it run again when it changes. */
  read(): unknown
}

function createShown(
  followed: FollowedConversation,
  select: (snapshot: ConversationSnapshot) => unknown,
): Shown {
  const pick = memoizeSelector(select)
  const newest = (): unknown => pick(followed.getSnapshot())
  const follow = createSubscriber((update) => {
    let reported = newest()
    return followed.subscribe(() => {
      const before = reported
      reported = newest()
      if (reported !== before) update()
    })
  })
  return {
    followed,
    read: () => {
      follow()
      return newest()
    },
  }
}

/**
 * Registers a tool, plain or composite, while the component is mounted. A function may build the tool from state; calls
 * use the newest tool.
 */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
  Shown = Output,
>(tool: Given<AnyToolWith<Schema, Output, Shown>>): void
export function useTool(tool: Given<AnyTool>): void {
  whileMounted((agent) => {
    let newest = read(tool)
    const mounted = mountTool(agent, () => newest)
    const stop = watch(
      () => read(tool),
      (now) => {
        newest = now
        mounted.redefine()
        return () => {}
      },
    )
    return () => {
      stop()
      mounted.unmount()
    }
  })
}

/** Adds a value to the model's page context while the component is mounted. Each step reads the newest value. */
export function useAgentContext(value: unknown): void {
  whileMounted((agent) => agent.addContext(() => read(value)))
}
