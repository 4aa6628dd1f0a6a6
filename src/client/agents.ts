import type { AgentParts } from './agent-parts.ts'

/** The agents of this page that have a worker, by id. */
export const agents: Map<string, AgentParts> = new Map()
