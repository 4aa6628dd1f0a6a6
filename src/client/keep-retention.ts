import type { AgentParts } from './agent-parts.ts'
import { whenIdle } from './when-idle.ts'

/** How long the agent has had nothing open. Milliseconds. */
const IDLE_MS = 2000

/** Has the worker drop what is kept no longer, whenever the agent has had nothing open for a while. */
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
