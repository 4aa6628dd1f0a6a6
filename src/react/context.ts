import {
  type Context,
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useState,
} from 'react'
import { holdAgent } from '../bindings/agent-holder.ts'
import { noAgent } from '../bindings/no-agent.ts'
import type { Agent } from '../index.ts'

export type OffstageProviderProps = { readonly children?: ReactNode } & (
  | {
      /** Made by the app, which also disposes of it. */
      readonly agent: Agent
      readonly create?: undefined
    }
  | {
      /**
       * Makes the agent, once, after the first rendering in a page; never on a server. It is disposed of when the provider is
       * unmounted. A later function is not called.
       */
      readonly create: () => Agent
      readonly agent?: undefined
    }
)

export const AgentContext: Context<Agent | null | undefined> = /* @__PURE__ */ createContext<
  Agent | null | undefined
>(undefined)

/** Gives the components below an agent. */
export function OffstageProvider({ agent, create, children }: OffstageProviderProps): ReactElement {
  const [made, setMade] = useState<Agent | null>(null)
  const [hold] = useState(() => create && holdAgent(create))
  const isGiven = agent !== undefined
  useEffect(() => (isGiven ? undefined : hold?.(setMade)), [isGiven, hold])
  return createElement(AgentContext.Provider, { value: agent ?? made }, children)
}

/** The agent of the nearest provider. Null until that has made it, and on a server where it makes it itself. */
export function useAgent(): Agent | null {
  const agent = useContext(AgentContext)
  return agent === undefined
    ? noAgent('There is no <OffstageProvider> around this component.')
    : agent
}
