import {
  type AllowedComponentProps,
  defineComponent,
  inject,
  type InjectionKey,
  onBeforeUnmount,
  onMounted,
  provide,
  type ShallowRef,
  shallowRef,
  type VNode,
  type VNodeProps,
  watch,
  type WatchSource,
  computed,
  type ComputedRef,
  type MaybeRefOrGetter,
  toValue,
} from 'vue'
import { throwNoAgent } from '../bindings/agent-holder.ts'
import type {
  Agent,
  Conversation,
  ConversationSnapshot,
  JsonSchema,
  StandardSchema,
} from '../../index.ts'
import { actionsOf, type ConversationActions, conversationOf } from '../bindings/conversation-of.ts'
import { memoizeSelector } from '../bindings/selection.ts'
import { type AnyTool, type AnyToolWith, mountTool } from '../bindings/mounted-tools.ts'

export type AgentRef = Readonly<ShallowRef<Agent | null>>

export const AGENT: InjectionKey<AgentRef> = /* @__PURE__ */ Symbol('offstage')

/**
 * Provides an agent to the components below. The app disposes of an agent that it passes. A function is called when
 * this component mounts, never on a server. Its agent is disposed of when the component unmounts.
 */
export function provideAgent(given: Agent | (() => Agent)): AgentRef {
  const agent = shallowRef<Agent | null>(null)
  provide(AGENT, agent)
  if (typeof given === 'function') {
    onMounted(() => {
      agent.value = given()
    })
    onBeforeUnmount(() => {
      void agent.value?.dispose()
      agent.value = null
    })
  } else agent.value = given
  return agent
}

/** The nearest provider's agent. If the provider creates the agent, null until then, and always null on a server. */
export function useAgent(): AgentRef {
  return inject(AGENT, null) ?? throwNoAgent('There is no OffstageProvider around this component.')
}

/** Calls `act` with the source's value while the component is mounted, and with each new value. */
function whileMounted<Value>(
  source: WatchSource<Value>,
  act: (value: Value, onCleanup: (undo: () => void) => void) => void,
): void {
  onMounted(() => {
    watch(source, (value, _before, onCleanup) => act(value, onCleanup), { immediate: true })
  })
}

/** Props of `OffstageProvider`: an `agent` made by the app, or a function that creates one. */
export type OffstageProviderProps =
  | { readonly agent: Agent; readonly create?: undefined }
  | { readonly create: () => Agent; readonly agent?: undefined }

/** `provideAgent` as a component, with `agent` or `create`. Later changes to these props have no effect. */
export const OffstageProvider: new () => {
  $props: AllowedComponentProps & VNodeProps & OffstageProviderProps
  $slots: { readonly default?: () => VNode[] }
} = /* @__PURE__ */ defineComponent({
  name: 'OffstageProvider',
  props: ['agent', 'create'],
  setup(props: OffstageProviderProps, { slots }) {
    provideAgent(props.agent ?? props.create)
    return () => slots.default?.()
  },
}) as never

/** Result of `useConversation`: a snapshot, the full API, and actions. Before there is an agent, actions throw. */
export interface UsedConversation<Shown> extends ConversationActions {
  /** The current snapshot, or the result of `select`. */
  readonly snapshot: Readonly<ShallowRef<Shown>>
  /** The conversation's full API. Null until there is an agent. */
  readonly conversation: ComputedRef<Conversation | null>
}

type Id = MaybeRefOrGetter<string | null | undefined>

/**
 * Follows a conversation while the component is mounted. Components without an id share one conversation, new on each
 * page.
 */
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
  const followed = computed(() => conversationOf(agent.value, toValue(id)))
  // The snapshot that a server renders, so that hydration matches.
  const snapshot = shallowRef(select(followed.value.empty))
  whileMounted(followed, ({ subscribe, getSnapshot }, onCleanup) => {
    const pick = memoizeSelector(select, snapshot.value)
    const show = (): void => {
      snapshot.value = pick(getSnapshot())
    }
    onCleanup(subscribe(show))
    show()
  })
  return {
    snapshot,
    conversation: computed(() => followed.value.conversation),
    ...actionsOf(() => followed.value),
  }
}

/**
 * Registers a tool, plain or composite, while the component is mounted. Pass a ref or getter to change the tool; calls
 * use the newest tool.
 */
export function useTool<
  const Schema extends JsonSchema | StandardSchema = JsonSchema,
  Output = unknown,
  Shown = Output,
>(tool: MaybeRefOrGetter<AnyToolWith<Schema, Output, Shown>>): void
export function useTool(tool: MaybeRefOrGetter<AnyTool>): void {
  whileMounted(useAgent(), (agent, onCleanup) => {
    if (!agent) return
    let newest = toValue(tool)
    const mounted = mountTool(agent, () => newest)
    const stop = watch(
      () => toValue(tool),
      (now) => {
        newest = now
        mounted.redefine()
      },
    )
    onCleanup(() => {
      stop()
      mounted.unmount()
    })
  })
}

/** Adds a value to the model's page context while the component is mounted. Each step reads the newest value. */
export function useAgentContext(value: unknown): void {
  whileMounted(useAgent(), (agent, onCleanup) => {
    if (agent) onCleanup(agent.addContext(() => toValue(value)))
  })
}
