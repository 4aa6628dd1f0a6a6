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
} from 'vue'
import { noAgent } from '../bindings/agent-holder.ts'
import type { Agent } from '../../index.ts'

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
  return inject(AGENT, null) ?? noAgent('There is no OffstageProvider around this component.')
}

/** Runs `work` with the agent while the component is mounted. `work` returns its cleanup. */
export function whileMounted(work: (agent: Agent) => () => void): void {
  const agent = useAgent()
  onMounted(() => {
    const follow = (
      now: Agent | null,
      _before: unknown,
      onCleanup: (undo: () => void) => void,
    ): void => {
      if (now) onCleanup(work(now))
    }
    watch(agent, follow, { immediate: true })
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
