import type { AgentParts } from './agent-parts.ts'
import { keepRetention } from './keep-retention.ts'
import { makeTitles } from './make-titles.ts'

/** Drops old conversations and makes titles while no run is open, if the agent's options ask for it. */
export function workWhileIdle(agent: AgentParts): void {
  keepRetention(agent)
  makeTitles(agent)
}
