import type { AgentParts } from '../api/agent-parts.ts'
import { makeTitles } from '../features/make-titles.ts'
import { whenIdle } from './when-idle.ts'

/** Idle time before old conversations are dropped. Milliseconds. */
const IDLE_MS = 2000

/** Has the worker drop conversations beyond the `retention` limits, whenever the agent has been idle for a while. */
function keepRetention(agent: AgentParts): void {
  const { agentEvents, ask, options, scope } = agent
  const { retention } = options
  if (!retention) return
  const work = async (): Promise<void> => {
    const conversations = await ask('retainConversations', { ...scope(), retention })
    if (conversations.length > 0) agentEvents.emit({ type: 'conversations-dropped', conversations })
  }
  whenIdle(agent, { after: IDLE_MS, work })
}

/** Hosts of pages on a developer's own machine. */
const LOCAL = /^(localhost$|127\.|\[::1)/

/**
 * Drops old conversations and generates titles while no run is open, if the agent's options ask for it. On a
 * developer's own machine, also checks the schemas of tools.
 */
export function workWhileIdle(agent: AgentParts): void {
  keepRetention(agent)
  makeTitles(agent)
  // If the check can't be loaded, the page works without its warnings.
  if (LOCAL.test(globalThis.location?.hostname))
    import('../tools/warn-of-keywords.ts')
      .then((part) => part.warnOfKeywords(agent))
      .catch(() => {})
}
