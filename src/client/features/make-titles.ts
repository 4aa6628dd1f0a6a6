import type { AgentParts } from '../api/agent-parts.ts'
import { whenIdle } from '../page-life/when-idle.ts'

/** How long nothing must have been open. Milliseconds. */
const IDLE_MS = 500

/** Has the worker title the conversations in which the agent ran something, whenever the agent is idle. */
export function makeTitles(agent: AgentParts): void {
  const { agentEvents, ask, options, runs, scope, signal } = agent
  if (!options.titles) return
  const untitled = new Set<string>()
  const isIdle = (): boolean => runs.open.size === 0 && !signal.aborted
  const title = async (conversationId: string): Promise<void> => {
    untitled.delete(conversationId)
    try {
      const made = await ask('titleConversation', { ...scope(), conversationId })
      if (made) agentEvents.emit({ type: 'conversation-titled', conversationId, ...made })
    } catch {
      // A run came in between, or the worker was lost. Tried again after the next run.
      untitled.add(conversationId)
    }
  }
  const work = async (): Promise<void> => {
    // Iterates over a copy: a failed title puts its conversation back into the set.
    const waiting = Array.from(untitled)
    for (const conversationId of waiting) if (isIdle()) await title(conversationId)
  }
  const onChange = (): void => {
    for (const { run } of runs.open.values()) untitled.add(run.conversationId)
  }
  whenIdle(agent, { after: IDLE_MS, work, onChange })
}
