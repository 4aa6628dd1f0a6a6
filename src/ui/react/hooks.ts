import {
  type Context,
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useMemo,
  useRef,
  useSyncExternalStore,
  type DependencyList,
  type RefObject,
} from 'react'
import { holdAgent, throwNoAgent } from '../bindings/agent-holder.ts'
import type {
  Agent,
  Conversation,
  ConversationSnapshot,
  JsonSchema,
  StandardSchema,
} from '../../index.ts'
import { actionsOf, type ConversationActions, conversationOf } from '../bindings/conversation-of.ts'
import { memoizeSelector } from '../bindings/selection.ts'
import {
  type AnyTool,
  type AnyToolWith,
  type MountedTool,
  mountTool,
} from '../bindings/mounted-tools.ts'

/** Props of `OffstageProvider`: an `agent` made by the app, or a function that creates one. */
export type OffstageProviderProps = { readonly children?: ReactNode } & (
  | {
      /** An agent made by the app. The app also disposes of it. */
      readonly agent: Agent
      readonly create?: undefined
    }
  | {
      /**
       * Creates the agent once, after the first render in a browser; never on a server. The provider disposes of the
       * agent when it unmounts. If the function changes later, the new one is not called.
       */
      readonly create: () => Agent
      readonly agent?: undefined
    }
)

export const AgentContext: Context<Agent | null | undefined> = /* @__PURE__ */ createContext<
  Agent | null | undefined
>(undefined)

/** Provides an agent to the components below. */
export function OffstageProvider({ agent, create, children }: OffstageProviderProps): ReactElement {
  const [created, setCreated] = useState<Agent | null>(null)
  const [hold] = useState(() => create && holdAgent(create))
  const isGiven = agent !== undefined
  useEffect(() => (isGiven ? undefined : hold?.(setCreated)), [isGiven, hold])
  return createElement(AgentContext.Provider, { value: agent ?? created }, children)
}

/**
 * The nearest provider's agent. With `create`, null until the provider has made the agent, and always null on a
 * server.
 */
export function useAgent(): Agent | null {
  const agent = useContext(AgentContext)
  return agent === undefined
    ? throwNoAgent('There is no <OffstageProvider> around this component.')
    : agent
}

/** Result of `useConversation`: a snapshot, the full API, and actions. Before there is an agent, actions throw. */
export interface UsedConversation<Shown> extends ConversationActions {
  /** The current snapshot, or the result of `select`. */
  readonly snapshot: Shown
  /** The conversation's full API. Null until there is an agent. */
  readonly conversation: Conversation | null
}

/**
 * Follows a conversation. Components without an id share one conversation, which is new on each page. The returned
 * functions change only with the conversation.
 */
export function useConversation(id?: string | null): UsedConversation<ConversationSnapshot>
/** Renders again only when the result of `select` is no longer shallowly equal. */
export function useConversation<Shown>(
  id: string | null | undefined,
  select: (snapshot: ConversationSnapshot) => Shown,
): UsedConversation<Shown>
export function useConversation(
  id?: string | null,
  select: (snapshot: ConversationSnapshot) => unknown = identity,
): UsedConversation<unknown> {
  const agent = useAgent()
  const followed = useMemo(() => conversationOf(agent, id), [agent, id])
  const shown = useRef<unknown>(undefined)
  const pick = useMemo(() => memoizeSelector(select, shown.current), [followed, select])
  const snapshot = useSyncExternalStore(
    followed.subscribe,
    () => pick(followed.getSnapshot()),
    () => pick(followed.empty),
  )
  useEffect(() => {
    shown.current = snapshot
  })
  const actions = useMemo(() => actionsOf(() => followed), [followed])
  const { conversation } = followed
  return useMemo(() => ({ snapshot, conversation, ...actions }), [snapshot, conversation, actions])
}

function identity(snapshot: ConversationSnapshot): ConversationSnapshot {
  return snapshot
}

/**
 * Registers a tool, plain or composite, while the component is mounted. Calls use the functions of the newest rendering.
 * `deps`: values that the tool's name and schema depend on. Default: both are compared after each rendering.
 */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
  Shown = Output,
>(tool: AnyToolWith<Schema, Output, Shown>, deps?: DependencyList): void
export function useTool(tool: AnyTool, deps?: DependencyList): void {
  const agent = useAgent()
  const newest = useNewest(tool)
  const mounted = useRef<MountedTool>(undefined)
  useEffect(() => {
    mounted.current?.redefine()
  }, deps)
  useEffect(() => {
    if (!agent) return undefined
    const current = mountTool(agent, () => newest.current)
    mounted.current = current
    return () => {
      current.unmount()
      mounted.current = undefined
    }
  }, [agent, newest])
}

/** Adds a value to the model's live context while the component is mounted. Each step reads the newest value. */
export function useAgentContext(value: unknown): void {
  const agent = useAgent()
  const newest = useNewest(value)
  useEffect(() => agent?.addContext(() => newest.current), [agent, newest])
}

/** Returns a ref to the newest rendering's value, for functions that are called after its effects. */
function useNewest<Value>(value: Value): RefObject<Value> {
  const newest = useRef(value)
  useEffect(() => {
    newest.current = value
  })
  return newest
}
