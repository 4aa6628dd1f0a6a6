/**
 * What an agent needs once it has a worker, in one module that is imported with the first one: the
 * wire, supervision, what is published and the tools' execution stay out of the page's first load.
 */
import type { AgentParts } from './agent-parts.ts'
import type * as IdleWork from './idle-work.ts'
import { loadPart } from './load-part.ts'
import type { AgentOptions } from './options.ts'

export { createCommands } from './agent-commands.ts'
export { join } from './linked-agent.ts'

let idleWork: typeof IdleWork | undefined

/**
 * Loads what an agent does while nothing is open, before its first run, so that it misses none. Servers of developers have
 * a port: there it checks the schemas of tools.
 */
export async function prepareIdleWork({ titles, retention }: AgentOptions): Promise<void> {
  if (titles || retention || globalThis.location?.port)
    idleWork ??= await loadPart(() => import('./idle-work.ts'))
}

export function workWhileIdle(agent: AgentParts): void {
  idleWork?.workWhileIdle(agent)
}
