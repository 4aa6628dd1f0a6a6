import type { AgentParts } from './agent-parts.ts'
import { keepRetention } from './keep-retention.ts'
import { makeTitles } from './make-titles.ts'

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
    import('./warn-of-keywords.ts').then((part) => part.warnOfKeywords(agent)).catch(() => {})
}
