/**
 * Code that an agent needs once it has a worker: the wire, supervision, publishing and tool execution. Imported with
 * the first worker, to keep it out of the page's first load.
 */
import type { AgentParts } from './agent-parts.ts'
import type * as IdleWork from './idle-work.ts'
import { loadPart } from './load-part.ts'
import type { AgentOptions } from './options.ts'

export { createCommands } from './agent-commands.ts'
export { join } from './linked-agent.ts'

let idleWork: typeof IdleWork | undefined

/**
 * Loads the work that an agent does while idle, before its first run, so that no run is missed. Development servers
 * have a port; there, this work also checks the schemas of tools.
 */
export async function prepareIdleWork({ titles, retention }: AgentOptions): Promise<void> {
  if (titles || retention || globalThis.location?.port)
    idleWork ??= await loadPart(() => import('./idle-work.ts'))
}

export function workWhileIdle(agent: AgentParts): void {
  idleWork?.workWhileIdle(agent)
}
