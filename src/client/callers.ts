import type { AgentParts } from './agent-parts.ts'

/** By the signal of an execution: the agent whose call it is. */
export const callers: WeakMap<AbortSignal, AgentParts> = new WeakMap()
