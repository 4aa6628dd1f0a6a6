import {
  type Context,
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { AgentHolder } from '../bindings/agent-holder.ts'
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
  const holder = useRef<AgentHolder>(undefined)
  const isGiven = agent !== undefined
  const creates = useRef(create)
  useEffect(() => {
    if (isGiven || !creates.current) return undefined
    const held = (holder.current ??= new AgentHolder())
    setMade(held.hold(creates.current))
    return () => held.release()
  }, [isGiven])
  return createElement(AgentContext.Provider, { value: agent ?? made }, children)
}

/** The agent of the nearest provider. Null until that has made it, and on a server where it makes it itself. */
export function useAgent(): Agent | null {
  const agent = useContext(AgentContext)
  return agent === undefined
    ? noAgent('There is no <OffstageProvider> around this component.')
    : agent
}
