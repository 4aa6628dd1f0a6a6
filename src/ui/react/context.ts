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
import { holdAgent, noAgent } from '../bindings/agent-holder.ts'
import type { Agent } from '../../index.ts'

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
  const [made, setMade] = useState<Agent | null>(null)
  const [hold] = useState(() => create && holdAgent(create))
  const isGiven = agent !== undefined
  useEffect(() => (isGiven ? undefined : hold?.(setMade)), [isGiven, hold])
  return createElement(AgentContext.Provider, { value: agent ?? made }, children)
}

/**
 * The nearest provider's agent. With `create`, null until the provider has made the agent, and always null on a
 * server.
 */
export function useAgent(): Agent | null {
  const agent = useContext(AgentContext)
  return agent === undefined
    ? noAgent('There is no <OffstageProvider> around this component.')
    : agent
}
