import type { AgentParts } from './agent-parts.ts'
import { whenIdle } from './when-idle.ts'

/** Idle time before old conversations are dropped. Milliseconds. */
const IDLE_MS = 2000

/** Has the worker drop conversations beyond the `retention` limits, whenever the agent has been idle for a while. */
export function keepRetention(agent: AgentParts): void {
  const { agentEvents, ask, options, scope } = agent
  const { retention } = options
  if (!retention) return
  const work = async (): Promise<void> => {
    const conversations = await ask('retainConversations', { ...scope(), retention })
    if (conversations.length > 0) agentEvents.emit({ type: 'conversations-dropped', conversations })
  }
  whenIdle(agent, { after: IDLE_MS, work })
}
