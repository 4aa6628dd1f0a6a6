import type { AgentParts } from './agent-parts.ts'
import { keepRetention } from './keep-retention.ts'
import { makeTitles } from './make-titles.ts'

/** What an agent does while it has nothing open, where its options ask for it. */
export function workWhileIdle(agent: AgentParts): void {
  keepRetention(agent)
  makeTitles(agent)
}
