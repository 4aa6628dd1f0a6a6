import type { AgentParts } from './agent-parts.ts'
import { keepRetention } from './keep-retention.ts'
import { makeTitles } from './make-titles.ts'

/** Hosts of pages that are served by their developer's own machine. */
const LOCAL = /^(localhost$|127\.|\[::1)/

/**
 * Drops old conversations and makes titles while no run is open, if the agent's options ask for it. Checks the schemas of
 * tools, for developers.
 */
export function workWhileIdle(agent: AgentParts): void {
  keepRetention(agent)
  makeTitles(agent)
  // A page that can't load it has no warning, and works.
  if (LOCAL.test(globalThis.location?.hostname))
    import('./warn-of-keywords.ts').then((part) => part.warnOfKeywords(agent)).catch(() => {})
}
